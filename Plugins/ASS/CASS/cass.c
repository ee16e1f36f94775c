#include "cass.h"

#include <stdarg.h>
#include <stdio.h>

/* Greatest level of a warning; higher ones are information. */
enum { WARNING = 3 };

static void receive(int level, const char *format, va_list arguments, void *receiver) {
  if (level > WARNING) return;
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  const cass_receiver *target = receiver;
  target->receive(message, target->context);
}

void cass_send_messages(ASS_Library *library, cass_receiver *receiver) {
  ass_set_message_cb(library, receive, receiver);
}
