#ifndef RESPOOL_MUXER_H
#define RESPOOL_MUXER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_muxer rsp_muxer; /* opaque; defined by the plugin */

/* Writes packets to a container.  One thread at a time calls a muxer; not always the same one. */
typedef struct RSP_SENDABLE rsp_muxer_factory {
  rsp_factory head;
  /* Returns RSP_OK if the container can carry the track, else RSP_ERROR_UNSUPPORTED with the reason.  `track` is
     lent.  Any thread.  NULL: every track whose codec is in head.codecs. */
  rsp_status (*RSP_NULLABLE supports)(const rsp_factory *factory, const rsp_track *track, rsp_error *error);
  /* Opens a muxer for the tracks, metadata and chapters of `media`.  It may write the header now or later.  RSP_OK:
     *out is set; the caller owns it and closes it.  `media` and `options` are lent.  `sink` is valid until close, or
     until a failed open returns. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                     const rsp_options *options, rsp_muxer *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* Returns the time base that packets of `track` must have.  Called at any time after open, with a valid index. */
  rsp_rational (*time_base)(rsp_muxer *muxer, uint32_t track);
  /* Takes one packet, which is lent; the muxer retains what it keeps.  Packets of one track come in decoding order,
     and the tracks are interleaved by time.  packet->dts is always known.  The payload may be a range, unless
     head.flags has RSP_FACTORY_NEEDS_BYTES: rsp_sink.write_payload copies it. */
  rsp_status (*write)(rsp_muxer *muxer, const rsp_packet *packet, rsp_error *error);
  /* Completes the file.  `media` is that of open, with the values that are known only at the end, such as extradata
     and durations; it is lent.  Afterwards only close is called. */
  rsp_status (*finish)(rsp_muxer *muxer, const rsp_media *media, rsp_error *error);
  /* Frees the muxer.  Without finish, it leaves the file as it is. */
  void (*close)(rsp_muxer *muxer);
} rsp_muxer_factory;

RSP_NONNULL_END
RSP_C_END
#endif
