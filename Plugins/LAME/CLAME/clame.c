#include "include/clame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[256];
static _Thread_local char taken[256];

static void keep(const char *format, va_list arguments) {
  vsnprintf(message, sizeof message, format, arguments);
  size_t length = strlen(message);
  while (length > 0 && message[length - 1] == '\n') message[--length] = 0;
}

void clame_set_reports(lame_global_flags *encoder) {
  lame_set_errorf(encoder, keep);
  lame_set_msgf(encoder, NULL);
  lame_set_debugf(encoder, NULL);
}

const char *clame_take_message(void) {
  memcpy(taken, message, sizeof taken);
  message[0] = 0;
  return taken;
}
