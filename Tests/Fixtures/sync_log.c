/* A library for LD_PRELOAD that writes the order of fsync, fdatasync and rename to the file in SYNC_LOG, one line each:
   "sync PATH" and "rename PATH". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *call, const char *path) {
  const char *name = getenv("SYNC_LOG");
  if (!name) return;
  char line[PATH_MAX + 16];
  int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  int log = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (log < 0) return;
  if (write(log, line, (size_t)length) != length) abort();
  close(log);
}

static int sync_file(int file, const char *call) {
  char name[32], path[PATH_MAX];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t length = readlink(name, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, call);
  int result = real(file);
  note("sync", path);
  return result;
}

int fsync(int file) { return sync_file(file, "fsync"); }
int fdatasync(int file) { return sync_file(file, "fdatasync"); }

int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  note("rename", to);
  return real(from, to);
}

/* Writes the path of a name in an open folder. */
static void note_in(int folder, const char *name) {
  char link[32], path[PATH_MAX];
  if (folder == AT_FDCWD || name[0] == '/') return note("rename", name);
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) abort();
  snprintf(path + length, sizeof path - (size_t)length, "/%s", name);
  note("rename", path);
}

int renameat(int folder, const char *from, int other, const char *to) {
  int (*real)(int, const char *, int, const char *) =
      (int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
  note_in(other, to);
  return real(folder, from, other, to);
}

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  int (*real)(int, const char *, int, const char *, unsigned) =
      (int (*)(int, const char *, int, const char *, unsigned))dlsym(RTLD_NEXT, "renameat2");
  note_in(other, to);
  return real(folder, from, other, to, flags);
}
