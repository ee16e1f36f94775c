/* A library for LD_PRELOAD that lets no byte be written to an output while the file QUOTA_FULL exists, as a file system
   does whose quota is used up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_full(int file) {
  char name[64], path[4096] = {0};
  const char *full = getenv("QUOTA_FULL");
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  if (!full || readlink(name, path, sizeof path - 1) <= 0 || !strstr(path, ".part") || access(full, F_OK) != 0) return 0;
  errno = EDQUOT;
  return 1;
}

ssize_t write(int file, const void *bytes, size_t count) {
  if (is_full(file)) return -1;
  return ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  if (is_full(file)) return -1;
  return ((ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(file, bytes, count, offset);
}

ssize_t copy_file_range(int from, off_t *start, int to, off_t *place, size_t count, unsigned flags) {
  if (is_full(to)) return -1;
  return ((ssize_t(*)(int, off_t *, int, off_t *, size_t, unsigned))dlsym(RTLD_NEXT, "copy_file_range"))(
      from, start, to, place, count, flags);
}
