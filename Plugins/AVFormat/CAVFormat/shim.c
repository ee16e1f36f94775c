#include "CAVFormat.h"

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

void avformat_log_to(void (*log)(void *context, int32_t level, const char *message), void *context) {
  atomic_store(&log_context, context);
  atomic_store(&log_function, log);
  av_log_set_callback(forward);
}

static int refuse(AVFormatContext *context, AVIOContext **out, const char *url, int flags,
                  AVDictionary **options) {
  (void)context, (void)url, (void)flags, (void)options;
  *out = NULL;
  return AVERROR(EPERM);
}

void avformat_forbid_opening(AVFormatContext *context) {
  context->io_open = refuse;
  /* Demuxers that bypass io_open pass this list on. No protocol is called "none". */
  av_freep(&context->protocol_whitelist);
  context->protocol_whitelist = av_strdup("none");
}
