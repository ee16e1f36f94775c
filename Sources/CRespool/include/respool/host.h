/* The host's side: its services, the source that a demuxer reads and the sink that a muxer writes to.  A plugin opens
   no files and no sockets: it reads and writes only through these. */
#ifndef RESPOOL_HOST_H
#define RESPOOL_HOST_H

#include "media.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* Levels of messages.  The host takes a lower number as RSP_LOG_ERROR and a higher one as RSP_LOG_DEBUG. */
enum { RSP_LOG_ERROR = 0, RSP_LOG_WARNING = 1, RSP_LOG_INFO = 2, RSP_LOG_DEBUG = 3 };

/* Services of the host.  Lives until the process ends.  Every function may be called on any thread. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_host) {
  uint32_t struct_size;
  uint32_t abi_major, abi_minor; /* RSP_ABI_MAJOR and RSP_ABI_MINOR of the host */
  uint32_t reserved;
  void *RSP_NULLABLE context; /* first argument of the functions below */
  /* Logs a message, which is lent for the call.  The host adds the end of the line. */
  void (*log)(void *RSP_NULLABLE context, int32_t level, const char *message);
  /* Returns the extension named `id`, which lives as long as the host; NULL: the host has none with this name.
     ABI 1.6 defines none. */
  const void *RSP_NULLABLE (*RSP_NONNULL extension)(void *RSP_NULLABLE context, const char *id);
  RSP_GROWTH
} rsp_host;

/* The job that an encoder or a filter works for.  Valid until it is closed.  Its functions may be called on any thread, at
   any time until then.  Since 1.5. */
typedef struct RSP_STRUCT(rsp_job_1_6) {
  uint32_t struct_size;
  uint32_t reserved;
  void *RSP_NULLABLE context; /* first argument of the functions below */
  /* Returns 1 if the job was cancelled, else 0.  A call that takes long checks it about every 100 ms, and returns
     RSP_ERROR_CANCELLED. */
  int32_t (*cancelled)(void *RSP_NULLABLE context);
  /* Reports something that users should know about the output, such as a setting without effect.  `message` is one
     sentence, lent for the call.  The host shows equal messages once. */
  void (*warn)(void *RSP_NULLABLE context, const char *message);
  /* Since 1.6.  Returns the beginning of the paths of files that an encoder may create, read and rename while it works,
     such as statistics that its library passes from the first pass to the last in a file: the encoder adds names of its
     own to it.  Valid until the encoder is closed.  The files stay until both passes are over; the host removes them.
     NULL: no files can be created, because the process may open none.  The function is NULL in a host before 1.6. */
  const char *RSP_NULLABLE (*RSP_NULLABLE scratch)(void *RSP_NULLABLE context);
  RSP_GROWTH
} rsp_job;

/* The bytes that a demuxer reads.  Valid until the demuxer is closed.  Only the thread that is calling the demuxer
   may use it, during the call. */
typedef struct RSP_STRUCT(rsp_source) {
  uint32_t struct_size;
  uint32_t seekable;     /* 1: any offset can be read at any time; 0: offsets must only grow */
  void *RSP_NULLABLE context; /* first argument of the functions below */
  int64_t size;          /* bytes; RSP_UNKNOWN: unknown */
  const char *name;      /* file name without folders, for its extension and for messages */
  /* Copies up to `count` bytes from `offset` on to `bytes`.  Returns their number, or a negative rsp_status.  The
     number is less than `count` only at the end of the source, and 0 at or after the end.  Errors: RSP_ERROR_IO,
     RSP_ERROR_CANCELLED, and RSP_ERROR_ARGUMENT for a negative offset. */
  int64_t (*read_at)(void *RSP_NULLABLE context, int64_t offset, void *bytes, size_t count);
  /* Returns 1 if the job was cancelled, else 0.  Long loops check it regularly and return RSP_ERROR_CANCELLED. */
  int32_t (*cancelled)(void *RSP_NULLABLE context);
  RSP_GROWTH
} rsp_source;

/* The output of a muxer.  Valid until the muxer is closed.  Only the thread that is calling the muxer may use it,
   during the call.  Arguments are lent.  Functions with a status return RSP_OK or a negative status, which the muxer
   returns to its caller. */
typedef struct RSP_STRUCT(rsp_sink) {
  uint32_t struct_size;
  uint32_t seekable;     /* 1: write_at and insert work; 0: bytes can only be appended */
  void *RSP_NULLABLE context; /* first argument of the functions below */
  /* Appends `count` bytes.  Errors: RSP_ERROR_IO. */
  rsp_status (*write)(void *RSP_NULLABLE context, const void *bytes, size_t count);
  /* Appends the payload of a packet.  If the payload is a range of the source, the host copies the range.  Errors:
     RSP_ERROR_IO, and RSP_ERROR_MALFORMED for a range outside the source. */
  rsp_status (*write_payload)(void *RSP_NULLABLE context, const rsp_packet *packet);
  /* Overwrites bytes that were written before.  RSP_ERROR_ARGUMENT if the range does not lie within them. */
  rsp_status (*write_at)(void *RSP_NULLABLE context, int64_t offset, const void *bytes, size_t count);
  /* Inserts `count` bytes at `offset` and moves everything after `offset` back.  RSP_ERROR_ARGUMENT if `offset` is
     greater than the size. */
  rsp_status (*insert)(void *RSP_NULLABLE context, int64_t offset, const void *bytes, size_t count);
  /* Returns the number of bytes written so far, which is the offset of the next write. */
  int64_t (*size)(void *RSP_NULLABLE context);
  RSP_GROWTH
} rsp_sink;

RSP_NONNULL_END
RSP_C_END
#endif
