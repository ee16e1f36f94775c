/* Description of a factory, which suffices to choose, list and check it without opening anything. */
#ifndef RESPOOL_FACTORY_H
#define RESPOOL_FACTORY_H

#include "host.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* rsp_factory.kind */
enum {
  RSP_FACTORY_DEMUXER = 1,
  RSP_FACTORY_DECODER = 2,
  RSP_FACTORY_ENCODER = 3,
  RSP_FACTORY_MUXER = 4,
  RSP_FACTORY_FILTER = 5 /* since 1.5 */
};

/* rsp_factory.tier: order of preference if several factories can do a job.  The lowest number comes first; factories
   of equal tiers are ordered by name. */
enum { RSP_TIER_PREFERRED = 0, RSP_TIER_STANDARD = 1, RSP_TIER_FALLBACK = 2 };

/* rsp_option.type */
enum {
  RSP_OPTION_BOOL = 1,   /* "true" or "false" */
  RSP_OPTION_INT = 2,    /* whole number from minimum to maximum */
  RSP_OPTION_NUMBER = 3, /* number from minimum to maximum, with "." as decimal point */
  RSP_OPTION_CHOICE = 4, /* one of `choices` */
  RSP_OPTION_TEXT = 5    /* any text; the factory checks it when it opens */
};

/* One option, which a preset may set and `respool plugins show` prints.  Immutable, lives until the process ends.
   struct_size is the same in all options of a factory.  The host ignores an option with an unknown type, and a number
   whose minimum is greater than its maximum. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_option) {
  uint32_t struct_size;
  uint32_t type;             /* RSP_OPTION_ */
  const char *name;          /* lower case, words joined by "-"; unique in the factory */
  const char *help;          /* one line for users */
  const char *RSP_NULLABLE default_value; /* NULL: unset by default */
  double minimum, maximum;   /* INT and NUMBER: bounds, both inclusive */
  const char *RSP_NULLABLE const *RSP_NULLABLE choices; /* CHOICE: the values, ended by NULL */
  RSP_GROWTH
} rsp_option;

/* A signature: bytes at an offset that identify a file format. */
typedef struct RSP_SENDABLE rsp_magic {
  uint32_t offset;                  /* bytes from the start of the file */
  uint32_t length;                  /* 1 to 1024 bytes */
  const uint8_t *bytes;             /* `length` bytes */
  const uint8_t *RSP_NULLABLE mask; /* bits to compare, `length` bytes; NULL: all bits */
} rsp_magic;

/* rsp_factory.flags; bits may be combined. */
enum {
  RSP_FACTORY_THREADS_CHANGE_OUTPUT = 1, /* encoder, filter: the number of threads changes the output; the host
                                            chooses a number that does not depend on the machine */
  RSP_FACTORY_ANY_CODEC = 2,             /* `codecs` is not exhaustive; decoder: the host calls `supports` */
  RSP_FACTORY_VARIABLE_FRAME_SIZE = 4,   /* audio encoder: takes frames of any number of audio samples; without
                                            it the host cuts frames of track.frame_size */
  RSP_FACTORY_KEEPS_ROTATION = 8,        /* muxer: writes rsp_track.display_matrix */
  RSP_FACTORY_KEEPS_CHAPTERS = 16,       /* muxer: writes chapters */
  RSP_FACTORY_VARIABLE_FRAME_RATE = 32,  /* muxer: allows any time between two frames */
  RSP_FACTORY_NEEDS_BYTES = 64,          /* muxer: needs every packet as bytes; the host reads ranges for it */
  RSP_FACTORY_HIDES_PICTURES = 128,      /* muxer: players do not show frames of packets with RSP_PACKET_DISCARD */
  RSP_FACTORY_KEEPS_TYPED_TAGS = 256,    /* muxer: writes tags of the key space "mdta" unchanged, each with
                                            its data type */
  RSP_FACTORY_JOINS_PIECES = 512,        /* muxer: takes packets with RSP_PACKET_STARTS_PIECE */
  RSP_FACTORY_WRITES_REFERENCES = 1024,  /* muxer: takes packets with RSP_PACKET_REFERENCE */
  RSP_FACTORY_KEEPS_FORMATS = 2048,      /* muxer: takes tracks with `further_formats`; some of them may be
                                            known only at finish, after packets that use them */
  RSP_FACTORY_KEEPS_CAPTIONS = 4096,     /* video encoder: writes closed captions of frames (side data `it35` of
                                            ATSC A/53 part 4, 6.2.3.1); without it the host reports them as lost */
  /* Since 1.3. */
  RSP_FACTORY_EXACT_END = 8192,          /* demuxer: extension RSP_DEMUXING with RSP_TIMING_EXACT_END */
  RSP_FACTORY_SHOWN_START = 16384,       /* demuxer: extension RSP_DEMUXING with RSP_TIMING_SHOWN_START */
  RSP_FACTORY_SHOWN_TIMES = 32768,       /* demuxer: extension RSP_DEMUXING with RSP_TIMING_SHOWN_TIMES */
  RSP_FACTORY_LOW_DELAY = 65536,         /* encoder: obeys RSP_ENCODING_LOW_DELAY */
  RSP_FACTORY_TWO_PASSES = 131072,       /* encoder: obeys RSP_ENCODING_FIRST_PASS, and takes the statistics */
  RSP_FACTORY_WRITES_SEGMENTS = 262144,  /* muxer: extension RSP_MUXING with rsp_muxing_settings.segments */
  /* Since 1.5. */
  RSP_FACTORY_DROPS_FRAMES = 524288,     /* encoder: options make it leave out frames, for example to hold a bit rate;
                                            without it, the host fails if a frame has no packet */
  RSP_FACTORY_KEEPS_EDIT_RATES = 1048576, /* muxer: writes rsp_edit.rate of a track with one edit of its media, and
                                            takes its packets at their times in the presentation */
  RSP_FACTORY_PRESENTS_DELAY = 4194304,  /* muxer: the file cannot state the delay of an audio encoder and the padding
                                            at the end, so that players present them; the host reports that */
  RSP_FACTORY_WRITES_STILLS = 2097152,   /* muxer: a file is one picture, of a track with RSP_DISPOSITION_STILL_IMAGE */
  RSP_FACTORY_KEEPS_DOLBY_VISION = 8388608, /* video encoder: writes the data of Dolby Vision of frames (side data
                                               "dvru"), if the track has a Dolby Vision configuration */
  /* Of filters. */
  RSP_FACTORY_CHANGES_TIMES = 16777216,  /* filter: changes the number or the times of frames */
  RSP_FACTORY_MEASURES_ONLY = 33554432,  /* filter: only its results matter; the host keeps the frames that it sent
                                            and drops those that it receives */
  /* Since 1.6. */
  RSP_FACTORY_KEEPS_GAPS = 67108864      /* muxer: the file has the time of each packet of PCM, so that there may be
                                            gaps between them; without it, the host fills them with silence */
};

