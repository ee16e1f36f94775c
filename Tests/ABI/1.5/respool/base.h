/* Types that every part of the plugin ABI uses: status, error record, buffer, key and value.

   Rules for every struct that begins with struct_size: the side that fills in the struct sets struct_size to the
   size that it was compiled with.  The other side reads and writes no more than that.  If the caller provides
   memory for a result (rsp_error, rsp_packet, rsp_frame), the caller sets struct_size before the call; the callee
   writes no further, and its own sizeof may be greater.  Later minor versions of the ABI add fields at the end;
   sizes.h has the size of each struct in each minor version.  A field says since which minor version it exists;
   without such a note, since 1.0.

   Elements of arrays grow too.  The distance of two elements is a field beside the array, such as
   rsp_media.tag_size, or, if elements have a struct_size, that of the first one.  RSP_AT finds an element.  A side
   that was built with a minor version before 1.4 has no such fields and gets elements of the sizes that it knows.

   A struct that grows after 1.3 has the minor version in its tag, such as rsp_media_1_4: Swift shares the metadata of C
   structs with one tag among all libraries of a process, the size included.  Use the names without a version.

   Never changed are rsp_factory, with which the structs of factories begin, and rsp_buffer, rsp_rational, rsp_color,
   rsp_magic, rsp_options and rsp_muxing_reference.  Fields named `reserved` are 0.  All strings are UTF-8 and end
   with a zero byte. */
#ifndef RESPOOL_BASE_H
#define RESPOOL_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "sizes.h"

#if defined(__clang__)
#define RSP_NULLABLE _Nullable
#define RSP_NONNULL _Nonnull
#define RSP_NONNULL_BEGIN                                             \
  _Pragma("clang diagnostic push")                                    \
  _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")     \
  _Pragma("clang assume_nonnull begin")
#define RSP_NONNULL_END _Pragma("clang assume_nonnull end") _Pragma("clang diagnostic pop")
#else
#define RSP_NULLABLE
#define RSP_NONNULL
#define RSP_NONNULL_BEGIN
#define RSP_NONNULL_END
#endif

/* Marks a struct as immutable shared data for the Swift importer. */
#if defined(__swift__)
#define RSP_SENDABLE __attribute__((swift_attr("@Sendable")))
#else
#define RSP_SENDABLE
#endif

#if defined(__cplusplus)
#define RSP_C_BEGIN extern "C" {
#define RSP_C_END }
#define RSP_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define RSP_C_BEGIN
#define RSP_C_END
#define RSP_EXPORT __attribute__((visibility("default")))
#endif

/* RSP_GROWTH is the place where later versions add fields, and RSP_STRUCT the tag of a struct that they extend.
   RSP_TEST_GROWTH is for tests of this: it makes each of these structs longer, as a version of its own. */
#if defined(RSP_TEST_GROWTH)
#define RSP_STRUCT(tag) tag##_grown
#define RSP_GROWTH \
  uint64_t : 64;   \
  uint64_t : 64;
#else
#define RSP_STRUCT(tag) tag
#define RSP_GROWTH
#endif

/* Returns a pointer to the element `index` of an array of `type` whose elements are `size` bytes apart.  `size` is the
   field beside the array, such as rsp_media.tag_size; 0: the size of ABI 1.0. */
