#ifndef RESPOOL_MUXER_H
#define RESPOOL_MUXER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_muxer rsp_muxer; /* opaque, the plugin's */

/* Puts packets into a container.  One thread at a time calls a muxer; not always the same one. */
typedef struct RSP_SENDABLE rsp_muxer_factory {
  rsp_factory head;
  /* Whether this track can be carried: RSP_OK, or RSP_ERROR_UNSUPPORTED with the reason.  Any thread.
     NULL: every track whose codec is in head.codecs. */
  rsp_status (*RSP_NULLABLE supports)(const rsp_factory *factory, const rsp_track *track, rsp_error *error);
  /* Opens for the tracks, metadata and chapters of `media`, which is only lent.  It may write the
     header now or later.  On success the caller owns *out. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                     const rsp_options *options, rsp_muxer *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* The time base in which packets of `track` are to be given.  Any time after open. */
  rsp_rational (*time_base)(rsp_muxer *muxer, uint32_t track);
  /* Takes one packet; those of one track come in decoding order, the tracks interleaved by time.
     packet->dts is always known.  The muxer retains what it keeps. */
  rsp_status (*write)(rsp_muxer *muxer, const rsp_packet *packet, rsp_error *error);
  /* Completes the file.  `media` as for open, with what is only known at the end (extradata,
     durations).  After it only close is allowed. */
  rsp_status (*finish)(rsp_muxer *muxer, const rsp_media *media, rsp_error *error);
  /* Also without finish: then the file is left as it is. */
  void (*close)(rsp_muxer *muxer);
} rsp_muxer_factory;

RSP_NONNULL_END
RSP_C_END
#endif
