#ifndef RESPOOL_DEMUXER_H
#define RESPOOL_DEMUXER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_demuxer rsp_demuxer; /* opaque; defined by the plugin */

/* Reads the tracks and packets of a container.  One thread at a time calls a demuxer; not always the same one. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_demuxer_factory) {
  rsp_factory head;
  /* Returns a score, 0 to 100, for a source that starts with `bytes`.  0: cannot read it, 25: by its name only,
     50: likely, 75: by a signature, 100: by structure.  `count` is at least 1; the host passes up to 32 KiB.  `name`
     is the file name without folders.  Everything is lent.  Any thread.
     The host opens the first factory with 50 or more.  Before RSP_TIER_FALLBACK it probes only factories with a
     matching magic or extension. */
  int32_t (*probe)(const rsp_factory *factory, const uint8_t *bytes, size_t count, const char *name);
  /* Opens a source and reads as much as describing the tracks needs.  RSP_OK: *out is set; the caller owns it and
     closes it.  After an error *out is unchanged.  `source` is valid until close, or until a failed open returns.
     `options` is lent.  After RSP_ERROR_MALFORMED or RSP_ERROR_UNSUPPORTED the host tries other demuxers. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_source *source, const rsp_options *options,
                     rsp_demuxer *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* Returns the description of the file.  The demuxer owns it; it does not change and is valid until close. */
  const rsp_media *RSP_NONNULL (*RSP_NONNULL media)(rsp_demuxer *demuxer);
  /* Selects the tracks that `read` returns.  `wanted` has one byte per track, 0 or 1, and is lent; `count` is the
     number of tracks.  Called before the first read or directly after a seek.  Default: all tracks. */
  rsp_status (*select)(rsp_demuxer *demuxer, const uint8_t *wanted, uint32_t count, rsp_error *error);
  /* Returns the next packet, in the order of the file or of decoding times.  RSP_OK: the caller owns one reference to
     packet->buffer, unless the payload is a range.  RSP_END: there are no more packets.  After an error the packet
     is empty, and the next call continues after the damage or returns RSP_END.
     The host rejects a range outside the source and a pts or dts further than 2^31 seconds from 0. */
  rsp_status (*read)(rsp_demuxer *demuxer, rsp_packet *packet, rsp_error *error);
  /* Seeks to the last position from which `track` can be decoded to show `time`.  `time` is a presentation time in
     the time base of the track.  The other selected tracks move to the same place.  NULL: cannot seek. */
  rsp_status (*RSP_NULLABLE seek)(rsp_demuxer *demuxer, uint32_t track, int64_t time, rsp_error *error);
  /* Frees the demuxer and everything that `media` points to.  Packets that it returned stay valid. */
  void (*close)(rsp_demuxer *demuxer);
  RSP_GROWTH
} rsp_demuxer_factory;

/* rsp_demuxing_settings.timing; bits may be combined.  Without them, times are those that FFmpeg reports. */
enum {
  RSP_TIMING_EXACT_END = 1,   /* audio ends at the exact sample: the last packet has the trim_end of the file */
  RSP_TIMING_SHOWN_START = 2, /* time 0 is the first audible audio sample, after the encoder delay */
  RSP_TIMING_SHOWN_TIMES = 4  /* every packet has a pts, also if the container stores none, as AVI */
};

/* How to open a demuxer, lent for the call of open. */
typedef struct RSP_STRUCT(rsp_demuxing_settings) {
  uint32_t struct_size;
  uint32_t timing; /* RSP_TIMING_; only bits that head.flags declares */
  RSP_GROWTH
} rsp_demuxing_settings;

/* Extension of demuxers (rsp_factory.extension), since 1.3.  Immutable, lives until the process ends. */
#define RSP_DEMUXING "demuxing"
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_demuxing) {
  uint32_t struct_size;
  uint32_t reserved;
  /* Used instead of rsp_demuxer_factory.open, with the same rules for threads, ownership and errors. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_source *source, const rsp_demuxing_settings *settings,
                     const rsp_options *options, rsp_demuxer *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  RSP_GROWTH
} rsp_demuxing;

RSP_NONNULL_END
RSP_C_END
#endif
