/* A library for LD_PRELOAD for the workers of a batch: reads of the file FAULT_FILE that reach beyond the byte FAULT_AT
   fail with EIO; with FAULT_COMMAND, that command of the shell runs once before such a read instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stat faulty;
static long first = -1;
static atomic_flag has_run = ATOMIC_FLAG_INIT;

__attribute__((constructor)) static void begin(void) {
  char words[4096];
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? 0 : read(file, words, sizeof words);
  if (file >= 0) close(file);
  if (count > 0 && memmem(words, (size_t)count, "__worker", 8) && stat(getenv("FAULT_FILE"), &faulty) == 0)
    first = atol(getenv("FAULT_AT"));
}

/* Returns the number of bytes that may be read; -1 with EIO if none may. */
static ssize_t readable(int file, size_t size, off64_t offset) {
  struct stat status;
  if (first < 0 || offset + (off64_t)size <= first || fstat(file, &status) != 0 || status.st_ino != faulty.st_ino ||
      status.st_dev != faulty.st_dev)
    return (ssize_t)size;
  const char *command = getenv("FAULT_COMMAND");
  if (!command) {
    errno = EIO;
    return offset < first ? first - offset : -1;
  }
  if (!atomic_flag_test_and_set(&has_run)) {
    unsetenv("LD_PRELOAD");
    if (system(command) != 0) abort();
  }
  return (ssize_t)size;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
  ssize_t count = readable(file, size, offset);
  return count < 0 ? -1 : REAL(pread)(file, bytes, (size_t)count, offset);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  ssize_t count = readable(file, size, offset);
  return count < 0 ? -1 : REAL(pread64)(file, bytes, (size_t)count, offset);
}

ssize_t copy_file_range(int from, off64_t *offset, int to, off64_t *other, size_t size, unsigned flags) {
  ssize_t count = readable(from, size, offset ? *offset : 0);
  return count < 0 ? -1 : REAL(copy_file_range)(from, offset, to, other, (size_t)count, flags);
}
