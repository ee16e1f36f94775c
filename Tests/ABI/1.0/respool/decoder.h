#ifndef RESPOOL_DECODER_H
#define RESPOOL_DECODER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_decoder rsp_decoder; /* opaque, the plugin's */

typedef struct rsp_decoder_settings {
  uint32_t struct_size;
  uint32_t threads; /* how many it may use, 1 or more */
  const rsp_track *track;
  rsp_options options;
} rsp_decoder_settings;

/* Turns packets into frames.  One thread at a time calls a decoder; not always the same one.
   Feed with send, take with receive until it answers RSP_AGAIN; send NULL once to drain, then take
   until RSP_END.  A frame carries the pts of the packet that it came from. */
typedef struct RSP_SENDABLE rsp_decoder_factory {
  rsp_factory head;
  /* Whether this track can be decoded; only asked where head.flags has RSP_FACTORY_ANY_CODEC. */
  int32_t (*RSP_NULLABLE supports)(const rsp_factory *factory, const rsp_track *track);
  /* On success the caller owns *out.  `settings` is only lent. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_decoder_settings *settings,
                     rsp_decoder *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* RSP_OK: taken.  RSP_AGAIN: not taken, receive first.  The payload is always in packet->buffer
     (the host has read ranges); the decoder retains what it keeps.  On an error the packet is lost
     and the decoder can go on with the next one. */
  rsp_status (*send)(rsp_decoder *decoder, const rsp_packet *RSP_NULLABLE packet, rsp_error *error);
  /* RSP_OK: the caller owns one reference to frame->buffer. */
  rsp_status (*receive)(rsp_decoder *decoder, rsp_frame *frame, rsp_error *error);
  /* Forgets everything sent, as after a seek; also makes a drained decoder usable again. */
  void (*flush)(rsp_decoder *decoder);
  void (*close)(rsp_decoder *decoder);
} rsp_decoder_factory;

RSP_NONNULL_END
RSP_C_END
#endif
