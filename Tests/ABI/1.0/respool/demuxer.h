#ifndef RESPOOL_DEMUXER_H
#define RESPOOL_DEMUXER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_demuxer rsp_demuxer; /* opaque, the plugin's */

/* Takes a container apart.  One thread at a time calls a demuxer; not always the same one. */
typedef struct RSP_SENDABLE rsp_demuxer_factory {
  rsp_factory head;
  /* How sure the factory is that it can read a source that starts with these bytes: 0 no, 25 by its
     name only, 50 likely, 75 by a signature, 100 by structure.  Any thread. */
  int32_t (*probe)(const rsp_factory *factory, const uint8_t *bytes, size_t count, const char *name);
  /* Reads as much as it needs to know the tracks.  On success the caller owns *out and closes it;
     on failure *out is not touched. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_source *source, const rsp_options *options,
                     rsp_demuxer *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* What is in the file; owned by the demuxer, constant, valid until close. */
  const rsp_media *RSP_NONNULL (*RSP_NONNULL media)(rsp_demuxer *demuxer);
  /* Which tracks read() shall return: one byte to a track, 0 or 1.  Before the first read or straight
     after a seek.  Without the call: all. */
  rsp_status (*select)(rsp_demuxer *demuxer, const uint8_t *wanted, uint32_t count, rsp_error *error);
  /* The next packet, in the order of the file or of decoding times.  RSP_OK: the caller owns one
     reference to packet->buffer.  RSP_END: there are no more.  An error: packet is empty; the next
     call may go on behind the damage or return RSP_END. */
  rsp_status (*read)(rsp_demuxer *demuxer, rsp_packet *packet, rsp_error *error);
  /* Goes to the last place from which `track` can be decoded so that `time` (presentation time in its
     time base) is shown; the other selected tracks go along.  NULL: cannot seek. */
  rsp_status (*RSP_NULLABLE seek)(rsp_demuxer *demuxer, uint32_t track, int64_t time, rsp_error *error);
  void (*close)(rsp_demuxer *demuxer);
} rsp_demuxer_factory;

RSP_NONNULL_END
RSP_C_END
#endif
