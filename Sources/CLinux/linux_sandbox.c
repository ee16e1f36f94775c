#define _GNU_SOURCE
#include "linux_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock */

/* The attributes of later versions of the interface than that of Debian 12's headers (linux/landlock.h of Linux
   6.12). */
struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};

enum {
  EVERY_ACCESS_OF_1 = (1 << 13) - 1,
  MOVING_TO_OTHER_FOLDERS = 1 << 13, /* since version 2 */
  TRUNCATING = 1 << 14,              /* since version 3 */
  DEVICE_CONTROL = 1 << 15,          /* since version 5 */
  TCP = 3,                           /* bind and connect, since version 4 */
  SCOPES = 3,                        /* abstract sockets and signals, since version 6 */
};

int linux_landlock_version(void) {
  return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* Adds a rule for a file or a folder to the rules: what may be done below it. */
static void allow(int rules, const char *path, uint64_t access) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = place};
  /* A rule that cannot be added allows nothing. */
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(place);
}

int linux_restrict_files(
    const char *const *readable, int count, const char *const *listed, int listed_count, const char *scratch) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  int version = linux_landlock_version();
  if (version < 1) return -1;
  struct ruleset ruleset = {.files = EVERY_ACCESS_OF_1};
  size_t size = sizeof ruleset.files;
  if (version >= 2) ruleset.files |= MOVING_TO_OTHER_FOLDERS;
  if (version >= 3) ruleset.files |= TRUNCATING;
  if (version >= 5) ruleset.files |= DEVICE_CONTROL;
  if (version >= 4) ruleset.network = TCP, size = offsetof(struct ruleset, scopes);
  if (version >= 6) ruleset.scopes = SCOPES, size = sizeof ruleset;
  int rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
  if (rules < 0) return -1;
  for (int i = 0; i < count; i++) {
    allow(rules, readable[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE);
  }
  for (int i = 0; i < listed_count; i++) {
    allow(rules, listed[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
  }
  if (scratch) {
    uint64_t access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE |
                      LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;
    if (version >= 3) access |= TRUNCATING;
    allow(rules, scratch, access);
  }
  int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  int number = errno;
  close(rules);
  errno = number;
  return result;
}

/* System calls */

/* Calls that are allowed with any arguments. */
static const int allowed[] = {
    /* Memory. */
    __NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise, __NR_brk, __NR_memfd_create,
    /* Open files and folders. */
    __NR_close, __NR_read, __NR_write, __NR_writev, __NR_pread64, __NR_pwrite64, __NR_lseek,
    __NR_fstat, __NR_newfstatat, __NR_fstatfs, __NR_ftruncate, __NR_fallocate, __NR_fsync, __NR_sync_file_range,
    __NR_copy_file_range, __NR_recvmsg, __NR_getdents64,
#ifdef __NR_poll
    __NR_poll, __NR_pause,
#else
    __NR_ppoll,
#endif
#ifdef __NR_access
    __NR_access,
#else
    __NR_faccessat,
#endif
    /* Signals of the process itself. */
    __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn,
    /* Threads. */
    __NR_futex, __NR_rseq, __NR_sched_getaffinity, __NR_getpid, __NR_gettid, __NR_exit, __NR_exit_group,
    /* Time and randomness; clock_gettime is a system call where the kernel's object (vdso) cannot read the clock. */
    __NR_clock_gettime, __NR_clock_nanosleep, __NR_getrandom,
};

/* Calls that are allowed with some arguments; `build` below has a part for each. */
static const int limited[] = {__NR_openat, __NR_clone, __NR_tgkill, __NR_fcntl, __NR_ioctl};

/* Calls that are allowed too where files can be made in a folder: renaming and removing them. */
static const int making[] = {
#ifdef __NR_rename
    __NR_rename, __NR_unlink, __NR_unlinkat,
#else
    __NR_renameat, __NR_unlinkat,
#endif
};

enum { ALLOWED = sizeof allowed / sizeof *allowed, LIMITED = sizeof limited / sizeof *limited };

int linux_allowed_call_count(void) { return ALLOWED + LIMITED; }

/* A program of the kernel's filter machine (Linux, networking/filter.rst) that is being put together. */
struct filter {
  struct sock_filter steps[256];
  unsigned short count;
};

static void add(struct filter *filter, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
  filter->steps[filter->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct filter *filter, size_t offset) {
  add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the lower or the upper 32 bits of an argument. */
static void load_argument(struct filter *filter, int index, bool upper) {
  bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  load(filter, offsetof(struct seccomp_data, args) + (size_t)index * 8 + (upper != is_big_endian ? 4 : 0));
}

static void end(struct filter *filter, uint32_t action) { add(filter, BPF_RET | BPF_K, action, 0, 0); }

static void allow_call(struct filter *filter) { end(filter, SECCOMP_RET_ALLOW); }

static void refuse(struct filter *filter, int number) {
  end(filter, SECCOMP_RET_ERRNO | ((uint32_t)number & SECCOMP_RET_DATA));
}

/* Allows the call if the loaded value is `value`, and continues otherwise. */
static void allow_if(struct filter *filter, uint32_t value) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  allow_call(filter);
}

/* Continues if the loaded value has none of the bits, and refuses otherwise. */
static void refuse_bits(struct filter *filter, uint32_t bits) {
  add(filter, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  refuse(filter, EPERM);
}

/* Begins the part of a call, with the call's number loaded. Returns the step that skips the part for other calls. */
static unsigned short begin_call(struct filter *filter, int call) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 0);
  return filter->count;
}

static void end_call(struct filter *filter, unsigned short first) {
  refuse(filter, EPERM);
  filter->steps[first - 1].jf = (uint8_t)(filter->count - first);
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "The numbers of system calls differ between architectures: add this one."
#endif

static void build(struct filter *filter, bool makes_files) {
  filter->count = 0;
  /* A program can also make calls of another architecture, whose numbers mean other calls. */
  load(filter, offsetof(struct seccomp_data, arch));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  end(filter, SECCOMP_RET_KILL_PROCESS);
  load(filter, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < ALLOWED; i++) allow_if(filter, (uint32_t)allowed[i]);

  unsigned short part;
  /* The flags of clone3 are in memory, where a filter cannot look: glibc then takes clone. */
  part = begin_call(filter, __NR_clone3);
  refuse(filter, ENOSYS);
  end_call(filter, part);

  /* libgcrypt, which libavformat brings, prints a warning if it cannot keep its keys out of the swap space. There are
     none: the call does nothing and succeeds. */
  part = begin_call(filter, __NR_mlock);
  refuse(filter, 0);
  end_call(filter, part);

  /* Each thread of libx265 binds itself to a node of memory through libnuma, and prints errors if that is impossible.
     These calls do nothing and answer that they have. */
  static const int bindings[] = {__NR_get_mempolicy, __NR_set_mempolicy, __NR_sched_setaffinity};
  for (size_t index = 0; index < sizeof bindings / sizeof *bindings; index++) {
    part = begin_call(filter, bindings[index]);
    refuse(filter, 0);
    end_call(filter, part);
  }

  /* Reading only, unless Landlock lets files be made in one folder; it decides of what. It does not know descriptors that
     only name a file (O_PATH). */
  part = begin_call(filter, __NR_openat);
  load_argument(filter, 2, false);
  refuse_bits(filter, (makes_files ? 0 : O_WRONLY | O_RDWR | O_CREAT | O_TRUNC) | O_PATH);
  allow_call(filter);
  end_call(filter, part);
  for (size_t i = 0; makes_files && i < sizeof making / sizeof *making; i++) {
    part = begin_call(filter, making[i]);
    allow_call(filter);
    end_call(filter, part);
  }

  /* Threads, but no processes and namespaces. */
  part = begin_call(filter, __NR_clone);
  load_argument(filter, 0, false);
  refuse_bits(filter, CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                          CLONE_NEWNET | CLONE_PTRACE | CLONE_PARENT);
  add(filter, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  allow_call(filter);
  end_call(filter, part);

  /* Signals to this process, as abort and raise send them. */
  part = begin_call(filter, __NR_tgkill);
  load_argument(filter, 0, false);
  allow_if(filter, (uint32_t)getpid());
  end_call(filter, part);

  /* No owner, who would get signals. */
  part = begin_call(filter, __NR_fcntl);
  load_argument(filter, 1, false);
  static const uint32_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) allow_if(filter, commands[i]);
  end_call(filter, part);

  /* Whether a file is a terminal, and its size. */
  part = begin_call(filter, __NR_ioctl);
  load_argument(filter, 1, false);
  allow_if(filter, TCGETS);
  allow_if(filter, TIOCGWINSZ);
  end_call(filter, part);

  refuse(filter, EPERM);
}

int linux_restrict_calls(bool makes_files) {
  struct filter filter;
  build(&filter, makes_files);
  struct sock_fprog program = {filter.count, filter.steps};
  long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  /* A positive result is a thread that cannot follow. */
  if (result > 0) errno = ESRCH;
  return result == 0 ? 0 : -1;
}

bool linux_is_restricted(bool *files, bool *calls) {
  int file = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *files = file < 0 && errno == EACCES;
  if (file >= 0) close(file);
  int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  *calls = other < 0 && errno == EPERM;
  if (other >= 0) close(other);
  return *files && *calls;
}
