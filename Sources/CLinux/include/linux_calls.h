/* Calls of Linux that Swift's Glibc module leaves out: GNU extensions and variadic functions. */
#ifndef RESPOOL_LINUX_CALLS_H
#define RESPOOL_LINUX_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* copy_file_range(2) without flags. */
int64_t linux_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);

/* A pipe whose ends are closed on exec: the one to read from, then the one to write to. */
int linux_pipe(int ends[2]);

/* The calling process gets SIGKILL when the thread that started it ends (prctl(2)), and leaves no core
   file when it crashes. */
void linux_die_with_parent(void);

#endif
