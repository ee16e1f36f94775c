#include "include/cx264.h"

#include <stdarg.h>
#include <stdio.h>

static void forward(void *private, int level, const char *format, va_list arguments) {
  cx264_log *log = private;
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  log->write(log->context, level, message);
}

void cx264_set_log(x264_param_t *param, cx264_log *log) {
  param->pf_log = forward;
  param->p_log_private = log;
  param->i_log_level = X264_LOG_DEBUG;
}
