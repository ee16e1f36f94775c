/* What the host gives to a plugin: services, the source that a demuxer reads, the sink that a muxer
   writes.  A plugin opens no file and no socket; these are its only way to bytes. */
#ifndef RESPOOL_HOST_H
#define RESPOOL_HOST_H

#include "media.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

enum { RSP_LOG_ERROR = 0, RSP_LOG_WARNING = 1, RSP_LOG_INFO = 2, RSP_LOG_DEBUG = 3 };

/* Lives until the process ends.  Every function may be called from any thread. */
typedef struct RSP_SENDABLE rsp_host {
  uint32_t struct_size;
  uint32_t abi_major, abi_minor;
  uint32_t reserved;
  void *RSP_NULLABLE context; /* pass it back as the first argument */
  void (*log)(void *RSP_NULLABLE context, int32_t level, const char *message);
  /* The extension named `id` or NULL where the host has none of that name.  Lives as the host does. */
  const void *RSP_NULLABLE (*RSP_NONNULL extension)(void *RSP_NULLABLE context, const char *id);
} rsp_host;

/* Bytes to read.  The demuxer that it was given to may use it until that demuxer is closed, from the
   thread that is calling the demuxer. */
typedef struct rsp_source {
  uint32_t struct_size;
  uint32_t seekable;     /* 1: any offset at any time.  0: offsets may only grow */
  void *RSP_NULLABLE context;
  int64_t size;          /* bytes; RSP_UNKNOWN where it cannot be known */
  const char *name;      /* file name without folders, for its extension and for messages */
  /* Copies up to `count` bytes from `offset` on.  Returns how many (fewer only at the end of the
     source, 0 at or past the end) or a negative rsp_status. */
  int64_t (*read_at)(void *RSP_NULLABLE context, int64_t offset, void *bytes, size_t count);
  /* 1 when the job was cancelled: long loops ask now and then and return RSP_ERROR_CANCELLED. */
  int32_t (*cancelled)(void *RSP_NULLABLE context);
} rsp_source;

/* Where a muxer writes.  Bytes are appended at the end unless an offset is given.
   Every function returns RSP_OK or a negative status, which the muxer hands on. */
typedef struct rsp_sink {
  uint32_t struct_size;
  uint32_t seekable;     /* 0: write and write_payload only */
  void *RSP_NULLABLE context;
  /* Appends `count` bytes. */
  rsp_status (*write)(void *RSP_NULLABLE context, const void *bytes, size_t count);
  /* Appends the payload of a packet.  Where the packet is a range of its source, the host copies it:
     the bytes need not be in memory. */
  rsp_status (*write_payload)(void *RSP_NULLABLE context, const rsp_packet *packet);
  /* Overwrites bytes that were written before; the range must lie inside them. */
  rsp_status (*write_at)(void *RSP_NULLABLE context, int64_t offset, const void *bytes, size_t count);
  /* Makes room for `count` bytes at `offset`, moving everything behind it, and writes them there. */
  rsp_status (*insert)(void *RSP_NULLABLE context, int64_t offset, const void *bytes, size_t count);
  /* Bytes written so far, which is the offset that the next write goes to. */
  int64_t (*size)(void *RSP_NULLABLE context);
} rsp_sink;

RSP_NONNULL_END
RSP_C_END
#endif
