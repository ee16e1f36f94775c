/* What Swift cannot import of x264.h: the version-checking macro, variadic logging, array members. */
#ifndef CX264_H
#define CX264_H

#include <stdint.h>
#include <x264.h>

#pragma clang assume_nonnull begin

/* Receives x264's messages, from any of its threads.  `level` is an X264_LOG_ constant. */
typedef struct cx264_log {
  void (*write)(void *_Nullable context, int level, const char *message);
  void *_Nullable context;
} cx264_log;

/* `log` must live as long as the encoder. */
void cx264_set_log(x264_param_t *param, cx264_log *log);

static inline x264_t *_Nullable cx264_open(x264_param_t *param) { return x264_encoder_open(param); }

static inline void cx264_set_plane(x264_picture_t *picture, int index, const void *base, int stride) {
  picture->img.plane[index] = (uint8_t *)base;
  picture->img.i_stride[index] = stride;
}

#pragma clang assume_nonnull end
#endif
