/* Definitions of the zlib functions that Respool uses. They have other names than in zlib, because plugins link
   libraries that look for zlib's names. */
#include "czlib.h"

#include <pthread.h>
#include <zlib.h>

#include "linux_calls.h"

static struct {
  __typeof__(&compressBound) bound;
  __typeof__(&compress2) compress;
  __typeof__(&crc32) crc;
} zlib;

static const char *const names[] = {"compressBound", "compress2", "crc32"};
static const char *failure;

static void open_library(void) {
  _Static_assert(sizeof zlib == sizeof names, "a name to each function");
  failure = linux_open_functions(
      "libz.so.1", names, (void **)&zlib, sizeof names / sizeof *names);
}

const char *respool_zlib_missing(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return failure;
}

size_t respool_zlib_bound(size_t count) { return zlib.bound(count); }

int respool_zlib_compress(
    void *target, size_t *room, const void *source, size_t count, int level) {
  uLongf size = *room;
  int status = zlib.compress(target, &size, source, count, level);
  *room = size;
  return status;
}

uint32_t respool_zlib_crc(uint32_t crc, const void *bytes, size_t count) {
  while (count > 0) {
    uInt part = count < 1 << 30 ? (uInt)count : 1 << 30;
    crc = (uint32_t)zlib.crc(crc, bytes, part);
    bytes = (const char *)bytes + part;
    count -= part;
  }
  return crc;
}
