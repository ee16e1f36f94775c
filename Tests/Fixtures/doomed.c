/* For LD_PRELOAD: ends every worker of a batch before it begins, and lets other processes be. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void end(void) {
  char words[4096];
  int file = open("/proc/self/cmdline", O_RDONLY);
  ssize_t count = read(file, words, sizeof words);
  close(file);
  if (count > 0 && memmem(words, (size_t)count, "__worker", 8)) _exit(3);
}
