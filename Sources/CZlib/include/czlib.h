/* zlib for Swift. It is opened when it is first needed. */
#ifndef RESPOOL_CZLIB_H
#define RESPOOL_CZLIB_H
#include <stddef.h>
#include <stdint.h>

/* Opens zlib at the first call and returns the reason why it cannot be used; NULL if it can be used. The other
   functions may be called only after this has returned NULL. The text is valid until the process ends. Any thread. */
const char *respool_zlib_missing(void);

/* Returns the maximum number of bytes that `count` bytes have after compression. */
size_t respool_zlib_bound(size_t count);

/* Compresses `count` bytes to `target`, which has room for `*room` bytes, and sets `*room` to the compressed size.
   `level` is 0 to 9, or -1 for zlib's default. Returns 0, or zlib's error code. */
int respool_zlib_compress(void *target, size_t *room, const void *source, size_t count, int level);

/* Returns the CRC-32 of data whose CRC-32 is `crc`, followed by `count` bytes. 0 is the CRC-32 of no data. */
uint32_t respool_zlib_crc(uint32_t crc, const void *bytes, size_t count);

#endif
