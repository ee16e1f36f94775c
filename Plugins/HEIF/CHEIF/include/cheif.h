/* libheif's functions in a form that Swift can use: a file in, planes out. */
#ifndef CHEIF_H
#define CHEIF_H

#include <libheif/heif.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct cheif_image {
  int width, height;
  int chroma; /* enum heif_chroma */
  int depth;  /* bits of a sample */
  int has_alpha;
  /* Luma or gray, two of chroma, alpha; NULL if the image has none. */
  const uint8_t *_Nullable planes[4];
  int strides[4];
  struct heif_context *_Nullable context;
  struct heif_image_handle *_Nullable handle;
  struct heif_image *_Nullable image;
} cheif_image;

/* Decodes the primary image of a file, without its rotation and mirroring. `bytes` must stay valid during the call.
   Returns 0, or -1 with a message of libheif in `message`. The image needs cheif_free in both cases. */
int cheif_decode(
    const void *bytes, size_t size, int threads, cheif_image *image, char *message,
    size_t capacity);

void cheif_free(cheif_image *image);

#pragma clang assume_nonnull end
#endif
