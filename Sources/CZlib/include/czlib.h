/* zlib for Swift, opened when something is compressed. */
#ifndef RESPOOL_CZLIB_H
#define RESPOOL_CZLIB_H
#include <stddef.h>
#include <stdint.h>

/* Why zlib cannot be used; null where it can, and only then may the other functions be called. */
const char *respool_zlib_missing(void);

/* The most bytes that `count` bytes can become. */
size_t respool_zlib_bound(size_t count);

/* Compresses into `target`, which has room for `*room` bytes; `*room` becomes their number. 0 where that
   worked, else zlib's own number. */
int respool_zlib_compress(void *target, size_t *room, const void *source, size_t count, int level);

/* The CRC-32 of what had `crc` and of `count` bytes behind it; 0 is that of nothing. */
uint32_t respool_zlib_crc(uint32_t crc, const void *bytes, size_t count);

#endif
