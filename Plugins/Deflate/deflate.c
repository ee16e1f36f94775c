#include "deflate.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

int zlib_inflate(void *target, size_t *room, const void *source, size_t count) {
  if (count > UINT_MAX || *room > UINT_MAX) return -1;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  stream.next_in = (Bytef *)source;
  stream.avail_in = (uInt)count;
  stream.next_out = target;
  stream.avail_out = (uInt)*room;
  if (inflateInit(&stream) != Z_OK) return -1;
  int status = inflate(&stream, Z_FINISH);
  *room = stream.total_out;
  inflateEnd(&stream);
  if (status == Z_STREAM_END) return 0;
  return (status == Z_OK || status == Z_BUF_ERROR) && stream.avail_out == 0 ? 1 : -1;
}

size_t zlib_deflate_bound(size_t count) { return compressBound(count); }

int zlib_deflate(void *target, size_t *room, const void *source, size_t count) {
  uLongf size = *room;
  int status = compress2(target, &size, source, count, Z_BEST_COMPRESSION);
  *room = size;
  return status == Z_OK ? 0 : -1;
}

uint32_t zlib_crc(uint32_t crc, const void *bytes, size_t count) {
  while (count > 0) {
    uInt part = count > UINT_MAX ? UINT_MAX : (uInt)count;
    crc = (uint32_t)crc32(crc, bytes, part);
    bytes = (const char *)bytes + part;
    count -= part;
  }
  return crc;
}
