/* Description of a file (tracks, chapters, metadata), and its packets and frames.  The same structs describe the
   output of a demuxer, the input of a decoder, the input and output of an encoder and the input of a muxer.
   Pointers are owned by the side that filled in the struct.  They are valid as long as the function that passes the
   struct states: during the call for an argument. */
#ifndef RESPOOL_MEDIA_H
#define RESPOOL_MEDIA_H

#include "base.h"
#include "formats.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* rsp_track.kind; rsp_frame.kind is RSP_KIND_VIDEO or RSP_KIND_AUDIO. */
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
  RSP_DISPOSITION_ATTACHED_PICTURE = 4, /* a cover: one packet, shown beside the media, not as part of it */
  RSP_DISPOSITION_COMMENTARY = 8,
  RSP_DISPOSITION_HEARING_IMPAIRED = 16,
  RSP_DISPOSITION_VISUAL_IMPAIRED = 32,
  RSP_DISPOSITION_ORIGINAL = 64,
  RSP_DISPOSITION_STILL_IMAGE = 128,    /* a still image, not video */
  RSP_DISPOSITION_DISABLED = 256        /* presented only on request */
};

/* rsp_track.field_order: order of the fields of interlaced video */
enum {
  RSP_FIELD_UNKNOWN = 0,
  RSP_FIELD_PROGRESSIVE = 1,
  RSP_FIELD_TOP_FIRST = 2,
  RSP_FIELD_BOTTOM_FIRST = 3
};

/* Color as code points of ISO/IEC 23091-2 (ITU-T H.273).  2: unspecified. */
typedef struct rsp_color {
  uint8_t primaries;
  uint8_t transfer;
  uint8_t matrix;
  uint8_t range;           /* 0 unspecified, 1 limited, 2 full */
  uint8_t chroma_location; /* 0 unspecified, 1 left, 2 center, 3 top-left, 4 top, 5 bottom-left, 6 bottom */
  uint8_t reserved[3];
} rsp_color;

/* Bytes that belong to a file, a track, a packet or a frame and have no field of their own.  Since 1.2.
   If ISO/IEC 14496-12 or -15, or a specification that extends them, defines a box for the data, `type` is the code
   of the box and the bytes are its body.  The body of a full box begins with its version and flags.  A stage that
   does not know a type passes it on unchanged.  Lists are arrays of pointers, so that the struct can grow. */
typedef struct RSP_STRUCT(rsp_side_data) {
  uint32_t struct_size;
  uint32_t type;       /* four characters, such as "mdcv", the first in the lowest byte */
  const uint8_t *data; /* `size` bytes; not NULL */
  size_t size;         /* bytes */
  RSP_GROWTH
} rsp_side_data;

/* The code of four characters, for rsp_side_data.type. */
#define RSP_SIDE_DATA_TYPE(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* One entry of a track's edit list, in order of presentation (ISO/IEC 14496-12 8.6.6).  All times are in the time
   base of the track.  Times of packets already have edits applied. */
typedef struct RSP_STRUCT(rsp_edit) {
  int64_t presentation_start; /* time on the presentation timeline */
  int64_t duration;           /* duration on the presentation timeline */
  int64_t media_start;        /* media time; RSP_NO_TIME: an empty edit */
  double rate;                /* 1: normal speed */
  RSP_GROWTH
} rsp_edit;

