#include "ogg_shim.h"

/* The Swift side reads lengths of pages and packets as 64-bit numbers. */
_Static_assert(sizeof(long) == 8, "libogg's long is expected to have 64 bits");
