/* zimg (pixel formats, scaling) and soxr (sample rates) for Swift. */
#ifndef RESPOOL_CONVERSION_H
#define RESPOOL_CONVERSION_H
#include <soxr.h>
#include <zimg.h>
#endif
