/* zlib for plugins in Swift. */
#ifndef RESPOOL_DEFLATE_H
#define RESPOOL_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Decompresses `count` bytes of zlib data (RFC 1950) into `target`, which has room for `*room` bytes.
   Sets `*room` to the number of bytes made.
   Returns 0 when the whole stream fits, 1 when the room is too small, and -1 when the data is damaged. */
int zlib_inflate(void *target, size_t *room, const void *source, size_t count);

/* Returns the maximum number of bytes that `count` bytes have after compression. */
size_t zlib_deflate_bound(size_t count);

/* Compresses `count` bytes (RFC 1950) to `target`, which has room for `*room` bytes, at least the bound above, and
   sets `*room` to the compressed size. Returns 0, or -1 if that is not possible. */
int zlib_deflate(void *target, size_t *room, const void *source, size_t count);

/* Returns the CRC-32 of data whose CRC-32 is `crc`, followed by `count` bytes.  0 is the CRC-32 of no data. */
uint32_t zlib_crc(uint32_t crc, const void *bytes, size_t count);

#endif
