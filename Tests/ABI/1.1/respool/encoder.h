#ifndef RESPOOL_ENCODER_H
#define RESPOOL_ENCODER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_encoder rsp_encoder; /* opaque, the plugin's */

typedef struct rsp_encoder_settings {
  uint32_t struct_size;
  uint32_t threads;     /* how many it may use, 1 or more */
  const rsp_track *track; /* what comes in: codec (the one to make), size, formats, colour, rates, time base */
  int64_t bit_rate;     /* bits a second; 0: not asked for */
  double quality;       /* on the codec's own scale (x264: crf, vpx: cq-level); negative: not asked for */
  rsp_options options;
} rsp_encoder_settings;

/* Turns frames into packets.  One thread at a time calls an encoder; not always the same one. */
typedef struct RSP_SENDABLE rsp_encoder_factory {
  rsp_factory head;
  /* On success the caller owns *out.  `settings` is only lent. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_encoder_settings *settings,
                     rsp_encoder *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* The track that comes out: codec, extradata, initial_padding, frame_size, reorder_depth, time base.
     Owned by the encoder, valid until the next call on it; complete after open, and final (extradata
     that needs the whole input) after RSP_END. */
  const rsp_track *RSP_NONNULL (*RSP_NONNULL track)(rsp_encoder *encoder);
  /* RSP_OK: taken.  RSP_AGAIN: not taken, receive first.  NULL: drain.  The encoder retains what it keeps. */
  rsp_status (*send)(rsp_encoder *encoder, const rsp_frame *RSP_NULLABLE frame, rsp_error *error);
  /* RSP_OK: the caller owns one reference to packet->buffer.  Sound: pts counts from
     -initial_padding on, and the last packet's trim_end tells how much of it is padding. */
  rsp_status (*receive)(rsp_encoder *encoder, rsp_packet *packet, rsp_error *error);
  void (*close)(rsp_encoder *encoder);
} rsp_encoder_factory;

RSP_NONNULL_END
RSP_C_END
#endif
