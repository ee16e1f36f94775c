#define _GNU_SOURCE
#include "linux_calls.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int64_t linux_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count) {
  off_t source = from_offset, target = to_offset;
  return copy_file_range(from, &source, to, &target, count, 0);
}

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

void linux_die_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
}
