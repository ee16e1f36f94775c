#ifndef RESPOOL_MUXER_H
#define RESPOOL_MUXER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_muxer rsp_muxer; /* opaque; defined by the plugin */

/* Writes packets to a container.  One thread at a time calls a muxer; not always the same one. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_muxer_factory) {
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
  RSP_GROWTH
} rsp_muxer_factory;

/* A reference from one track to another (ISO/IEC 14496-12 8.3.3). */
typedef struct rsp_muxing_reference {
  uint32_t type;  /* four characters, such as "cdsc", the first in the lowest byte */
  uint32_t track; /* index of the other track in rsp_media.tracks */
} rsp_muxing_reference;

/* rsp_muxing_track.flags; bits may be combined. */
enum {
  RSP_MUXING_TRACK_DISABLED = 1, /* not played unless a viewer selects it, whatever its disposition is */
  RSP_MUXING_TRACK_FIRST = 2     /* media is stored before that of tracks without this flag, not interleaved */
};

/* Settings of one track.  Fields that are 0 leave the choice to the muxer. */
typedef struct RSP_STRUCT(rsp_muxing_track) {
  uint32_t struct_size; /* the same in all tracks: the distance of two elements in bytes */
  uint32_t flags;       /* RSP_MUXING_TRACK_ */
  int64_t time_scale;   /* units per second in which times are stored, up to 2^31 - 1 */
  double volume;        /* preferred volume; 1: unchanged; negative: that of rsp_track */
  double width, height; /* size to show in pixels, up to 65535 */
  double chunk_duration;   /* seconds of media that are stored together */
  int64_t chunk_alignment; /* bytes; chunks begin at multiples of it */
  int32_t alternate_group; /* tracks with one number are alternatives, up to 2^15 - 1 */
  uint32_t reference_count;
  const rsp_muxing_reference *RSP_NULLABLE references; /* `reference_count` references; NULL: none */
  RSP_GROWTH
} rsp_muxing_track;

/* rsp_muxing_settings.flags; bits may be combined. */
enum {
  RSP_MUXING_HEADER_FIRST = 1,    /* playback can start before the file is loaded; overrides the muxer's option */
  RSP_MUXING_HEADER_LAST = 2,     /* the opposite: the file is completed in less time */
  RSP_MUXING_CUT_AT_DURATION = 4, /* all tracks end at the duration that finish gets */
  RSP_MUXING_COMBINABLE = 8       /* segments can be joined with those of other files of the same tracks */
};

/* rsp_muxing_settings.segments */
enum {
  RSP_SEGMENTS_NONE = 0,
  RSP_SEGMENTS_PLAIN = 1, /* segments start with packets with RSP_PACKET_STARTS_SEGMENT; nothing is overwritten */
  RSP_SEGMENTS_HLS = 2,   /* as plain, without edits: times are stored as they are */
  RSP_SEGMENTS_CMAF = 3   /* as plain, one track (ISO/IEC 23000-19) */
};

/* How to write a file, lent for the call of open.  Fields that are 0 leave the choice to the muxer and its
   options. */
typedef struct RSP_STRUCT(rsp_muxing_settings) {
  uint32_t struct_size;
  uint32_t flags;                 /* RSP_MUXING_ */
  uint32_t segments;              /* RSP_SEGMENTS_; others than NONE only with RSP_FACTORY_WRITES_SEGMENTS */
  uint32_t first_fragment_number; /* for fragments that are joined with others */
  double fragment_interval;       /* seconds of media in a fragment */
  double first_fragment_interval; /* seconds of media in the first fragment */
  double duration_hint;           /* expected duration in seconds, for headers that are written before the media */
  int64_t time_scale;             /* units per second of the file's own times, up to 2^31 - 1 */
  uint32_t track_count;           /* 0, or rsp_media.track_count */
  uint32_t reserved;
  const rsp_muxing_track *RSP_NULLABLE tracks; /* `track_count` settings; NULL: none */
  RSP_GROWTH
} rsp_muxing_settings;

/* Extension of muxers (rsp_factory.extension), since 1.3.  Immutable, lives until the process ends.  Without it, the
   settings have no effect. */
#define RSP_MUXING "muxing"
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_muxing) {
  uint32_t struct_size;
  uint32_t reserved;
  /* Used instead of rsp_muxer_factory.open, with the same rules for threads, ownership and errors.
     RSP_ERROR_ARGUMENT: a value is outside its range, or the muxer cannot do what is asked. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                     const rsp_muxing_settings *settings, const rsp_options *options,
                     rsp_muxer *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  RSP_GROWTH
} rsp_muxing;

RSP_NONNULL_END
RSP_C_END
#endif
