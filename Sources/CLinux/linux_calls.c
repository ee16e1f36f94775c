#define _GNU_SOURCE
#include "linux_calls.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

bool linux_is_remote(int file) {
  struct statfs status;
  if (fstatfs(file, &status) != 0) return false;
  switch ((uint32_t)status.f_type) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case CEPH_SUPER_MAGIC:
    case FUSE_SUPER_MAGIC: return true;
    default: return false;
  }
}

int64_t linux_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count) {
  off_t source = from_offset, target = to_offset;
  return copy_file_range(from, &source, to, &target, count, 0);
}

int linux_insert_range(int file, int64_t offset, int64_t length) {
  return fallocate(file, FALLOC_FL_INSERT_RANGE, offset, length);
}

int linux_memory_file(void) { return memfd_create("respool", MFD_CLOEXEC); }

void linux_release_range(int file, int64_t offset, int64_t length) {
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

void linux_start_writing(int file, int64_t offset, int64_t length) {
  sync_file_range(file, offset, length, SYNC_FILE_RANGE_WRITE);
}

void linux_reserve(int file, int64_t offset, int64_t length) {
  fallocate(file, FALLOC_FL_KEEP_SIZE, offset, length);
}

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

void linux_die_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
}

void linux_close_from(int first) { close_range((unsigned)first, ~0U, 0); }

void linux_name_thread(const char *name) {
  char cut[16];
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = 0;
  pthread_setname_np(pthread_self(), cut);
}