/* One track.  0 means unknown, unless the comment of a field states otherwise.  NULL: no entries, or unknown. */
typedef struct RSP_STRUCT(rsp_track_1_4) {
  uint32_t struct_size;
  uint32_t kind;                /* RSP_KIND_ */
  int64_t id;                   /* the file's own number for the track; index + 1 if it has none */
  const char *codec;            /* FFmpeg's name: "h264", "aac", "pcm_s16le"; "": unknown; not NULL */
  uint32_t codec_tag;           /* the container's code, first character in the lowest byte; 0: none */
  uint32_t disposition;         /* RSP_DISPOSITION_ */
  const uint8_t *RSP_NULLABLE extradata; /* the configuration record, in the form FFmpeg calls extradata:
                                            avcC, hvcC, av1C, vpcC body, AudioSpecificConfig, OpusHead,
                                            FLAC STREAMINFO, the three Vorbis headers with Xiph lacing */
  size_t extradata_size;        /* bytes */
  rsp_rational time_base;       /* unit of every time of this track, in seconds */
  int64_t start;                /* presentation time of the first shown sample; RSP_NO_TIME: unknown */
  int64_t duration;             /* duration that is shown; RSP_NO_TIME: unknown */
  int64_t packet_count;         /* RSP_UNKNOWN: unknown */
  int64_t bit_rate;             /* bits per second */
  const char *RSP_NULLABLE language; /* BCP 47 or ISO 639-2, as stored in the file; NULL: not stored */
  const rsp_text *RSP_NULLABLE metadata; /* `metadata_count` tags of the track */
  const rsp_edit *RSP_NULLABLE edits;    /* `edit_count` entries of the edit list */
  uint32_t metadata_count;
  uint32_t edit_count;

  /* video */
  uint32_t width, height;       /* pixels of the coded frame, after the codec's cropping, before display_matrix */
  rsp_rational sample_aspect;   /* pixel aspect ratio; 0/1: unknown */
  rsp_rational frame_rate;      /* average, in frames per second */
  rsp_rational base_frame_rate; /* lowest frame rate with which every time can be represented exactly */
  rsp_pixel_format pixel_format; /* RSP_PIXEL_NONE: unknown */
  uint32_t field_order;         /* RSP_FIELD_ */
  rsp_color color;
  int32_t display_matrix[9];    /* ISO/IEC 14496-12 8.3.2: a b u c d v x y w; all 0: identity */
  uint32_t reorder_depth;       /* number of frames that the codec may hold back for reordering; encoders set it */
  int32_t profile, level;       /* as the codec numbers them; -1: unknown */

  /* audio */
  uint32_t sample_rate;         /* Hz: audio samples per second of each channel */
  uint32_t channels;
  uint64_t channel_mask;        /* one bit per channel, as in WAVE_FORMAT_EXTENSIBLE; 0: loudspeakers unknown */
  rsp_sample_format sample_format; /* RSP_SAMPLE_NONE: unknown */
  uint32_t bits_per_sample;     /* coded bits per audio sample; 0 if this has no meaning for the codec */
  uint32_t frame_size;          /* audio samples per packet if all packets have the same number, else 0 */
  uint32_t block_align;         /* bytes of a block: in PCM, one audio sample of every channel */
  uint32_t initial_padding;     /* encoder delay in audio samples: the first packets start that much below 0;
                                   video: number of frames that are hidden before the first shown frame */
  uint32_t seek_preroll;        /* number of audio samples to decode before a position so that it is exact there */

  /* Additional sample descriptions, in file order; the first sample description is the track itself.  Only the
     codec, the configuration record and the fields derived from them are used.  Times, edits and tags are those of
     the track.  rsp_packet.format selects the sample description of a packet.  The host opens a decoder for each.
     Muxers without RSP_FACTORY_KEEPS_FORMATS get no such track.  NULL: none. */
  const struct RSP_STRUCT(rsp_track_1_4) *RSP_NULLABLE const *RSP_NULLABLE further_formats; /* since 1.1 */
  uint32_t further_format_count;                                            /* since 1.1 */
  uint32_t volume;              /* preferred volume: the 8.8 fixed-point value of 'tkhd' (ISO/IEC 14496-12 8.3.2)
                                   plus 1; 0x101: full volume; 0: not stored; since 1.1 */
  /* Side data of the whole track, such as mastering display, light levels and Dolby Vision configuration.
     Since 1.2. */
  const rsp_side_data *RSP_NULLABLE const *RSP_NULLABLE side_data;
  uint32_t side_data_count; /* since 1.2 */
  uint32_t edit_size;       /* distance of two elements of `edits` in bytes; since 1.4, 0 before */
  uint32_t metadata_size;   /* distance of two elements of `metadata` in bytes; since 1.4 */
  uint32_t reserved_2;
  RSP_GROWTH
} rsp_track;

