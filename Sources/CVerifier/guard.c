#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { FREE, OWNED, LENT, RELEASED };

typedef struct {
  uint8_t *start;          /* the inaccessible page before the bytes */
  size_t length;           /* of the whole mapping */
  uint8_t *bytes;
  size_t size;
  const char *what;
  const char *call;        /* during which the region was released */
  _Atomic int state;
} region;

/* A ring: the oldest released regions are given up first. */
#define REGIONS 8192
static region regions[REGIONS];
static size_t next_region;
static _Atomic int64_t live;
static const char *volatile current_call = "start";
static int report_descriptor = -1;

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static size_t rounded(size_t size) {
  size_t page = page_size();
  return (size + page - 1) / page * page;
}

/* Returns an entry that can be used; a released region in it is unmapped.  NULL: all are live. */
static region *vacant(void) {
  for (size_t tries = 0; tries < REGIONS; tries++) {
    region *found = &regions[next_region];
    next_region = (next_region + 1) % REGIONS;
    int state = atomic_load(&found->state);
    if (state == OWNED || state == LENT) continue;
    if (state == RELEASED) munmap(found->start, found->length);
    atomic_store(&found->state, FREE);
    return found;
  }
  return NULL;
}

uint8_t *guard_allocate(size_t size, const char *what) {
  region *r = vacant();
  if (r == NULL) return NULL;
  size_t page = page_size(), inner = rounded(size > 0 ? size : 1);
  uint8_t *start = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  if (mprotect(start + page, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(start, inner + 2 * page);
    return NULL;
  }
  r->start = start;
  r->length = inner + 2 * page;
  r->bytes = start + page + inner - size;
  r->size = size;
  r->what = what;
  r->call = NULL;
  atomic_store(&r->state, OWNED);
  atomic_fetch_add(&live, 1);
  return r->bytes;
}

static region *find(const uint8_t *bytes) {
  for (size_t i = 0; i < REGIONS; i++)
    if (regions[i].bytes == bytes && atomic_load(&regions[i].state) != FREE) return &regions[i];
  return NULL;
}

static void protect(region *r, int protection) {
  size_t page = page_size();
  mprotect(r->start + page, r->length - 2 * page, protection);
}

void guard_lend(uint8_t *bytes) {
  region *r = find(bytes);
  if (r == NULL) return;
  protect(r, PROT_READ);
  atomic_store(&r->state, LENT);
}

void guard_release(uint8_t *bytes) {
  region *r = find(bytes);
  if (r == NULL || atomic_load(&r->state) == RELEASED) return;
  size_t page = page_size();
  r->call = current_call;
  madvise(r->start + page, r->length - 2 * page, MADV_DONTNEED);
  protect(r, PROT_NONE);
  atomic_store(&r->state, RELEASED);
  atomic_fetch_sub(&live, 1);
}

int64_t guard_live(void) { return atomic_load(&live); }

void guard_enter(const char *call) { current_call = call; }

static void say(const char *kind, const char *reason) {
  char line[1024];
  int count = snprintf(line, sizeof line, "%s\t%s\n", kind, reason);
  if (count > (int)sizeof line - 1) count = sizeof line - 1;
  for (char *c = line; c < line + count - 1; c++)
    if (*c == '\n') *c = ' ';
  if (write(report_descriptor, line, (size_t)count) < 0) _exit(71);
}

void guard_fail(const char *words) {
  say("crash", words);
  _exit(70);
}

/* Writes the misuse of a region at `address` to `text`.  Returns 0 if no region is there. */
static int misuse(const uint8_t *address, const char *access, char *text, size_t room) {
  for (size_t i = 0; i < REGIONS; i++) {
    region *r = &regions[i];
    int state = atomic_load(&r->state);
    if (state == FREE || address < r->start || address >= r->start + r->length) continue;
    if (state == RELEASED) {
      snprintf(
          text, room, "%s %s after the host had released it: what is used after the call must be retained", access,
          r->what);
    } else if (address >= r->bytes + r->size) {
      snprintf(text, room, "%s byte %td of %s, which has %zu bytes", access, address - r->bytes, r->what, r->size);
    } else if (address < r->bytes) {
      snprintf(text, room, "%s before the start of %s", access, r->what);
    } else {
      snprintf(text, room, "%s %s, which is lent and must not be written to", access, r->what);
    }
    return 1;
  }
  return 0;
}

static const char *access_kind(const void *context) {
#if defined(__x86_64__)
  const ucontext_t *c = context;
  return c->uc_mcontext.gregs[REG_ERR] & 2 ? "wrote to" : "read";
#else
  (void)context;
  return "accessed";
#endif
}

static const char *signal_name(int number) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGABRT: return "SIGABRT";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    default: return "a signal";
  }
}

static void crashed(int number, siginfo_t *info, void *context) {
  char text[512], words[700];
  const char *access = access_kind(context);
  if ((number == SIGSEGV || number == SIGBUS) && misuse(info->si_addr, access, text, sizeof text))
    snprintf(words, sizeof words, "%s: %s", current_call, text);
  else
    snprintf(words, sizeof words, "crashed in %s: %s", current_call, signal_name(number));
  say("crash", words);
  _exit(70);
}

static void late(int number) {
  (void)number;
  say("late", current_call);
  _exit(72);
}

void guard_install(int descriptor) {
  report_descriptor = descriptor;
  static uint8_t stack[64 << 10];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) sigaction(fatal[i], &action, NULL);
  /* The mask is inherited from a thread of the parent, which may block signals. */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  struct sigaction alarm = {.sa_handler = late, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGALRM, &alarm, NULL);
}

void guard_limit(double seconds) {
  struct itimerval timer = {0};
  timer.it_value.tv_sec = (time_t)seconds;
  timer.it_value.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6);
  setitimer(ITIMER_REAL, &timer, NULL);
}

int64_t guard_heap(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

int64_t guard_resident(void) {
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
  fclose(file);
  return (int64_t)resident * (int64_t)page_size();
}

int64_t guard_peak_resident(void) {
  FILE *file = fopen("/proc/self/status", "re");
  if (file == NULL) return 0;
  char line[256];
  long long kilobytes = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1) break;
  }
  fclose(file);
  return (int64_t)kilobytes << 10;
}

void guard_fill_heap(int pattern) { mallopt(M_PERTURB, pattern); }

static int output = -1;
static int64_t output_seen;

void guard_take_output(void) {
  output = memfd_create("output", MFD_CLOEXEC);
  if (output >= 0) dup2(output, STDOUT_FILENO);
}

int64_t guard_output(char *bytes, int64_t count) {
  fflush(stdout);
  int64_t end = output < 0 ? 0 : lseek(output, 0, SEEK_END);
  int64_t written = end - output_seen;
  if (written <= 0) return 0;
  int64_t wanted = written < count ? written : count;
  if (pread(output, bytes, (size_t)wanted, output_seen) < 0) return 0;
  output_seen = end;
  return written;
}

void guard_limit_files(int64_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}
