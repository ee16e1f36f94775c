#include "CFFmpeg.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <libavutil/log.h>

static _Atomic(void *) log_context;
static void (*_Atomic log_function)(void *, int32_t, const char *);
static _Thread_local char first_error[256];

/* Formats a message without the characters of `ends` at its end; returns 0 if nothing is left. */
static int format_line(
    char line[1024], int prefix, const char *ends, void *object, int level, const char *format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  int length = av_log_format_line2(object, level, format, copy, line, 1024, &prefix);
  va_end(copy);
  if (length <= 0) return 0;
  size_t end = strlen(line);
  while (end > 0 && strchr(ends, line[end - 1])) line[--end] = 0;
  return end > 0;
}

static void forward(void *object, int level, const char *format, va_list arguments) {
  /* A message gives a cause, and a failure is also returned as an error: warnings and errors are logged at the debug
     level, other messages are dropped. */
  if (level > AV_LOG_WARNING) return;
  char line[1024];
  if (!first_error[0] && format_line(line, 0, "\r\n.", object, level, format, arguments)) {
    snprintf(first_error, sizeof first_error, "%s", line);
  }
  void (*log)(void *, int32_t, const char *) = atomic_load(&log_function);
  if (log && format_line(line, 1, "\r\n", object, level, format, arguments)) {
    log(atomic_load(&log_context), 3, line);
  }
}

void ffmpeg_log_to(void (*log)(void *context, int32_t level, const char *message), void *context) {
  atomic_store(&log_context, context);
  atomic_store(&log_function, log);
  av_log_set_callback(forward);
}

void ffmpeg_begin_errors(void) {
  first_error[0] = 0;
  av_log_set_callback(forward);
}

const char *ffmpeg_first_error(void) { return first_error; }
