/* The part of libass that Swift cannot import: messages with variable arguments. */
#ifndef CASS_H
#define CASS_H

#include <ass/ass.h>

#pragma clang assume_nonnull begin

/* A receiver of the messages of a library. */
typedef struct cass_receiver {
  /* Gets a message without a line feed, which is lent for the call. */
  void (*receive)(const char *message, void *_Nullable context);
  void *_Nullable context;
} cass_receiver;

/* Sends warnings and errors of a library to a receiver, which must exist as long as the library. */
void cass_send_messages(ASS_Library *library, cass_receiver *receiver);

#pragma clang assume_nonnull end
#endif
