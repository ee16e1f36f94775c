/* libogg as Swift sees it. */
#ifndef RESPOOL_OGG_SHIM_H
#define RESPOOL_OGG_SHIM_H

#include <ogg/ogg.h>

#endif