int linux_rename_new(int from_folder, const char *from, int to_folder, const char *to) {
  if (renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  /* The file system does not support the flag: check, then rename. */
  struct stat status;
  if (fstatat(to_folder, to, &status, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return renameat(from_folder, from, to_folder, to) == 0 ? 0 : errno;
}

int linux_open_folder(int parent, const char *path, bool follow) {
  return openat(parent, path, O_PATH | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

int linux_open_nameless(const char *folder) {
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  /* The file system has no files without names. */
  char name[4096];
  if (snprintf(name, sizeof name, "%s/.respool-XXXXXX", folder) >= (int)sizeof name) return -1;
  file = mkostemp(name, O_CLOEXEC);
  if (file >= 0) unlink(name);
  return file;
}

int linux_lock_byte(int file, int64_t offset, bool lock) {
  struct flock range = {
    .l_type = lock ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1,
  };
  return fcntl(file, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

int linux_exchange(const char *from, const char *to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  /* The file system does not support the flag. */
  char other[PATH_MAX];
  if (snprintf(other, sizeof other, "%s.old", from) >= (int)sizeof other) return ENAMETOOLONG;
  if (link(to, other) != 0) return errno;
  if (rename(from, to) != 0) {
    int number = errno;
    unlink(other);
    return number;
  }
  return rename(other, from) == 0 ? 0 : errno;
}

int linux_exchange_names(int folder, const char *name, int other_folder, const char *other) {
  return renameat2(folder, name, other_folder, other, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

static bool states_content(const char *name) {
  return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static const char *const access_list = "system.posix_acl_access";

/* Sets one attribute; returns 0 or an errno. */
static int copy_attribute(int from, int to, const char *name) {
  ssize_t size = fgetxattr(from, name, NULL, 0);
  if (size < 0) return errno == ENODATA ? 0 : errno;
  /* XATTR_SIZE_MAX of the kernel. */
  char *value = malloc(65536);
  if (!value) return ENOMEM;
  size = fgetxattr(from, name, value, 65536);
  int number = size < 0 || fsetxattr(to, name, value, (size_t)size, 0) != 0 ? errno : 0;
  free(value);
  if (strncmp(name, "security.", 9) == 0 && (number == EPERM || number == EOPNOTSUPP)) return 0;
  return number;
}

int linux_copy_extended_attributes(int from, int to, char name[256]) {
  name[0] = 0;
  /* XATTR_LIST_MAX of the kernel. */
  char *list = malloc(65536);
  if (!list) return ENOMEM;
  ssize_t length = flistxattr(from, list, 65536);
  int number = length < 0 && errno != EOPNOTSUPP ? errno : 0;
  bool has_list = false;
  for (char *next = list; number == 0 && next < list + length; next += strlen(next) + 1) {
    if (strcmp(next, access_list) == 0) has_list = true;
    if (states_content(next)) continue;
    number = copy_attribute(from, to, next);
    if (number) snprintf(name, 256, "%s", next);
  }
  free(list);
  if (number == 0 && !has_list && fremovexattr(to, access_list) != 0 && errno != ENODATA && errno != EOPNOTSUPP) {
    number = errno;
    snprintf(name, 256, "%s", access_list);
  }
  return number;
}

void linux_termination_signals(sigset_t *signals) {
  sigemptyset(signals);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGTERM);
  struct sigaction action;
  if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
    sigaddset(signals, SIGHUP);
  }
}

static const char *last_words;
static int last_status;

/* Makes only calls that are safe in a signal handler (signal-safety(7)). */
static void end_process(int number) {
  (void)number;
  ssize_t ignored = write(STDERR_FILENO, last_words, strlen(last_words));
  (void)ignored;
  _exit(last_status);
}

void linux_end_on_termination(const char *words, int status) {
  last_words = words;
  last_status = status;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = end_process;
  linux_termination_signals(&action.sa_mask);
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    struct sigaction before;
    if (sigaction(signals[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    sigaction(signals[i], &action, NULL);
  }
}

int linux_watch_termination(void) {
  sigset_t signals;
  linux_termination_signals(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  return linux_signal_descriptor(&signals);
}

int linux_is_open_for_writing(int file) {
  if (fcntl(file, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? 1 : -1;
  fcntl(file, F_SETLEASE, F_UNLCK);
  return 0;
}

int linux_signal_descriptor(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }

int linux_await_signal(int descriptor, int milliseconds) {
  struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
  return poll(&waiting, 1, milliseconds) > 0 ? linux_next_signal(descriptor) : 0;
}

void linux_await_signal_of(int descriptor, pid_t sender) {
  struct signalfd_siginfo information;
  do {
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    if (poll(&waiting, 1, -1) <= 0) continue;
    while (read(descriptor, &information, sizeof information) == sizeof information) {
      if ((pid_t)information.ssi_pid == sender) return;
    }
  } while (true);
}

int linux_next_signal(int descriptor) {
  struct signalfd_siginfo information;
  return read(descriptor, &information, sizeof information) == sizeof information
             ? (int)information.ssi_signo
             : 0;
}


void linux_limit_cores(int count, unsigned start) {
  cpu_set_t set, chosen;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  int left = CPU_COUNT(&set) - count;
  if (left <= 0) return;
  int skipped = (int)(start % ((unsigned)left + 1));
  CPU_ZERO(&chosen);
  for (int core = 0; core < CPU_SETSIZE && count > 0; core++) {
    if (!CPU_ISSET(core, &set) || skipped-- > 0) continue;
    CPU_SET(core, &chosen);
    count--;
  }
  sched_setaffinity(0, sizeof chosen, &chosen);
}

int linux_core_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Returns a copy of the last error of dlopen or dlsym, which the next call would overwrite. */
static const char *kept_dlerror(void) {
  const char *reason = dlerror();
  const char *copy = strdup(reason ? reason : "unknown error");
  return copy ? copy : "no memory";
}

const char *linux_open_functions(
    const char *library, const char *const *names, void **functions, int count) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return kept_dlerror();
  for (int i = 0; i < count; i++) {
    functions[i] = dlsym(handle, names[i]);
    if (!functions[i]) return kept_dlerror();
  }
  return 0;
}

/* A function of Swift's runtime, which every program of this package contains or loads. */
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

char *linux_demangle(const char *name) {
  if (name[0] == '$') return swift_demangle(name, strlen(name), NULL, NULL, 0);
  if (strncmp(name, "_Z", 2) != 0) return NULL;
  void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  if (!library) return NULL;
  char *(*demangle)(const char *, char *, size_t *, int *) =
      (char *(*)(const char *, char *, size_t *, int *))dlsym(library, "__cxa_demangle");
  int status = 0;
  return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

int linux_flush_output(void) {
  errno = 0;
  if (fflush(stdout) != 0) return errno ? errno : EIO;
  if (!ferror(stdout)) return 0;
  struct pollfd output = {1, POLLOUT, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) ? EPIPE : EIO;
}

void linux_keep_memory(int bytes) {
  /* 32 MiB is the largest threshold that glibc allows. Larger blocks have a mapping of their own. */
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, bytes);
}

struct object_visit {
  void (*found)(const char *path, void *context);
  void *context;
};

static int visit_object(struct dl_phdr_info *object, size_t size, void *visit) {
  (void)size;
  struct object_visit *to = visit;
  /* The program itself has no name, and the kernel's object (vdso) has no slash. */
  if (object->dlpi_name && strchr(object->dlpi_name, '/')) to->found(object->dlpi_name, to->context);
  return 0;
}

void linux_each_loaded_object(void (*found)(const char *path, void *context), void *context) {
  struct object_visit visit = {found, context};
  dl_iterate_phdr(visit_object, &visit);
}

/* Room for a line that is put together without allocating. */
struct report_line {
  size_t length;
  char text[2048];
};

static void append(struct report_line *line, const char *text) {
  size_t length = strnlen(text, sizeof line->text - line->length - 1);
  memcpy(line->text + line->length, text, length);
  line->length += length;
}

static void append_hex(struct report_line *line, uintptr_t number) {
  char digits[2 * sizeof number + 1];
  size_t at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = "0123456789abcdef"[number & 15];
  while (number >>= 4);
  append(line, "0x");
  append(line, digits + at);
}

/* Writes `object(function) [offset]` for each frame.  The offset is that of the instruction in the object, which tools
   need to find its line.  Makes only calls that are safe in a signal handler (signal-safety(7)), and backtrace(3), which
   is safe after its library has been loaded, and dladdr(3), which glibc's backtrace_symbols_fd(3) calls too. */
static __attribute__((noinline)) void write_stack(void) {
  void *frames[32];
  int count = backtrace(frames, 32);
  /* The first frames are this function and the handler. */
  for (int i = 2; i < count; i++) {
    Dl_info place;
    struct report_line line = {0, ""};
    if (!dladdr(frames[i], &place) || !place.dli_fname) continue;
    append(&line, place.dli_fname);
    append(&line, "(");
    if (place.dli_sname) append(&line, place.dli_sname);
    append(&line, ") [");
    /* A return address belongs to the instruction after the call, which may be that of another line.  The first frame
       after that of the signal's return is where the signal came. */
    append_hex(&line, (uintptr_t)frames[i] - (uintptr_t)place.dli_fbase - (i > 3));
    append(&line, "]\n");
    ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
    (void)ignored;
  }
}

/* Reports one thread of a process that hangs. */
static void report_stack(int number) {
  (void)number;
  int before = errno;
  static const char text[] = "respool: stack of a thread\n";
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  write_stack();
  errno = before;
}

static void report_crash(int number) {
  static const char text[] = "respool: crash by signal ";
  char line[sizeof text + 3];
  memcpy(line, text, sizeof text - 1);
  size_t length = sizeof text - 1;
  if (number >= 10) line[length++] = (char)('0' + number / 10);
  line[length++] = (char)('0' + number % 10);
  line[length++] = '\n';
  ssize_t ignored = write(STDERR_FILENO, line, length);
  (void)ignored;
  write_stack();
  /* The handler has been removed (SA_RESETHAND), and the signal is blocked until this function returns. */
  raise(number);
}

void linux_report_crashes(void) {
  /* Loads the library that backtrace needs, which must not happen in a handler. */
  void *frame[1];
  backtrace(frame, 1);
  /* The handler's own stack, because one that has overflowed has no room. Lives as long as the process. */
  static char stack[64 << 10];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, NULL);
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    struct sigaction action;
    if (sigaction(signals[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    memset(&action, 0, sizeof action);
    action.sa_handler = report_crash;
    action.sa_flags = SA_ONSTACK | (int)SA_RESETHAND;
    sigaction(signals[i], &action, NULL);
  }
  struct sigaction action = {.sa_handler = report_stack, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGUSR2, &action, NULL);
}

int linux_ask_for_stack(pid_t process, pid_t thread) {
  return (int)syscall(SYS_tgkill, process, thread, SIGUSR2);
}

bool linux_is_kernel_file_system(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return false;
  switch ((uint32_t)status.f_type) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case SELINUX_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case BPF_FS_MAGIC:
    case PSTOREFS_MAGIC:
    case EFIVARFS_MAGIC:
    case DEVPTS_SUPER_MAGIC:
    case BINFMTFS_MAGIC: return true;
    default: return false;
  }
}

bool linux_folds_names(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return false;
  switch ((uint32_t)status.f_type) {
    case 0x4D44:     /* FAT */
    case 0x2011BAB0: /* exFAT */
    case 0x7366746E: /* NTFS */
    case 0x482B:     /* HFS+ */
    case 0xFF534D42: /* SMB */
    case 0xFE534D42: return true;
    default: return false;
  }
}