/* A chapter: a time range with a title. */
typedef struct RSP_STRUCT(rsp_chapter) {
  int64_t id;
  int64_t start, end; /* nanoseconds */
  const char *title;
  const char *RSP_NULLABLE language; /* NULL: not stored */
  RSP_GROWTH
} rsp_chapter;

/* Type of a tag's value, in the lowest 8 bits of rsp_tag.kind.  rsp_tag.value is always its text form; RSP_TAG_DATA
   has two hexadecimal digits per byte.  The bits from RSP_TAG_TYPE_SHIFT on are one more than the code of the data
   type with which QuickTime metadata stores the value (QuickTime File Format, "Well-known types").  0: the muxer
   chooses a data type. */
enum { RSP_TAG_TEXT = 0, RSP_TAG_INTEGER = 1, RSP_TAG_REAL = 2, RSP_TAG_DATA = 3 };
enum { RSP_TAG_TYPE_SHIFT = 8 };

/* A tag as the container stores it, with its key space and key. */
typedef struct RSP_STRUCT(rsp_tag) {
  int32_t track;         /* index into rsp_media.tracks; -1: the whole file */
  uint32_t kind;         /* RSP_TAG_ and the data type */
  const char *key_space; /* "itsk", "mdta", "udta", "org.id3" and others */
  const char *key;       /* as the container spells it */
  const char *name;      /* FFmpeg's name for the key; "": none */
  const char *value;     /* text form */
  const char *RSP_NULLABLE language; /* BCP 47 or ISO 639-2; NULL: not stored */
  RSP_GROWTH
} rsp_tag;

/* A reference from one track to another (ISO/IEC 14496-12 8.3.3). */
typedef struct RSP_STRUCT(rsp_reference) {
  uint32_t track;   /* index of the referring track in rsp_media.tracks */
  uint32_t type;    /* four characters, such as "chap", the first in the lowest byte */
  int64_t track_id; /* the file's own number for the other track, which may be missing */
  RSP_GROWTH
} rsp_reference;

/* rsp_media.facts; bits may be combined. */
enum {
  RSP_MEDIA_CAN_CONTAIN_FRAGMENTS = 1, /* fragments may extend the movie (ISO/IEC 14496-12 8.8.1) */
  RSP_MEDIA_CONTAINS_FRAGMENTS = 2,
  RSP_MEDIA_HAS_RATE = 4,              /* `rate` is set */
  RSP_MEDIA_HAS_VOLUME = 8,            /* `volume` is set */
  /* Demuxers: the source is shorter than its header declares, because it was cut off or is still being copied.
     `warning` names both lengths.  Since 1.2. */
  RSP_MEDIA_ENDS_EARLY = 16,
  /* Demuxers: `duration` is stored in the header, not estimated or measured.  Since 1.2. */
  RSP_MEDIA_DECLARES_DURATION = 32
};

