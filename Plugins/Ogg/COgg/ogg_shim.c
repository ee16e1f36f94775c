#include "ogg_shim.h"

/* Swift reads the lengths of pages and packets, which libogg declares as long, as 64-bit numbers. */
_Static_assert(sizeof(long) == 8, "libogg's long is expected to have 64 bits");
