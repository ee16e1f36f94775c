#ifndef RESPOOL_DECODER_H
#define RESPOOL_DECODER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_decoder rsp_decoder; /* opaque; defined by the plugin */

/* Settings of a decoder, lent for the call of open. */
typedef struct RSP_STRUCT(rsp_decoder_settings) {
  uint32_t struct_size;
  uint32_t threads; /* number of threads that the decoder may use, at least 1 */
  const rsp_track *track; /* the track to decode, with its codec and configuration record */
  rsp_options options; /* checked by the host against the schema in head.options */
  RSP_GROWTH
} rsp_decoder_settings;

/* Decodes packets to frames.  One thread at a time calls a decoder; not always the same one.
   The host calls send, then receive until it returns RSP_AGAIN.  At the end the host sends NULL once to drain, then
   calls receive until it returns RSP_END.  A frame has the pts of the packet that it was decoded from.
   Subtitles that are images become video frames in rgba, of the size that they were made for and transparent where they
   have nothing; the duration is 0 if a frame is shown until the next one.
   The decoder does not apply trim_start, trim_end or RSP_PACKET_DISCARD: the host drops what is not shown. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_decoder_factory) {
  rsp_factory head;
  /* Returns nonzero if the factory can decode the track, which is lent.  Any thread.  Only called if head.flags has
     RSP_FACTORY_ANY_CODEC.  NULL, or without the flag: every track whose codec is in head.codecs. */
  int32_t (*RSP_NULLABLE supports)(const rsp_factory *factory, const rsp_track *track);
  /* Opens a decoder.  RSP_OK: *out is set; the caller owns it and closes it.  `settings` and everything that it
     points to is lent.  After an error the host tries the next factory that decodes the codec. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_decoder_settings *settings,
                     rsp_decoder *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* Takes a packet, which is lent; NULL: drain.  RSP_OK: taken.  RSP_AGAIN: not taken, receive first.  The payload
     is always in packet->buffer, because the host has read ranges.  The decoder retains what it keeps.  After an
     error the packet is lost, and the decoder continues with the next one. */
  rsp_status (*send)(rsp_decoder *decoder, const rsp_packet *RSP_NULLABLE packet, rsp_error *error);
  /* Returns the next frame.  RSP_OK: the caller owns one reference to frame->buffer.  RSP_AGAIN: no frame yet, send
     more.  RSP_END: drained.  The host rejects frames that break the limits stated at rsp_frame. */
  rsp_status (*receive)(rsp_decoder *decoder, rsp_frame *frame, rsp_error *error);
  /* Discards everything sent, for a seek; also makes a drained decoder usable again. */
  void (*flush)(rsp_decoder *decoder);
  /* Frees the decoder, at any point.  Frames that it returned stay valid. */
  void (*close)(rsp_decoder *decoder);
  RSP_GROWTH
} rsp_decoder_factory;

RSP_NONNULL_END
RSP_C_END
#endif
