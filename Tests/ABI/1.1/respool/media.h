/* What a file holds: tracks, chapters, metadata.  The same structs describe the input of a decoder,
   the input and output of an encoder and the input of a muxer. */
#ifndef RESPOOL_MEDIA_H
#define RESPOOL_MEDIA_H

#include "base.h"
#include "formats.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

enum {
  RSP_KIND_UNKNOWN = 0,
  RSP_KIND_VIDEO = 1,
  RSP_KIND_AUDIO = 2,
  RSP_KIND_SUBTITLE = 3,
  RSP_KIND_DATA = 4,
  RSP_KIND_ATTACHMENT = 5
};

/* rsp_track.disposition; bits may be combined. */
enum {
  RSP_DISPOSITION_DEFAULT = 1,
  RSP_DISPOSITION_FORCED = 2,
  RSP_DISPOSITION_ATTACHED_PICTURE = 4, /* a cover: one packet, shown beside the media, not in it */
  RSP_DISPOSITION_COMMENTARY = 8,
  RSP_DISPOSITION_HEARING_IMPAIRED = 16,
  RSP_DISPOSITION_VISUAL_IMPAIRED = 32,
  RSP_DISPOSITION_ORIGINAL = 64,
  RSP_DISPOSITION_STILL_IMAGE = 128,    /* a still picture, not a moving one */
  RSP_DISPOSITION_DISABLED = 256        /* the file says: do not present unless asked */
};

enum {
  RSP_FIELD_UNKNOWN = 0,
  RSP_FIELD_PROGRESSIVE = 1,
  RSP_FIELD_TOP_FIRST = 2,
  RSP_FIELD_BOTTOM_FIRST = 3
};

/* Colour as code points of ISO/IEC 23091-2 (ITU-T H.273); 2 means unspecified. */
typedef struct rsp_color {
  uint8_t primaries;
  uint8_t transfer;
  uint8_t matrix;
  uint8_t range;           /* 0 unspecified, 1 limited, 2 full */
  uint8_t chroma_location; /* 0 unspecified, 1 left, 2 centre, 3 top-left, 4 top, 5 bottom-left, 6 bottom */
  uint8_t reserved[3];
} rsp_color;

/* One entry of a track's edit list, in order of presentation (ISO/IEC 14496-12 8.6.6).
   Packets come with the edits already applied; this is for those who ask what the file says. */
typedef struct rsp_edit {
  int64_t presentation_start; /* track time base */
  int64_t duration;           /* track time base */
  int64_t media_start;        /* media time in the track time base, RSP_NO_TIME: an empty edit */
  double rate;
} rsp_edit;

/* One track.  Zero means "not known" unless a field says otherwise.  Every pointer is owned by who
   handed the struct out and is valid as long as the call or object that gave it says. */
typedef struct rsp_track {
  uint32_t struct_size;
  uint32_t kind;                /* RSP_KIND_ */
  int64_t id;                   /* the file's own number for the track; index + 1 where it has none */
  const char *codec;            /* as FFmpeg spells it: "h264", "aac", "pcm_s16le"; "" unknown */
  uint32_t codec_tag;           /* the container's code, first character in the lowest byte; 0 none */
  uint32_t disposition;         /* RSP_DISPOSITION_ */
  const uint8_t *RSP_NULLABLE extradata; /* the configuration record, in the form FFmpeg calls extradata:
                                            avcC, hvcC, av1C, vpcC body, AudioSpecificConfig, OpusHead,
                                            FLAC STREAMINFO, three laced Vorbis headers */
  size_t extradata_size;
  rsp_rational time_base;       /* unit of every time of this track, in seconds */
  int64_t start;                /* presentation time of the first shown sample, RSP_NO_TIME unknown */
  int64_t duration;             /* shown duration, RSP_NO_TIME unknown */
  int64_t packet_count;         /* RSP_UNKNOWN where the file does not say */
  int64_t bit_rate;             /* bits a second */
  const char *RSP_NULLABLE language; /* BCP 47 or ISO 639-2 as the file has it; NULL none */
  const rsp_text *RSP_NULLABLE metadata;
  const rsp_edit *RSP_NULLABLE edits;
  uint32_t metadata_count;
  uint32_t edit_count;

  /* video */
  uint32_t width, height;       /* coded picture after the codec's own cropping */
  rsp_rational sample_aspect;   /* shape of a pixel; 0/1 unknown */
  rsp_rational frame_rate;      /* average */
  rsp_rational base_frame_rate; /* lowest rate at which every time can be told exactly */
  rsp_pixel_format pixel_format;
  uint32_t field_order;         /* RSP_FIELD_ */
  rsp_color color;
  int32_t display_matrix[9];    /* ISO/IEC 14496-12 8.3.2: a b u c d v x y w; all zero: identity */
  uint32_t reorder_depth;       /* how many pictures the codec may hold back; encoders set it */
  int32_t profile, level;       /* as the codec numbers them; -1 unknown */

  /* audio */
  uint32_t sample_rate;
  uint32_t channels;
  uint64_t channel_mask;        /* WAVE_FORMAT_EXTENSIBLE bits; 0: order unknown */
  rsp_sample_format sample_format;
  uint32_t bits_per_sample;     /* as coded, 0 where it has no meaning */
  uint32_t frame_size;          /* samples in a packet where all have the same, else 0 */
  uint32_t block_align;
  uint32_t initial_padding;     /* encoder delay in samples: the first packets start that much below 0;
                                   of pictures: how many are hidden before the first that is shown */
  uint32_t seek_preroll;        /* samples to decode before a position to be exact there */

  /* Samples of a track may be coded in several ways, one after the other: with other parameters, of another
     size.  What is told above is the first; here are the others, of which codec, configuration record and
     what follows from them count, and times, edits and tags are the track's.  A packet's `format` says how
     it is coded.  A decoder is opened for each; muxers without RSP_FACTORY_KEEPS_FORMATS get no such track. */
  const struct rsp_track *RSP_NULLABLE const *RSP_NULLABLE further_formats;
  uint32_t further_format_count;
  uint32_t volume;              /* how loud it is meant to be played, of 8.8 bits as in 'tkhd' (ISO/IEC 14496-12
                                   8.3.2), plus 1: 0x101 is full; 0: not told */
} rsp_track;