#define RSP_AT(type, array, size, index) \
  ((const type *)((const char *)(array) + (size_t)(index) * ((size) ? (size) : (size_t)type##_size_1_0)))

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* Result of a call.  Zero and above: success.  Below zero: failure, and the rsp_error of the call gives the reason,
   if the call has one.  The host takes a positive status that a function does not document as a failure of the
   plugin. */
typedef int32_t rsp_status;
enum {
  RSP_OK = 0,
  RSP_AGAIN = 1,              /* receive: no output yet, send more; send: not taken, receive first */
  RSP_END = 2,                /* there is no more output */
  RSP_ERROR_IO = -1,          /* the source or the sink failed; the host reports its own error, if it has one */
  RSP_ERROR_MALFORMED = -2,   /* the input breaks its own format */
  RSP_ERROR_UNSUPPORTED = -3, /* the input is well formed, but the plugin does not support it */
  RSP_ERROR_LIMIT = -4,       /* a stated limit would be exceeded */
  RSP_ERROR_ARGUMENT = -5,    /* an argument of the caller is invalid, such as an option of the user */
  RSP_ERROR_PLUGIN = -6,      /* the plugin, or a library that it uses, failed */
  RSP_ERROR_CANCELLED = -7,   /* the host cancelled the job (rsp_source.cancelled) */
  RSP_ERROR_INTERNAL = -8     /* a defect in the called code */
};

/* What the host does after each status.  "Fails": the file fails, with the message of the error and exit status 1.

   demuxer   open     MALFORMED, UNSUPPORTED: tries other demuxers, then fails with the first error
                      others: fails
             read     OK: a packet.  END: the end of the file
                      MALFORMED, LIMIT: reports damage, and calls read again; 16 in a row: the end of the file
                      others, AGAIN too: fails
             select, seek   any error: fails
   decoder   open     any error: tries the next decoder, then fails with the first error
             send, receive   UNSUPPORTED before the first frame: fails
                      others: the packet is lost, and the host reports it; if no packet is decoded, fails
   encoder   check, open     ARGUMENT: an option, the quality or the bit rate is wrong: an error of the preset
                      others: fails
             send, receive   any error: fails
   filter    open     ARGUMENT: an option is wrong: an error of the preset.  Others: fails
             send, receive   any error: fails
   muxer     supports   any error: the container does not carry the track
             open     ARGUMENT: a setting or an option is wrong: an error of the preset.  Others: fails
             write, finish   any error: fails

   IO is for failures of rsp_source and rsp_sink: the host reports its own error for them.  CANCELLED is returned after
   rsp_source or rsp_job is cancelled: the host then takes every error as the cancellation.  Without a cancellation,
   CANCELLED is a failure of the plugin, and so is ARGUMENT where the user chose no setting.  Return UNSUPPORTED, not
   ARGUMENT, for a track, a format or a size that the plugin does not take. */

/* rsp_error.facts; bits may be combined. */
enum {
  RSP_ERROR_ENDS_EARLY = 1 /* the source is shorter than it declares */
};

/* Values for "unknown": RSP_NO_TIME for times and durations, RSP_UNKNOWN for sizes, counts and offsets. */
#define RSP_NO_TIME INT64_MIN
#define RSP_UNKNOWN ((int64_t)-1)

/* Reason of a failed call.  The caller owns the struct.  The caller sets struct_size, sets offset and track to -1 and
   everything else to 0.  The callee fills in the struct only if it returns an error.  Text that is too long is cut
   to fit. */
typedef struct RSP_STRUCT(rsp_error) {
  uint32_t struct_size;
  rsp_status status; /* the returned status */
  int64_t offset;    /* byte offset in the source; RSP_UNKNOWN: none */
  int32_t track;     /* index of the track, from 0; -1: none */
  uint32_t facts;    /* RSP_ERROR_ENDS_EARLY or 0; since 1.2, 0 before */
  char message[512]; /* one sentence: what was found and what was expected */
  char path[128];    /* path of the element, such as "moov/trak[1]/stbl/stts"; "": none */
  RSP_GROWTH
} rsp_error;

/* Reference-counted bytes.  After a buffer has been passed on, neither side writes to its bytes.

   A buffer that a call returns carries one reference, which the caller releases.  A buffer in an argument carries
   none: a callee that keeps the bytes after the call retains them.  References may be taken and released on any
   thread, also after the object that returned the buffer is closed.

   If `owner` is NULL, there are no references: the bytes are valid until the call returns, and the receiver copies
   them. */
typedef struct rsp_buffer {
  uint8_t *RSP_NULLABLE data;                 /* NULL: no bytes */
  size_t size;                                /* bytes */
  void *RSP_NULLABLE owner;                   /* argument for retain and release; belongs to the allocating side */
  void (*RSP_NULLABLE retain)(void *owner);   /* adds a reference; not NULL if `owner` is set */
  void (*RSP_NULLABLE release)(void *owner);  /* drops a reference; not NULL if `owner` is set */
} rsp_buffer;

/* A ratio: num / den.  den is never negative.  0/0 and 0/1: unknown. */
typedef struct rsp_rational {
  int32_t num;
  int32_t den;
} rsp_rational;

/* A named text: a metadata entry, with FFmpeg's name for it ("title", "artist"), or the value of an option. */
typedef struct RSP_STRUCT(rsp_text) {
  const char *name;
  const char *value;
  RSP_GROWTH
} rsp_text;

RSP_NONNULL_END
RSP_C_END
#endif
