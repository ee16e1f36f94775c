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
  uint32_t initial_padding;     /* encoder delay in samples: the first packets start that much below 0 */
  uint32_t seek_preroll;        /* samples to decode before a position to be exact there */
} rsp_track;

typedef struct rsp_chapter {
  int64_t id;
  int64_t start, end; /* nanoseconds */
  const char *title;
  const char *RSP_NULLABLE language;
} rsp_chapter;

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
} rsp_media;

/* rsp_packet.flags */
enum {
  RSP_PACKET_KEY = 1,           /* decoding can start here */
  RSP_PACKET_DISCARD = 2,       /* needed to decode others, not shown itself */
  RSP_PACKET_DISCONTINUITY = 4, /* drain and reset the decoder before this packet */
  RSP_PACKET_CORRUPT = 8        /* known to be damaged */
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
} rsp_packet;

/* rsp_frame.flags */
enum {
  RSP_FRAME_KEY = 1,
  RSP_FRAME_CORRUPT = 2,
  RSP_FRAME_INTERLACED = 4,
  RSP_FRAME_TOP_FIELD_FIRST = 8
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
