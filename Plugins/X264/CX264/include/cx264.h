/* The parts of x264.h that Swift cannot import: the version-checking macro, variadic logging, array members. */
#ifndef CX264_H
#define CX264_H

#include <errno.h>
#include <stdint.h>
#include <x264.h>

#pragma clang assume_nonnull begin

/* Receiver of x264's messages, which is called on any of its threads.  `level` is an X264_LOG_ constant.  `message`
   is lent for the call. */
typedef struct cx264_log {
  void (*write)(void *_Nullable context, int level, const char *message);
  void *_Nullable context;
} cx264_log;

/* Sends messages of all levels to `log`, which must live as long as the encoder. */
void cx264_set_log(x264_param_t *param, cx264_log *log);

/* Opens an encoder, or returns NULL.  x264 gives no reason for a failure, but the allocator sets errno to ENOMEM:
   `*no_memory` becomes 1 if the call failed because memory ran out, else 0. */
static inline x264_t *_Nullable cx264_open(x264_param_t *param, int *no_memory) {
  errno = 0;
  x264_t *encoder = x264_encoder_open(param);
  *no_memory = !encoder && errno == ENOMEM;
  return encoder;
}

/* Calls x264_encoder_encode.  `*no_memory` is set as by cx264_open. */
static inline int cx264_encode(x264_t *encoder, x264_nal_t *_Nullable *_Nonnull units, int *count,
                               x264_picture_t *_Nullable picture, x264_picture_t *coded, int *no_memory) {
  errno = 0;
  int size = x264_encoder_encode(encoder, units, count, picture, coded);
  *no_memory = size < 0 && errno == ENOMEM;
  return size;
}

static inline void cx264_set_plane(x264_picture_t *picture, int index, const void *base, int stride) {
  picture->img.plane[index] = (uint8_t *)base;
  picture->img.i_stride[index] = stride;
}

#pragma clang assume_nonnull end
#endif
