/* Calls of Linux that Swift's Glibc module leaves out: GNU extensions and variadic functions. */
#ifndef RESPOOL_LINUX_CALLS_H
#define RESPOOL_LINUX_CALLS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a file lies on a server, or with another process (FUSE): what copies by itself. */
bool linux_is_remote(int file);

/* copy_file_range(2) without flags. */
int64_t linux_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);

/* fallocate(2) with FALLOC_FL_INSERT_RANGE: room in the middle of a file, whose tail is not copied. 0 or
   -1 with errno. */
int linux_insert_range(int file, int64_t offset, int64_t length);

/* memfd_create(2): a file without a name that lies in memory; -1 with errno. */
int linux_memory_file(void);

/* fallocate(2) with FALLOC_FL_PUNCH_HOLE: gives back what a range of a file takes up; it reads as zeros. */
void linux_release_range(int file, int64_t offset, int64_t length);

/* sync_file_range(2) that starts to write a range to the disk and does not wait for it. */
void linux_start_writing(int file, int64_t offset, int64_t length);

/* fallocate(2) behind the end of a file, whose length stays; where that does not work, nothing happens. */
void linux_reserve(int file, int64_t offset, int64_t length);

/* A pipe whose ends are closed on exec: the one to read from, then the one to write to. */
int linux_pipe(int ends[2]);

/* The calling process gets SIGKILL when the thread that started it ends (prctl(2)), and leaves no core
   file when it crashes. */
void linux_die_with_parent(void);

/* Names the calling thread for debuggers, cut to 15 bytes. */
void linux_name_thread(const char *name);

/* Renames a file unless the new name is taken: 0, or an errno (EEXIST). */
int linux_rename_new(const char *from, const char *to);

/* SIGINT, SIGTERM and SIGHUP; the last not where it is ignored, as nohup has it: once blocked it would come
   all the same. */
void linux_termination_signals(sigset_t *signals);

/* Makes these signals write `words`, which lives as long as the process, on standard error and end the process with
   `status`. Signals that are ignored stay so. Threads that block the signals later are not affected. */
void linux_end_on_termination(const char *words, int status);

/* A descriptor that becomes readable when one of these comes; they are blocked for the calling thread and
   those it starts. -1 with errno. */
int linux_watch_termination(void);

/* Takes a signal from such a descriptor: its number, 0 where none has come. */
int linux_next_signal(int descriptor);

/* The calling process gets SIGTERM when the thread that started it ends. */
void linux_end_with_parent(void);

/* Cores that this process may run on. */
int linux_core_count(void);

/* The allocator keeps up to `bytes` that were given back, for what is asked for next (mallopt(3)). */
void linux_keep_memory(int bytes);

/* Calls `found` with the path of every shared object that is loaded into this process (dl_iterate_phdr(3)). */
void linux_each_loaded_object(void (*found)(const char *path, void *context), void *context);

/* Makes a crash of this process write "respool: crash by signal N" and its stack on standard error, an
   object with the nearest exported function to each line, before the signal ends the process as usual.
   Leaves signals alone that something else handles already, such as a sanitizer. */
void linux_report_crashes(void);

/* True if files below the path are made up by the kernel (proc, sysfs and the like), not stored. */
bool linux_is_kernel_file_system(const char *path);

/* Flushes the stream of standard output: 0, or an errno. The stream keeps no errno of an earlier failure:
   that is EPIPE if the output is a closed pipe, else EIO. */
int linux_flush_output(void);

/* Opens a shared library and looks up `count` functions. Null where that worked, else why not.

   For libraries that are opened when they are first needed: linked, they and what they need in turn
   would cost every start of the command more than all the rest. */
const char *linux_open_functions(
    const char *library, const char *const *names, void **functions, int count);

#endif
