/* A plugin whose demuxer recognises "ESCAPING" and then tries what no codec needs: to read and change other files, to
   reach other processes and machines, and to gain privileges. Its error lists what succeeded. */
#define _GNU_SOURCE
#include <respool/plugin.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;

/* The folder of the output, in which the files named `victim` lie. */
static char victim[4096], fresh[4096];

static int opens(const char *path, int flags) {
  int file = open(path, flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}
static int makes_socket(int family, int type) {
  int file = socket(family, type, 0);
  if (file >= 0) close(file);
  return file >= 0;
}
static int ends_well(pid_t child) {
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  return child > 0;
}

static int reads_passwords(void) { return opens("/etc/passwd", O_RDONLY); }
static int reads_input_folder(void) { return opens(getenv("ESCAPE_FOLDER"), O_RDONLY | O_DIRECTORY); }
static int reads_another_file(void) { return opens(victim, O_RDONLY); }
static int reads_the_root(void) { return opens("/", O_RDONLY | O_DIRECTORY); }
static int reads_memory(void) { return opens("/proc/self/mem", O_RDWR); }
static int reads_environment_of_parent(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", getppid() > 0 ? getppid() : 1);
  return opens(path, O_RDONLY);
}
static int reads_descriptors(void) { return opens("/proc/self/fd", O_RDONLY | O_DIRECTORY); }
static int opens_input_again(void) { return opens("/proc/self/fd/0", O_RDWR); }
static int writes_a_file(void) { return opens(victim, O_WRONLY); }
static int truncates_a_file(void) { return truncate(victim, 0) == 0; }
static int makes_a_file(void) { return opens(fresh, O_WRONLY | O_CREAT); }
static int makes_a_folder(void) { return mkdir(fresh, 0700) == 0; }
static int makes_a_link(void) { return link(victim, fresh) == 0; }
static int makes_a_symbolic_link(void) { return symlink(victim, fresh) == 0; }
static int renames(void) { return rename(victim, fresh) == 0; }
static int removes(void) { return unlink(victim) == 0; }
static int changes_permissions(void) { return chmod(victim, 04777) == 0; }
static int changes_owner(void) { return chown(victim, 1, 1) == 0; }
static int changes_times(void) { return utimensat(AT_FDCWD, victim, NULL, 0) == 0; }
static int changes_attributes(void) { return setxattr(victim, "user.escaped", "1", 1, 0) == 0; }
static int makes_a_device(void) { return mknod(fresh, S_IFCHR | 0600, 0x103) == 0; }
static int makes_a_pipe(void) { return mkfifo(fresh, 0600) == 0; }
static int makes_tcp(void) { return makes_socket(AF_INET, SOCK_STREAM); }
static int makes_udp(void) { return makes_socket(AF_INET6, SOCK_DGRAM); }
static int makes_unix(void) { return makes_socket(AF_UNIX, SOCK_STREAM); }
static int makes_netlink(void) { return makes_socket(AF_NETLINK, SOCK_RAW); }
static int makes_vsock(void) { return makes_socket(AF_VSOCK, SOCK_STREAM); }
static int makes_packet(void) { return makes_socket(AF_PACKET, SOCK_RAW); }
static int makes_alg(void) { return makes_socket(AF_ALG, SOCK_SEQPACKET); }
static int makes_a_socket_pair(void) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
}
static int forks(void) { return ends_well((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }
static int forks_by_library(void) { return ends_well(fork()); }
static int spawns(void) {
  pid_t child;
  char *const words[] = {"true", NULL};
  if (posix_spawnp(&child, "true", NULL, NULL, words, environ) != 0) return 0;
  waitpid(child, NULL, 0);
  return 1;
}
static int executes(void) {
  /* With this flag, a program that exists is not run, and the error tells whether it could be. */
  return syscall(SYS_execveat, AT_FDCWD, "/nowhere", NULL, NULL, 0) == 0 || errno == ENOENT;
}
static int traces(void) { return ptrace(PTRACE_ATTACH, getppid() ? getppid() : 1, 0, 0) == 0 || errno == ESRCH; }
static int reads_other_memory(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {&byte, 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}
static int signals_the_parent(void) { return kill(getppid() ? getppid() : 1, 0) == 0; }
static int signals_all(void) { return kill(-1, 0) == 0; }
static int enters_a_user_namespace(void) { return unshare(CLONE_NEWUSER) == 0; }
static int enters_a_network_namespace(void) { return unshare(CLONE_NEWNET) == 0; }
/* The folder does not exist, so that nothing is mounted even where that is possible. */
static int mounts(void) { return mount("none", fresh, "tmpfs", 0, NULL) == 0 || errno != EPERM; }
static int changes_root(void) { return chroot("/") == 0; }
static int uses_io_uring(void) {
  struct io_uring_params parameters;
  memset(&parameters, 0, sizeof parameters);
  return syscall(SYS_io_uring_setup, 4, &parameters) >= 0;
}
static int uses_keys(void) { return syscall(SYS_keyctl, 0, -3, 1, 0, 0) >= 0; }
static int uses_bpf(void) { return syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM; }
static int uses_events(void) { return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) >= 0 || errno != EPERM; }
static int uses_page_faults(void) { return syscall(SYS_userfaultfd, 0) >= 0; }
static int shares_memory(void) { return shmget(IPC_PRIVATE, 4096, 0600) >= 0; }
static int raises_limits(void) {
  struct rlimit limit = {1 << 20, 1 << 20};
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}
static int changes_user(void) { return setuid(getuid()) == 0; }
static int lives_longer(void) { return prctl(PR_SET_PDEATHSIG, 0) == 0; }
static int allows_dumps(void) { return prctl(PR_SET_DUMPABLE, 1) == 0; }
static int makes_set_user_id(void) { return fchmod(0, 04755) == 0; }
static int names_passwords(void) { return opens("/etc/passwd", O_PATH); }
static int opens_plugin(int *file) { return (*file = open(getenv("ESCAPE_PLUGIN"), O_RDONLY | O_CLOEXEC)) >= 0; }
static int makes_the_plugin_writable(void) {
  int file;
  if (!opens_plugin(&file)) return 0;
  int done = fchmod(file, 0777) == 0;
  close(file);
  return done;
}
static int changes_times_of_the_plugin(void) {
  int file;
  if (!opens_plugin(&file)) return 0;
  int done = futimens(file, NULL) == 0;
  close(file);
  return done;
}
static int types_into_the_terminal(void) { return ioctl(0, 0x5412 /* TIOCSTI */, "x") == 0 || errno == ENOTTY; }
static int asks_for_signals(void) { return fcntl(0, F_SETOWN, getpid()) == 0; }

#define PROBE(name) {#name, name}
static const struct { const char *name; int (*works)(void); } probes[] = {
    PROBE(reads_passwords), PROBE(reads_input_folder), PROBE(reads_another_file), PROBE(reads_the_root),
    PROBE(reads_memory), PROBE(reads_environment_of_parent), PROBE(reads_descriptors), PROBE(opens_input_again),
    PROBE(writes_a_file), PROBE(truncates_a_file), PROBE(makes_a_file), PROBE(makes_a_folder), PROBE(makes_a_link),
    PROBE(makes_a_symbolic_link), PROBE(changes_permissions), PROBE(changes_owner), PROBE(changes_times),
    PROBE(changes_attributes), PROBE(makes_a_device), PROBE(makes_a_pipe), PROBE(renames), PROBE(removes),
    PROBE(makes_tcp), PROBE(makes_udp), PROBE(makes_unix), PROBE(makes_netlink), PROBE(makes_vsock),
    PROBE(makes_packet), PROBE(makes_alg), PROBE(makes_a_socket_pair), PROBE(forks), PROBE(forks_by_library),
    PROBE(spawns), PROBE(executes), PROBE(traces), PROBE(reads_other_memory), PROBE(signals_the_parent),
    PROBE(signals_all), PROBE(enters_a_user_namespace), PROBE(enters_a_network_namespace), PROBE(mounts),
    PROBE(changes_root), PROBE(uses_io_uring), PROBE(uses_keys), PROBE(uses_bpf), PROBE(uses_events),
    PROBE(uses_page_faults), PROBE(shares_memory), PROBE(raises_limits), PROBE(changes_user), PROBE(lives_longer),
    PROBE(allows_dumps), PROBE(makes_set_user_id), PROBE(types_into_the_terminal), PROBE(asks_for_signals),
    PROBE(names_passwords), PROBE(makes_the_plugin_writable), PROBE(changes_times_of_the_plugin),
};

/* Probes that are harmless without a sandbox, for the test that they can succeed at all. */
static const char *const harmless[] = {"reads_passwords", "reads_the_root", "makes_tcp", "makes_unix", "forks",
                                       "spawns", "makes_a_file", "renames", "removes"};

struct rsp_demuxer { int unused; };

static int32_t probe(const rsp_factory *f, const uint8_t *b, size_t c, const char *n) {
  return c >= 8 && memcmp(b, "ESCAPING", 8) == 0 ? 100 : 0;
}

static rsp_status demux(const rsp_factory *f, const rsp_source *s, const rsp_options *o, rsp_demuxer **result,
                        rsp_error *e) {
  const char *folder = getenv("ESCAPE_FOLDER");
  int all = getenv("ESCAPE_HARMLESS") == NULL;
  snprintf(victim, sizeof victim, "%s/victim", folder ? folder : "");
  snprintf(fresh, sizeof fresh, "%s/fresh", folder ? folder : "");
  size_t length = 0, tried = 0;
  char list[400] = "";
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
    int wanted = all;
    for (size_t h = 0; h < sizeof harmless / sizeof *harmless; h++) {
      if (strcmp(probes[i].name, harmless[h]) == 0) wanted = 1;
    }
    if (!wanted) continue;
    tried++;
    if (!probes[i].works() || length + 32 > sizeof list) continue;
    length += (size_t)snprintf(list + length, sizeof list - length, " %s", probes[i].name);
  }
  snprintf(e->message, sizeof e->message, "%zu probes, succeeded:%s.", tried, list);
  return RSP_ERROR_LIMIT;
}

static const rsp_media *media(rsp_demuxer *d) { return NULL; }
static rsp_status select_tracks(rsp_demuxer *d, const uint8_t *w, uint32_t c, rsp_error *e) { return RSP_OK; }
static rsp_status read_packet(rsp_demuxer *d, rsp_packet *p, rsp_error *e) { return RSP_END; }
static void close_demuxer(rsp_demuxer *d) {}

static const rsp_magic magics[] = {{0, 8, (const uint8_t *)"ESCAPING"}};
static const rsp_demuxer_factory demuxer = {
    .head = {.struct_size = sizeof(rsp_demuxer_factory), .kind = RSP_FACTORY_DEMUXER, .name = "escape",
             .tier = RSP_TIER_PREFERRED, .long_name = "Escape", .magics = magics, .magic_count = 1},
    .probe = probe, .open = demux, .media = media, .select = select_tracks, .read = read_packet,
    .close = close_demuxer};
static const rsp_factory *const factories[] = {&demuxer.head};
static const rsp_plugin_info info = {sizeof info, 1, "escape", "1", "MIT", factories};
static const rsp_plugin_info *describe(const rsp_host *host) { return &info; }
RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