typedef struct rsp_chapter {
  int64_t id;
  int64_t start, end; /* nanoseconds */
  const char *title;
  const char *RSP_NULLABLE language;
} rsp_chapter;

/* What kind of value a tag has: the lowest 8 bits of rsp_tag.kind.  The value is text in any case, of data two
   hexadecimal digits a byte.  The bits above are 0, or one more than the code of the well-known type as which
   QuickTime metadata has it (QuickTime File Format, "Well-known types"). */
enum { RSP_TAG_TEXT = 0, RSP_TAG_INTEGER = 1, RSP_TAG_REAL = 2, RSP_TAG_DATA = 3 };
enum { RSP_TAG_TYPE_SHIFT = 8 };

/* A tag as the container has it: where it stands and by what name. */
typedef struct rsp_tag {
  int32_t track;         /* index into rsp_media.tracks, -1: of the whole file */
  uint32_t kind;         /* RSP_TAG_, and the well-known type */
  const char *key_space; /* of what the key is one, such as "itsk" */
  const char *key;       /* as the container spells it */
  const char *name;      /* as FFmpeg spells it, "" where it has no name for it */
  const char *value;
  const char *RSP_NULLABLE language; /* BCP 47 or ISO 639-2 */
} rsp_tag;

/* That a track refers to another one (ISO/IEC 14496-12 8.3.3). */
typedef struct rsp_reference {
  uint32_t track;   /* index into rsp_media.tracks: the one that refers */
  uint32_t type;    /* four characters such as "chap", the first in the lowest byte */
  int64_t track_id; /* the file's own number for the other, which need not be there */
} rsp_reference;

/* rsp_media.facts; bits may be combined. */
enum {
  RSP_MEDIA_CAN_CONTAIN_FRAGMENTS = 1, /* a movie that fragments may extend (ISO/IEC 14496-12 8.8.1) */
  RSP_MEDIA_CONTAINS_FRAGMENTS = 2,
  RSP_MEDIA_HAS_RATE = 4,              /* `rate` is told */
  RSP_MEDIA_HAS_VOLUME = 8             /* `volume` is told */
};

/* A file: what the demuxer found in it, or what the muxer is to write into it. */
typedef struct rsp_media {
  uint32_t struct_size;
  uint32_t track_count;
  const rsp_track *RSP_NULLABLE const *RSP_NULLABLE tracks;
  const rsp_text *RSP_NULLABLE metadata;
  const rsp_chapter *RSP_NULLABLE chapters;
  uint32_t metadata_count;
  uint32_t chapter_count;
  const char *format; /* the container as FFmpeg spells it, such as "mov,mp4,m4a,3gp,3g2,mj2" */
  int64_t duration;   /* nanoseconds, RSP_NO_TIME unknown */
  int64_t bit_rate;
  const char *RSP_NULLABLE warning; /* what is odd about the file and was worked round; NULL nothing */
  /* Where the tags stand; NULL where the plugin does not tell.  `metadata` has them too.  A muxer gets those
     that are to be written as they are asked for, and may go by `metadata` alone. */
  const rsp_tag *RSP_NULLABLE tags;
  uint32_t tag_count;
  uint32_t reserved;
  /* Demuxers: which tracks refer to which, in the order of the file. */
  const rsp_reference *RSP_NULLABLE references;
  uint32_t reference_count;
  uint32_t facts; /* RSP_MEDIA_ */
  double rate;    /* how fast it is meant to be played, 1 normal */
  double volume;  /* how loud, 1 full */
} rsp_media;

