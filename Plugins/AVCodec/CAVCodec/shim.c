#include "CAVCodec.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <libavutil/log.h>

static _Atomic(void *) log_context;
static void (*_Atomic log_function)(void *, int32_t, const char *);

static void forward(void *object, int level, const char *format, va_list arguments) {
  void (*log)(void *, int32_t, const char *) = atomic_load(&log_function);
  /* A message gives a cause, and a failure is also returned as an error: warnings and errors are logged at the debug
     level, other messages are dropped. */
  if (!log || level > AV_LOG_WARNING) return;
  char line[1024];
  int prefix = 1;
  int length = av_log_format_line2(object, level, format, arguments, line, sizeof line, &prefix);
  if (length <= 0) return;
  size_t end = strlen(line);
  while (end > 0 && (line[end - 1] == '\n' || line[end - 1] == '\r')) line[--end] = 0;
  if (end > 0) log(atomic_load(&log_context), 3, line);
}

void avcodec_log_to(void (*log)(void *context, int32_t level, const char *message), void *context) {
  atomic_store(&log_context, context);
  atomic_store(&log_function, log);
  av_log_set_callback(forward);
}

AVFrame *avcodec_repack(
    struct SwsContext **context, const AVFrame *source, enum AVPixelFormat format) {
  AVFrame *result = av_frame_alloc();
  if (!result) return NULL;
  result->format = format;
  result->width = source->width;
  result->height = source->height;
  *context = sws_getCachedContext(
      *context, source->width, source->height, source->format, source->width, source->height, format,
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
  if (!*context || av_frame_get_buffer(result, 0) < 0 || av_frame_copy_props(result, source) < 0 ||
      sws_scale(
          *context, (const uint8_t *const *)source->data, source->linesize, 0, source->height, result->data,
          result->linesize) != source->height) {
    av_frame_free(&result);
  }
  return result;
}
