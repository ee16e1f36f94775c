/* What every factory states about itself, so that the host can choose, list and check without
   opening anything. */
#ifndef RESPOOL_FACTORY_H
#define RESPOOL_FACTORY_H

#include "host.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

enum {
  RSP_FACTORY_DEMUXER = 1,
  RSP_FACTORY_DECODER = 2,
  RSP_FACTORY_ENCODER = 3,
  RSP_FACTORY_MUXER = 4
};

/* Who goes first when several can do a job: the lowest number.  Equal tiers: by name. */
enum { RSP_TIER_PREFERRED = 0, RSP_TIER_STANDARD = 1, RSP_TIER_FALLBACK = 2 };

enum {
  RSP_OPTION_BOOL = 1,   /* "true" or "false" */
  RSP_OPTION_INT = 2,    /* whole number within minimum ... maximum */
  RSP_OPTION_NUMBER = 3, /* number within minimum ... maximum, decimal point "." */
  RSP_OPTION_CHOICE = 4, /* one of choices */
  RSP_OPTION_TEXT = 5    /* any text; the factory checks it when it opens */
};

/* One option: what a preset may set and `respool plugins show` prints. */
typedef struct RSP_SENDABLE rsp_option {
  uint32_t struct_size;
  uint32_t type;             /* RSP_OPTION_ */
  const char *name;          /* lower case, words joined by "-" */
  const char *help;          /* one line */
  const char *RSP_NULLABLE default_value; /* NULL: unset */
  double minimum, maximum;   /* numbers; both inclusive */
  const char *RSP_NULLABLE const *RSP_NULLABLE choices; /* ended by NULL */
} rsp_option;

/* Bytes by which a file may be known.  `mask` NULL: all bits count. */
typedef struct RSP_SENDABLE rsp_magic {
  uint32_t offset;
  uint32_t length;
  const uint8_t *bytes;
  const uint8_t *RSP_NULLABLE mask;
} rsp_magic;

/* rsp_factory.flags */
enum {
  RSP_FACTORY_THREADS_CHANGE_OUTPUT = 1, /* encoder: the number of threads changes the bytes it makes, so
                                            the host gives a number that does not depend on the machine */
  RSP_FACTORY_ANY_CODEC = 2,             /* `codecs` is not exhaustive: ask `supports` */
  RSP_FACTORY_VARIABLE_FRAME_SIZE = 4,   /* audio encoder: takes any number of samples in a frame; else
                                            the host cuts frames of track.frame_size */
  RSP_FACTORY_KEEPS_ROTATION = 8,        /* muxer: writes rsp_track.display_matrix */
  RSP_FACTORY_KEEPS_CHAPTERS = 16,       /* muxer: writes chapters */
  RSP_FACTORY_VARIABLE_FRAME_RATE = 32,  /* muxer: any time between two pictures */
  RSP_FACTORY_NEEDS_BYTES = 64,          /* muxer: the host reads ranges, so that every packet has bytes */
  RSP_FACTORY_HIDES_PICTURES = 128,      /* muxer: pictures of packets to be discarded are not shown */
  RSP_FACTORY_KEEPS_TYPED_TAGS = 256,    /* muxer: writes tags of the key space "mdta" as they are, each
                                            as a value of its type */
  RSP_FACTORY_JOINS_PIECES = 512,        /* muxer: takes packets with RSP_PACKET_STARTS_PIECE */
  RSP_FACTORY_WRITES_REFERENCES = 1024,  /* muxer: takes packets of RSP_PACKET_REFERENCE */
  RSP_FACTORY_KEEPS_FORMATS = 2048       /* muxer: takes tracks with `further_formats`, of which some may be
                                            told only when it is finished, after packets of theirs */
};

/* The head of every factory.  Immutable, lives until the process ends, readable from any thread.
   Lists of names are ended by NULL; a NULL list is empty. */
typedef struct RSP_SENDABLE rsp_factory {
  uint32_t struct_size;      /* of the whole factory struct that starts with this head */
  uint32_t kind;             /* RSP_FACTORY_ */
  uint32_t tier;             /* RSP_TIER_ */
  uint32_t flags;
  const char *name;          /* demuxers and muxers: the container; codecs: the implementation ("x264") */
  const char *long_name;     /* one line for people */
  const char *RSP_NULLABLE const *RSP_NULLABLE aliases;    /* other names, FFmpeg's among them */
  const char *RSP_NULLABLE const *RSP_NULLABLE extensions; /* "mp4", without the dot; the first is the usual one */
  const char *RSP_NULLABLE const *RSP_NULLABLE mime_types;
  const char *RSP_NULLABLE const *RSP_NULLABLE codecs;     /* which codecs it decodes, encodes or carries */
  const rsp_magic *RSP_NULLABLE magics;
  uint32_t magic_count;
  uint32_t option_count;
  const rsp_option *RSP_NULLABLE options;
  /* Encoders: what they take, in order of preference, ended by 0; NULL: anything. */
  const uint32_t *RSP_NULLABLE pixel_formats;
  const uint32_t *RSP_NULLABLE sample_formats;
  const uint32_t *RSP_NULLABLE sample_rates;
  const uint64_t *RSP_NULLABLE channel_masks;
  uint32_t minimum_channels, maximum_channels; /* 0: no bound stated */
  void *RSP_NULLABLE context;                  /* the factory's own */
  /* An extension of this factory or NULL.  Any thread. */
  const void *RSP_NULLABLE (*RSP_NULLABLE extension)(const struct rsp_factory *factory, const char *id);
} rsp_factory;

/* Options for open(): checked by the host against the schema before the call. */
typedef struct rsp_options {
  uint32_t count;
  uint32_t reserved;
  const rsp_text *RSP_NULLABLE values;
} rsp_options;

RSP_NONNULL_END
RSP_C_END
#endif