/* Description of a file, as read by a demuxer or to be written by a muxer. */
typedef struct RSP_STRUCT(rsp_media_1_4) {
  uint32_t struct_size;
  uint32_t track_count;
  const rsp_track *RSP_NULLABLE const *RSP_NULLABLE tracks; /* `track_count` pointers; NULL: none */
  const rsp_text *RSP_NULLABLE metadata;    /* `metadata_count` tags of the file; NULL: none */
  const rsp_chapter *RSP_NULLABLE chapters; /* `chapter_count` chapters; NULL: none */
  uint32_t metadata_count;
  uint32_t chapter_count;
  const char *format; /* FFmpeg's name for the container, such as "mov,mp4,m4a,3gp,3g2,mj2" */
  int64_t duration;   /* nanoseconds; RSP_NO_TIME: unknown */
  int64_t bit_rate;   /* bits per second; 0: unknown */
  /* Irregularity of the file that the demuxer worked around; NULL: none. */
  const char *RSP_NULLABLE warning;
  /* Tags with their keys in the container; NULL: not reported.  `metadata` has their values under FFmpeg's names.  A
     muxer gets the tags that were requested with their keys, and may use `metadata` alone. */
  const rsp_tag *RSP_NULLABLE tags; /* this field and the next six: not in the first release of 1.0 */
  uint32_t tag_count;
  uint32_t tag_size; /* distance of two elements of `tags` in bytes; since 1.4, 0 before */
  /* Demuxers: references between tracks, in file order; NULL: none. */
  const rsp_reference *RSP_NULLABLE references;
  uint32_t reference_count;
  uint32_t facts; /* RSP_MEDIA_ */
  double rate;    /* preferred playback rate; 1: normal speed; only with RSP_MEDIA_HAS_RATE */
  double volume;  /* preferred volume; 1: full volume; only with RSP_MEDIA_HAS_VOLUME */
  /* Side data of the whole file; NULL: none.  Since 1.2. */
  const rsp_side_data *RSP_NULLABLE const *RSP_NULLABLE side_data;
  uint32_t side_data_count; /* since 1.2 */
  /* Distance of two elements of `references`, `metadata` and `chapters` in bytes.  Since 1.4, 0 before. */
  uint32_t reference_size;
  uint32_t metadata_size;
  uint32_t chapter_size;
  RSP_GROWTH
} rsp_media;

/* rsp_packet.flags; bits may be combined. */
enum {
  RSP_PACKET_KEY = 1,           /* a sync sample: decoding can start here */
  RSP_PACKET_DISCARD = 2,       /* needed to decode other packets, but not shown itself */
  RSP_PACKET_DISCONTINUITY = 4, /* drain and reset the decoder before this packet */
  RSP_PACKET_CORRUPT = 8,       /* known to be damaged */
  /* For a muxer with rsp_muxing_settings.segments: the packet starts a segment.  When write returns, the sink has all
     packets before this one and nothing of this one. */
  RSP_PACKET_STARTS_SEGMENT = 16,
  /* For a muxer with RSP_FACTORY_JOINS_PIECES: the packet is the first of the track's next clip.  Its times may be
     before those of the preceding packets.  It has no bytes if the clip has no media.  The track's `edits` have one
     entry per clip, in order.  Media of a clip outside its edit is decoded but not shown. */
  RSP_PACKET_STARTS_PIECE = 32,
  /* For a muxer with RSP_FACTORY_WRITES_REFERENCES: the media is in another file, to which the output refers.
     `buffer` has the offset and the length of the media in that file, in bytes, as two signed big-endian 64-bit
     numbers.  The path follows, without a zero byte.  It is relative to the folder of the output unless it begins
     with "/". */
  RSP_PACKET_REFERENCE = 64
};

/* One packet of one track.  Times are in the time base of the track, on the presentation timeline: 0 is the start of
   the movie, and edit lists are applied.  Media before 0 is decoded but not shown.
   The payload is in `buffer`.  If buffer.data is NULL, it is the range [range_offset, range_offset + range_length)
   of the source, which the host reads or copies when it needs it.  Packets for a decoder and from an encoder always
   have a `buffer`. */
