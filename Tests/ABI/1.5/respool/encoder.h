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

/* Settings of an encoder.  The struct and everything that it points to is lent for the call of open, except `job`. */
typedef struct RSP_STRUCT(rsp_encoder_settings_1_5) {
  uint32_t struct_size;
  uint32_t threads;     /* number of threads that the encoder may use, at least 1 */
  const rsp_track *track; /* the input: size, formats, color, rates, time base; `codec` is the codec to encode to */
  int64_t bit_rate;     /* bits per second; 0: not requested */
  double quality;       /* on the encoder's own scale, see rsp_encoding; negative: not requested */
  rsp_options options;  /* checked by the host against the schema in head.options */
  /* Since 1.3. */
  uint32_t flags;       /* RSP_ENCODING_ */
  uint32_t reserved;
  const uint8_t *RSP_NULLABLE statistics; /* last of two passes: the bytes of all packets of the first; else NULL */
  size_t statistics_size;                 /* bytes; 0 without statistics */
  /* Since 1.5. */
  const rsp_job *RSP_NULLABLE job; /* valid until close returns; NULL: a host before 1.5, or a call of check */
  uint32_t key_frame_interval;     /* video: maximum number of frames from one key frame to the next; 0: the encoder
                                      decides */
  uint32_t reserved_2;
  RSP_GROWTH
} rsp_encoder_settings;

/* Encodes frames to packets.  One thread at a time calls an encoder; not always the same one.
   send, receive and draining work as for a decoder (decoder.h). */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_encoder_factory) {
  rsp_factory head;
  /* Opens an encoder.  RSP_OK: *out is set; the caller owns it and closes it.  `settings` and everything that it
     points to is lent for the call; only settings->job stays valid until close returns. */
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
     RSP_AGAIN: no packet yet, send more.  RSP_END: drained.  Audio: the first pts is -initial_padding, converted from
     audio samples to the time base of the encoded track.  trim_end of the last packet is the length of its padding, in
     that time base. */
  rsp_status (*receive)(rsp_encoder *encoder, rsp_packet *packet, rsp_error *error);
  /* Frees the encoder, at any point.  Packets that it returned stay valid. */
  void (*close)(rsp_encoder *encoder);
  RSP_GROWTH
} rsp_encoder_factory;

/* rsp_encoding.quality_direction */
enum {
  RSP_QUALITY_NONE = 0, /* the encoder has no quality scale; it is asked for bit rates only */
  RSP_QUALITY_LOWER_IS_BETTER = 1,
  RSP_QUALITY_HIGHER_IS_BETTER = 2
};

/* Extension of encoders (rsp_factory.extension), since 1.5.  Immutable, lives until the process ends.  The host asks
   for it when it describes the plugin.  Without it, the host knows neither scale nor bounds, and opens the encoder to
   check settings. */
#define RSP_ENCODING "encoding"
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_encoding) {
  uint32_t struct_size;
  uint32_t kind;              /* RSP_KIND_VIDEO or RSP_KIND_AUDIO: of everything that the factory encodes */
  /* The scale of rsp_encoder_settings.quality. */
  uint32_t quality_direction; /* RSP_QUALITY_ */
  uint32_t reserved;
  double quality_minimum, quality_maximum; /* both inclusive, not negative */
  double quality_step;        /* qualities are multiples of it; 0: any number */
  double quality_default;     /* used if neither quality nor bit rate is requested; negative: none is used */
  int64_t minimum_bit_rate, maximum_bit_rate; /* bits per second of a track, both inclusive; 0: no bound stated */
  /* Checks the settings of a later open, without opening.  RSP_OK, or the error that open would return.  `settings` is
     lent.  Any thread.  NULL: the host opens an encoder and closes it. */
  rsp_status (*RSP_NULLABLE check)(const rsp_factory *factory, const rsp_encoder_settings *settings,
                                   rsp_error *error);
  /* Returns about how many bytes of memory an encoder with these settings takes; RSP_UNKNOWN: unknown.  `settings` is
     lent and was accepted by check.  Any thread.  NULL: unknown. */
  int64_t (*RSP_NULLABLE memory)(const rsp_factory *factory, const rsp_encoder_settings *settings);
  RSP_GROWTH
} rsp_encoding;

RSP_NONNULL_END
RSP_C_END
#endif