/* The head of every factory.  Immutable, lives until the process ends, readable from any thread.  It never changes,
   because functions follow it: what is new comes as an extension.
   A list of names ends with NULL.  A list that is NULL is empty. */
typedef struct RSP_SENDABLE rsp_factory {
  uint32_t struct_size;      /* of the whole factory struct, which begins with this head */
  uint32_t kind;             /* RSP_FACTORY_DEMUXER to RSP_FACTORY_FILTER */
  uint32_t tier;             /* RSP_TIER_; the host takes other values as RSP_TIER_FALLBACK */
  uint32_t flags;            /* RSP_FACTORY_ of rsp_factory.flags */
  const char *name;          /* demuxers and muxers: the container; codecs: the implementation ("x264"); filters: the
                                name in presets; not "" */
  const char *long_name;     /* one line for users */
  const char *RSP_NULLABLE const *RSP_NULLABLE aliases;    /* other names, including FFmpeg's */
  const char *RSP_NULLABLE const *RSP_NULLABLE extensions; /* "mp4", without the dot; the usual one first */
  const char *RSP_NULLABLE const *RSP_NULLABLE mime_types;
  const char *RSP_NULLABLE const *RSP_NULLABLE codecs;     /* codecs that it decodes, encodes or carries */
  const rsp_magic *RSP_NULLABLE magics;       /* demuxers: signatures; NULL: none */
  uint32_t magic_count;                       /* at most 1024 */
  uint32_t option_count;                      /* at most 4096 */
  const rsp_option *RSP_NULLABLE options;     /* NULL: none */
  /* Encoders and filters: accepted values, in order of preference, ended by 0.  NULL: any.  sample_rates are in Hz,
     channel_masks are those of rsp_track.channel_mask. */
  const uint32_t *RSP_NULLABLE pixel_formats;
  const uint32_t *RSP_NULLABLE sample_formats;
  const uint32_t *RSP_NULLABLE sample_rates;
  const uint64_t *RSP_NULLABLE channel_masks;
  uint32_t minimum_channels, maximum_channels; /* both inclusive; minimum_channels 0: no bounds stated */
  void *RSP_NULLABLE context;                  /* for the plugin; the host does not use it */
  /* Returns the extension named `id`, which lives until the process ends; NULL: none.  Any thread.  A field that is
     NULL: no extensions.  Extensions are RSP_DEMUXING (demuxer.h) and RSP_MUXING (muxer.h), since ABI 1.3, and
     RSP_ENCODING (encoder.h), since 1.5.  The host asks a demuxer only if its flags declare an ability that needs the
     extension, every muxer and every encoder. */
  const void *RSP_NULLABLE (*RSP_NULLABLE extension)(const struct rsp_factory *factory, const char *id);
} rsp_factory;

/* Options for open, lent for the call.  The host has checked them against the schema in rsp_factory.options.  Options
   that are not set are missing: the plugin applies its defaults. */
typedef struct rsp_options {
  uint32_t count;
  uint32_t value_size; /* distance of two elements of `values` in bytes; since 1.4, 0 before */
  const rsp_text *RSP_NULLABLE values; /* `count` entries; NULL: none */
} rsp_options;

RSP_NONNULL_END
RSP_C_END
#endif
