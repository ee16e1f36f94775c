#ifndef RESPOOL_ENCODER_H
#define RESPOOL_ENCODER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_encoder rsp_encoder; /* opaque; defined by the plugin */

/* rsp_encoder_settings.flags; bits may be combined. */
enum {
  /* The input is live: hold back as few frames as possible, unless options state otherwise.  Set only for encoders
     with RSP_FACTORY_LOW_DELAY. */
  RSP_ENCODING_LOW_DELAY = 1,
  /* The first of two passes: receive returns statistics instead of media, in packets whose times mean nothing.  Set
     only for encoders with RSP_FACTORY_TWO_PASSES. */
  RSP_ENCODING_FIRST_PASS = 2
};

/* Settings of an encoder, lent for the call of open. */
typedef struct rsp_encoder_settings {
  uint32_t struct_size;
  uint32_t threads;     /* number of threads that the encoder may use, at least 1 */
  const rsp_track *track; /* the input: size, formats, color, rates, time base; `codec` is the codec to encode to */
  int64_t bit_rate;     /* bits per second; 0: not requested */
  double quality;       /* on the codec's own scale (x264: crf, vpx: cq-level); negative: not requested */
  rsp_options options;  /* checked by the host against the schema in head.options */
  /* Since 1.3. */
  uint32_t flags;       /* RSP_ENCODING_ */
  uint32_t reserved;
  const uint8_t *RSP_NULLABLE statistics; /* last of two passes: the bytes of all packets of the first; else NULL */
  size_t statistics_size;                 /* bytes; 0 without statistics */
  RSP_GROWTH
} rsp_encoder_settings;

/* Encodes frames to packets.  One thread at a time calls an encoder; not always the same one.
   send, receive and draining work as for a decoder (decoder.h). */
typedef struct RSP_SENDABLE rsp_encoder_factory {
  rsp_factory head;
  /* Opens an encoder.  RSP_OK: *out is set; the caller owns it and closes it.  `settings` and everything that it
     points to is lent. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_encoder_settings *settings,
                     rsp_encoder *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* Returns the description of the encoded track: codec, extradata, initial_padding, frame_size, reorder_depth, time
     base.  The encoder owns it; it is valid until the next call on the encoder.  Complete after open; final, with
     extradata that needs the whole input, after receive has returned RSP_END. */
  const rsp_track *RSP_NONNULL (*RSP_NONNULL track)(rsp_encoder *encoder);
  /* Takes a frame, which is lent; NULL: drain.  RSP_OK: taken.  RSP_AGAIN: not taken, receive first.  The encoder
     retains what it keeps. */
  rsp_status (*send)(rsp_encoder *encoder, const rsp_frame *RSP_NULLABLE frame, rsp_error *error);
  /* Returns the next packet.  RSP_OK: the caller owns one reference to packet->buffer, where the payload must be.
     RSP_AGAIN: no packet yet, send more.  RSP_END: drained.  Audio: pts starts at -initial_padding, and trim_end of
     the last packet is the length of its padding. */
  rsp_status (*receive)(rsp_encoder *encoder, rsp_packet *packet, rsp_error *error);
  /* Frees the encoder, at any point.  Packets that it returned stay valid. */
  void (*close)(rsp_encoder *encoder);
  RSP_GROWTH
} rsp_encoder_factory;

RSP_NONNULL_END
RSP_C_END
#endif
