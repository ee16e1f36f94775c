/* libogg for Swift. */
#ifndef RESPOOL_OGG_SHIM_H
#define RESPOOL_OGG_SHIM_H

#include <ogg/ogg.h>

#endif
