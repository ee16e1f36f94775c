/* A library for LD_PRELOAD that kills a batch before one of its calls that change files: the call with the number
   KILL_AT, counted from 1. Workers and other commands are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long left = -1;

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("KILL_AT");
  char words[4096] = {0};
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, words, sizeof words - 1);
  if (file >= 0) close(file);
  /* Arguments end with zero bytes. */
  size_t first = strlen(words) + 1;
  if (number && length > (ssize_t)first && strcmp(words + first, "batch") == 0) left = atol(number);
}

static void count(void) {
  if (left > 0 && atomic_fetch_sub(&left, 1) == 1) kill(getpid(), SIGKILL);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int file) { count(); return REAL(fsync)(file); }
int fdatasync(int file) { count(); return REAL(fdatasync)(file); }
int unlink(const char *path) { count(); return REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { count(); return REAL(mkdir)(path, mode); }
int rename(const char *from, const char *to) { count(); return REAL(rename)(from, to); }

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  count();
  return REAL(renameat2)(folder, from, other, to, flags);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  count();
  return REAL(pwrite)(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  count();
  return REAL(pwrite64)(file, bytes, size, offset);
}

int ftruncate(int file, off_t size) { count(); return REAL(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { count(); return REAL(ftruncate64)(file, size); }
