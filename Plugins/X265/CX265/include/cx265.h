/* The parts of x265.h that Swift cannot import: the version-checking macro and array members. */
#ifndef CX265_H
#define CX265_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <x265.h>

#pragma clang assume_nonnull begin

/* Returns the functions of the build for a bit depth of 8, 10 or 12, or NULL if the library has none, or one whose
   structures differ from those of this header. */
const x265_api *_Nullable cx265_api(int bit_depth);

static inline void cx265_set_plane(x265_picture *picture, int index, const void *base, int stride) {
  picture->planes[index] = (void *)base;
  picture->stride[index] = stride;
}

#pragma clang assume_nonnull end
#endif
