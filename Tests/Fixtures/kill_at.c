/* A library for LD_PRELOAD that counts the calls of a batch, or of the command KILL_COMMAND, that change files, from 1.
   It kills the process before the call with the number KILL_AT, and lets the call with the number FAIL_AT fail with
   EIO. From the call with the number PROTECT_AT on, all fail with EROFS, as on a file system that can only be read. With KILL_ONCE, only the process that removes the file of that name is killed. With LEDGER_SYNCS, only syncs of
   a ledger are counted and not its writes. With NO_EXCHANGE, no file system can exchange two names in one step.
   BEFORE_EXCHANGE is a command of the shell that runs before two names are exchanged, or an original gets its temporary
   name. Workers and other commands are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

static atomic_long until_kill = -1, until_failure = -1, until_protection = -1;
static bool is_batch;

__attribute__((constructor)) static void begin(void) {
  const char *command = getenv("KILL_COMMAND");
  char words[4096] = {0};
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, words, sizeof words - 1);
  if (file >= 0) close(file);
  /* Arguments end with zero bytes. */
  size_t first = strlen(words) + 1;
  if (length <= (ssize_t)first || strcmp(words + first, command ? command : "batch") != 0) return;
  is_batch = true;
  if (getenv("KILL_ONCE") && unlinkat(AT_FDCWD, getenv("KILL_ONCE"), 0) != 0) return;
  if (getenv("KILL_AT")) until_kill = atol(getenv("KILL_AT"));
  if (getenv("FAIL_AT")) until_failure = atol(getenv("FAIL_AT"));
  if (getenv("PROTECT_AT")) until_protection = atol(getenv("PROTECT_AT"));
}

/* Returns true if the call is to fail. */
static bool count(void) {
  if (until_kill > 0 && atomic_fetch_sub(&until_kill, 1) == 1) kill(getpid(), SIGKILL);
  if (until_failure > 0 && atomic_fetch_sub(&until_failure, 1) == 1) {
    errno = EIO;
    return true;
  }
  if (until_protection == 0 || (until_protection > 0 && atomic_fetch_sub(&until_protection, 1) == 1)) {
    errno = EROFS;
    return true;
  }
  return false;
}

/* Returns true if a write to the file is not counted. */
static bool is_ledger(int file) {
  char name[64], path[4096] = {0};
  if (!is_batch || !getenv("LEDGER_SYNCS")) return false;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  return readlink(name, path, sizeof path - 1) > 0 && strstr(path, "/.respool/ledger");
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALL(name, ...) return count() ? -1 : REAL(name)(__VA_ARGS__)

int fsync(int file) { CALL(fsync, file); }
int fdatasync(int file) { CALL(fdatasync, file); }
int unlink(const char *path) { CALL(unlink, path); }
int mkdir(const char *path, mode_t mode) { CALL(mkdir, path, mode); }
int rmdir(const char *path) { CALL(rmdir, path); }
int link(const char *from, const char *to) { CALL(link, from, to); }
int rename(const char *from, const char *to) { CALL(rename, from, to); }
int unlinkat(int folder, const char *path, int flags) { CALL(unlinkat, folder, path, flags); }
int mkdirat(int folder, const char *path, mode_t mode) { CALL(mkdirat, folder, path, mode); }

int renameat(int folder, const char *from, int other, const char *to) {
  CALL(renameat, folder, from, other, to);
}

int fchown(int file, uid_t user, gid_t group) { CALL(fchown, file, user, group); }
int fchmod(int file, mode_t mode) { CALL(fchmod, file, mode); }
int futimens(int file, const struct timespec times[2]) { CALL(futimens, file, times); }

int openat(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (!(flags & O_CREAT)) return REAL(openat)(folder, path, flags, mode);
  CALL(openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (!(flags & O_CREAT)) return REAL(open)(path, flags, mode);
  CALL(open, path, flags, mode);
}

int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
  CALL(fsetxattr, file, name, value, size, flags);
}

ssize_t copy_file_range(int from, off64_t *offset, int to, off64_t *other, size_t size, unsigned flags) {
  CALL(copy_file_range, from, offset, to, other, size, flags);
}

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  const char *command = getenv("BEFORE_EXCHANGE");
  if (is_batch && command && (flags & RENAME_EXCHANGE || strstr(to, ".original"))) {
    unsetenv("LD_PRELOAD");
    if (system(command) != 0) abort();
    unsetenv("BEFORE_EXCHANGE");
  }
  if (is_batch && getenv("NO_EXCHANGE") && flags & RENAME_EXCHANGE) {
    errno = EINVAL;
    return -1;
  }
  CALL(renameat2, folder, from, other, to, flags);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  if (is_ledger(file)) return REAL(pwrite)(file, bytes, size, offset);
  CALL(pwrite, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  if (is_ledger(file)) return REAL(pwrite64)(file, bytes, size, offset);
  CALL(pwrite64, file, bytes, size, offset);
}

int ftruncate(int file, off_t size) {
  if (is_ledger(file)) return REAL(ftruncate)(file, size);
  CALL(ftruncate, file, size);
}

int ftruncate64(int file, off64_t size) {
  if (is_ledger(file)) return REAL(ftruncate64)(file, size);
  CALL(ftruncate64, file, size);
}
