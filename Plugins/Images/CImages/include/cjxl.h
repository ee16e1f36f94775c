/* libjxl's functions in a form that Swift can use: a file in, a description or pixels out, and the reverse. */
#ifndef CJXL_H
#define CJXL_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum { CJXL_OK = 0, CJXL_PARTIAL = 1, CJXL_DAMAGED = -1, CJXL_NO_MEMORY = -2 } cjxl_status;

/* Bytes that cjxl_free_* releases; NULL if there are none. */
typedef struct cjxl_bytes {
  uint8_t *_Nullable data;
  size_t count;
} cjxl_bytes;

typedef struct cjxl_info {
  int width, height; /* as the image is shown */
  int depth;         /* bits of a component; more than 16 for floating-point numbers */
  int channels;      /* of color: 1 or 3 */
  int has_alpha;
  int frames; /* 1 for a still image */
  int is_srgb;
  int primaries, transfer; /* ITU-T H.273; 2 if it has no number */
  cjxl_bytes profile;      /* ICC profile of the decoded pixels */
  cjxl_bytes exif;         /* body of the box */
  cjxl_bytes xmp;
} cjxl_info;

/* Reads the description of a file. `bytes` must stay valid during the call. The info needs cjxl_free_info in all
   cases. Returns CJXL_PARTIAL if the file ends early, and CJXL_DAMAGED if its header cannot be read. */
int cjxl_read(const void *bytes, size_t count, cjxl_info *info);
void cjxl_free_info(cjxl_info *info);

/* Decodes the first image upright into `target`: interleaved components of 8 or 16 bits, little-endian, with `stride`
   bytes from row to row. Returns CJXL_PARTIAL if parts of it are missing. */
int cjxl_decode(
    const void *bytes, size_t count, int threads, int channels, int depth, void *target,
    size_t stride, size_t capacity);

typedef struct cjxl_settings {
  int width, height;
  int channels; /* 1 to 4; 2 and 4 have alpha */
  int depth;    /* 8 or 16 */
  int primaries, transfer;
  const uint8_t *_Nullable profile; /* used instead of the numbers */
  size_t profile_count;
  float distance;
  int effort, threads;
} cjxl_settings;

/* Encodes an image of interleaved components. Returns CJXL_DAMAGED if libjxl takes the image or the profile not.
   `output` needs cjxl_free_bytes. */
int cjxl_encode(
    const cjxl_settings *settings, const void *pixels, size_t stride, size_t count,
    cjxl_bytes *output);
void cjxl_free_bytes(cjxl_bytes *bytes);

#pragma clang assume_nonnull end
#endif