/* rsp_packet.flags */
enum {
  RSP_PACKET_KEY = 1,           /* decoding can start here */
  RSP_PACKET_DISCARD = 2,       /* needed to decode others, not shown itself */
  RSP_PACKET_DISCONTINUITY = 4, /* drain and reset the decoder before this packet */
  RSP_PACKET_CORRUPT = 8,       /* known to be damaged */
  /* To a muxer that has an option `segments`, and only where it is set: with this packet a segment starts.
     When the call returns, all that was written before is in the sink, and nothing of this packet. */
  RSP_PACKET_STARTS_SEGMENT = 16,
  /* To a muxer with RSP_FACTORY_JOINS_PIECES: the first packet of the next of the track's pieces.  Its times
     may lie before those of the packets before it, and it has no bytes where the piece has no media.  The
     track's `edits` have an entry for each piece, in order: what of a piece lies outside of its edit is
     decoded and not shown. */
  RSP_PACKET_STARTS_PIECE = 32,
  /* To a muxer of RSP_FACTORY_WRITES_REFERENCES: the media lies in another file, which the output is to
     refer to.  `buffer` says where: offset and length in that file, each a signed number of 64 bits, big
     end first, then its path without a zero, from the folder of the output unless it begins with a slash. */
  RSP_PACKET_REFERENCE = 64
};

/* One packet of one track.  Times are on the presentation time line, where 0 is the start of the
   movie, with edit lists applied; packets before 0 are decoded and not shown.
   The payload is either in `buffer`, or, where buffer.data is NULL, the range
   [range_offset, range_offset + range_length) of the source: the host reads it when it needs it. */
typedef struct rsp_packet {
  uint32_t struct_size;
  uint32_t track;           /* index into rsp_media.tracks */
  int64_t pts, dts;         /* RSP_NO_TIME unknown */
  int64_t duration;         /* 0 unknown */
  uint32_t flags;           /* RSP_PACKET_ */
  uint32_t side_data_size;
  int64_t trim_start;       /* sound: units of the time base to drop from the front of what it decodes to */
  int64_t trim_end;         /* ... and from its end */
  rsp_buffer buffer;
  int64_t range_offset;
  int64_t range_length;
  const uint8_t *RSP_NULLABLE side_data; /* BlockAdditions and the like; lent for the call.  The bytes
                                            are those of Matroska's BlockAdditional with BlockAddID 1 */
  uint32_t format;          /* how it is coded: 0 as its track, n as further_formats[n - 1] of it */
  uint32_t reserved;
} rsp_packet;

/* rsp_frame.flags */
enum {
  RSP_FRAME_KEY = 1,
  RSP_FRAME_CORRUPT = 2,
  RSP_FRAME_INTERLACED = 4,
  RSP_FRAME_TOP_FIELD_FIRST = 8,
  RSP_FRAME_MUST_BE_KEY = 16    /* to an encoder: decoding has to be able to start with this picture */
};

#define RSP_MAX_PLANES 8
#define RSP_MAX_CHANNELS 64

/* One decoded picture or one block of sound.
   Video: plane[] and stride[] in the layout of `format`; stride may be negative.
   Sound: interleaved formats use plane[0]; planar formats have one channel to a plane: up to
   RSP_MAX_PLANES of them in plane[], and where there are more channels, channel c starts at
   plane[0] + c * stride[0]. */
typedef struct rsp_frame {
  uint32_t struct_size;
  uint32_t kind;
  int64_t pts;              /* time base of the track; RSP_NO_TIME unknown */
  int64_t duration;         /* 0 unknown */
  uint32_t flags;           /* RSP_FRAME_ */
  uint32_t format;          /* rsp_pixel_format or rsp_sample_format */
  uint32_t width, height;
  rsp_rational sample_aspect;
  rsp_color color;
  uint32_t sample_rate;
  uint32_t channels;
  uint64_t channel_mask;
  uint32_t sample_count;    /* of each channel */
  uint32_t plane_count;
  uint8_t *RSP_NULLABLE plane[RSP_MAX_PLANES];
  ptrdiff_t stride[RSP_MAX_PLANES];
  rsp_buffer buffer;        /* one owner for all planes */
} rsp_frame;

RSP_NONNULL_END
RSP_C_END
#endif