typedef struct RSP_STRUCT(rsp_packet) {
  uint32_t struct_size;
  uint32_t track;           /* index into rsp_media.tracks */
  int64_t pts, dts;         /* presentation and decoding time; RSP_NO_TIME: unknown */
  int64_t duration;         /* 0: unknown; audio: including trim_start and trim_end */
  uint32_t flags;           /* RSP_PACKET_ */
  uint32_t side_data_size;  /* bytes */
  int64_t trim_start;       /* audio: duration to drop from the start of the decoded packet */
  int64_t trim_end;         /* audio: duration to drop from the end of the decoded packet; with trim_start, at most
                               `duration` if that is known */
  rsp_buffer buffer;
  int64_t range_offset;     /* bytes from the start of the source */
  int64_t range_length;     /* bytes */
  /* Matroska's BlockAdditional with BlockAddID 1, such as the alpha plane of VP8 and VP9; NULL: none.  Lent for the
     call; in a returned packet, valid until the next call on the object that returned it. */
  const uint8_t *RSP_NULLABLE side_data;
  uint32_t format;          /* sample description: 0: the track itself, n: its further_formats[n - 1]; since 1.1 */
  uint32_t record_count;    /* since 1.2, 0 before */
  /* Side data of this packet that the container stores beside the payload, such as HDR10+ metadata; NULL: none.
     Valid as long as side_data.  Since 1.2. */
  const rsp_side_data *RSP_NULLABLE const *RSP_NULLABLE records;
  RSP_GROWTH
} rsp_packet;

/* rsp_frame.flags; bits may be combined. */
enum {
  RSP_FRAME_KEY = 1,            /* a key frame */
  RSP_FRAME_CORRUPT = 2,        /* known to be damaged */
  RSP_FRAME_INTERLACED = 4,
  RSP_FRAME_TOP_FIELD_FIRST = 8, /* only with RSP_FRAME_INTERLACED; without it, the bottom field is first */
  RSP_FRAME_MUST_BE_KEY = 16    /* for an encoder: decoding must be able to start with this frame */
};

#define RSP_MAX_PLANES 8
#define RSP_MAX_CHANNELS 64

/* One decoded video frame or one block of audio.
   Video: plane[] and stride[] are in the layout of `format`.
   Audio: interleaved formats use plane[0].  Planar formats have one plane per channel: up to RSP_MAX_PLANES channels
   are in plane[].  If there are more channels, channel c starts at plane[0] + c * stride[0], and stride[0] must be
   positive.
   The host rejects frames with an unknown format or too few planes, a width or height outside 1 to 32,768, a sample
   rate outside 1 to 6,144,000 Hz, more than RSP_MAX_CHANNELS channels, or more than 115,200,000 audio samples. */
typedef struct RSP_STRUCT(rsp_frame) {
  uint32_t struct_size;
  uint32_t kind;            /* RSP_KIND_VIDEO or RSP_KIND_AUDIO */
  int64_t pts;              /* in the time base of the track; RSP_NO_TIME: unknown */
  int64_t duration;         /* in the time base of the track; 0: unknown */
  uint32_t flags;           /* RSP_FRAME_ */
  uint32_t format;          /* rsp_pixel_format or rsp_sample_format */
  uint32_t width, height;   /* video: pixels */
  rsp_rational sample_aspect; /* video: pixel aspect ratio; 0/1: unknown */
  rsp_color color;          /* video */
  uint32_t sample_rate;     /* audio: Hz */
  uint32_t channels;        /* audio */
  uint64_t channel_mask;    /* audio: as rsp_track.channel_mask */
  uint32_t sample_count;    /* audio: audio samples of each channel */
  uint32_t plane_count;     /* number of planes, also of those beyond plane[] */
  uint8_t *RSP_NULLABLE plane[RSP_MAX_PLANES]; /* first byte of the first row, or of the audio samples */
  ptrdiff_t stride[RSP_MAX_PLANES]; /* bytes from one row to the next, may be negative; audio: bytes of a plane */
  rsp_buffer buffer;        /* owner of all planes; `data` and `owner` must not be NULL */
  /* Side data of this frame: HDR10+, Dolby Vision RPU, A/53 captions, timecode; NULL: none.  Lent for the call; from
     a decoder, valid until the next call on the decoder.  Since 1.2. */
  const rsp_side_data *RSP_NULLABLE const *RSP_NULLABLE side_data;
  uint32_t side_data_count; /* since 1.2 */
  uint32_t reserved;
  RSP_GROWTH
} rsp_frame;

RSP_NONNULL_END
RSP_C_END
#endif
