/* Linux calls that Swift's Glibc module lacks: GNU extensions and variadic functions. Files are descriptors; offsets
   and lengths are in bytes. */
#ifndef RESPOOL_LINUX_CALLS_H
#define RESPOOL_LINUX_CALLS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 1 if a process has the file open for writing, 0 if none has, and -1 if the file system or the rights of this
   process do not tell that.  Asks for a lease for reading (fcntl(2), F_SETLEASE) and gives it back at once. */
int linux_is_open_for_writing(int file);

/* Returns true if a file is on a server or provided by another process (FUSE), which can copy ranges itself. False if
   this is unknown. */
bool linux_is_remote(int file);

/* Calls copy_file_range(2) without flags. Returns the number of bytes copied, or -1 with errno. */
int64_t linux_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);

/* Inserts a range in the middle of a file without copying the tail (fallocate(2) with FALLOC_FL_INSERT_RANGE).
   Returns 0, or -1 with errno. */
int linux_insert_range(int file, int64_t offset, int64_t length);

/* Creates a file in memory, without a path (memfd_create(2)). Returns a descriptor, or -1 with errno. */
int linux_memory_file(void);

/* Frees the space of a range of a file, which then reads as zeros (fallocate(2) with FALLOC_FL_PUNCH_HOLE). Failures
   are ignored. */
void linux_release_range(int file, int64_t offset, int64_t length);

/* Starts writing a range to the disk, without waiting (sync_file_range(2)). Failures are ignored. */
void linux_start_writing(int file, int64_t offset, int64_t length);

/* Reserves space after the end of a file, without changing its length (fallocate(2)). Failures are ignored. */
void linux_reserve(int file, int64_t offset, int64_t length);

/* Creates a pipe that is closed on exec: `ends` are the read end and the write end. Returns 0, or -1 with errno. */
int linux_pipe(int ends[2]);

/* Makes the calling process get SIGKILL when the thread that started it ends (prctl(2)), and leave no core file when
   it crashes. */
void linux_die_with_parent(void);

/* Closes all descriptors from `first` on (close_range(2)). Failures are ignored. */
void linux_close_from(int first);

/* Sets the name of the calling thread for debuggers, cut to 15 bytes. */
void linux_name_thread(const char *name);

/* Returns true if the kind of a folder's file system takes names for equal that differ in upper and lower case only
   (statfs(2)): FAT, exFAT, NTFS, HFS+, SMB. */
bool linux_folds_names(const char *path);

/* Renames a file unless the new name exists; the names are in open folders or AT_FDCWD. Returns 0, or an errno: EEXIST
   if the name exists. If the file system cannot do this in one step, another process may create the name in between. */
int linux_rename_new(int from_folder, const char *from, int to_folder, const char *to);

/* Opens a folder in the folder `parent`, or AT_FDCWD, for the names in it, which needs no right to read it (O_PATH). With
   `follow`, follows a link as the last part of `path`. Returns a descriptor, or -1 with errno. */
int linux_open_folder(int parent, const char *path, bool follow);

/* Creates a file without a name on the file system of a folder, readable and writable; its space is free again when it
   is closed. Returns the descriptor, or -1 with errno. */
int linux_open_nameless(const char *folder);

/* Locks or unlocks the byte at `offset`, which need not exist, for this open file (fcntl(2) with F_OFD_SETLK). Does not
   wait. Returns 0, or an errno: EAGAIN or EACCES if another open file has the lock. */
int linux_lock_byte(int file, int64_t offset, bool lock);

/* Exchanges the names of two files in one step (renameat2(2) with RENAME_EXCHANGE). If the file system does not support
   that, gives `to` the second name `from`.old first, and then replaces `to` by `from`: `to` is never missing. Returns 0,
   or an errno. */
int linux_exchange(const char *from, const char *to);

/* Exchanges the names of two files in folders that are open, in one step (renameat2(2) with RENAME_EXCHANGE). Returns 0, or
   an errno. */
int linux_exchange_names(int folder, const char *name, int other_folder, const char *other);

/* Gives a file the extended attributes of another, with its access control list, and removes a list that it has got
   from its folder. Leaves out attributes that state the content (security.ima, security.evm), and labels of security
   modules that may not be set. Returns 0; or an errno, with the attribute's name in `name`, at most 255 bytes. */
int linux_copy_extended_attributes(int from, int to, char name[256]);

/* Sets `signals` to SIGINT, SIGTERM and SIGHUP. Leaves out SIGHUP if it is ignored, as under nohup(1): a blocked
   signal becomes pending even if it is ignored. */
void linux_termination_signals(sigset_t *signals);

/* Makes these signals write `words` to standard error and end the process with `status`. `words` must live as long as
   the process. Ignored signals stay ignored. Threads that block the signals later are not affected. */
void linux_end_on_termination(const char *words, int status);

/* Returns a descriptor that becomes readable when one of these signals arrives, or -1 with errno. Blocks the signals
   for the calling thread and the threads that it starts. */
int linux_watch_termination(void);

/* Returns a descriptor that becomes readable when one of the signals arrives, as far as they are blocked, or -1 with
   errno. */
int linux_signal_descriptor(const sigset_t *signals);

/* Waits for a signal of such a descriptor; -1 milliseconds: for ever. Returns its number, or 0 if none came or the wait
   was interrupted. Needs no system call that is forbidden in the sandbox. */
int linux_await_signal(int descriptor, int milliseconds);

/* Waits for a signal that a process has sent; those of others are ignored. */
void linux_await_signal_of(int descriptor, pid_t sender);

/* Takes a signal from such a descriptor. Returns its number, or 0 if there is no signal. Does not wait. */
int linux_next_signal(int descriptor);

/* Lets the calling thread, and the threads and processes that it starts, run on `count` CPUs only, of those on which it
   may run now. `start` is any number; others choose other CPUs. Failures are ignored. */
void linux_limit_cores(int count, unsigned start);

/* Returns the number of CPUs that the calling thread may run on; 1 if unknown. */
int linux_core_count(void);

/* Makes the allocator keep up to `bytes` of freed memory for later allocations (mallopt(3)). */
void linux_keep_memory(int bytes);

/* Calls `found` with the path of every shared object that is loaded into this process (dl_iterate_phdr(3)). */
void linux_each_loaded_object(void (*found)(const char *path, void *context), void *context);

/* Makes a crash of this process write "respool: crash by signal N" and the stack to standard error. Each line of the
   stack is an object with the nearest exported function. The signal then ends the process as usual. Signals that are
   already handled, for example by a sanitizer, are left alone. On SIGUSR2, a thread writes "respool: stack of a thread"
   and its stack in the same form, and goes on. */
void linux_report_crashes(void);

/* Asks a thread of another process, which has called linux_report_crashes, for its stack (tgkill(2)). Returns 0, or -1
   with errno. */
int linux_ask_for_stack(pid_t process, pid_t thread);

/* Returns true if the kernel generates the files below `path` (such as proc and sysfs). False if this is unknown. */
bool linux_is_kernel_file_system(const char *path);

/* Returns the readable form of a function's name in Swift or C++, to be freed; NULL if it has none. */
char *linux_demangle(const char *name);

/* Flushes the stream of standard output. Returns 0, or an errno. The stream does not keep the errno of an earlier
   failure: for it, the result is EPIPE if the output is a closed pipe, else EIO. */
int linux_flush_output(void);

/* Opens a shared library and looks up `count` functions. Returns NULL, or the reason of the failure: the text of
   dlerror(3), which stays valid until the process ends. The library is never closed.

   For libraries that are opened when they are first needed: linking them and their dependencies would slow down every
   start of the command more than everything else together. */
const char *linux_open_functions(
    const char *library, const char *const *names, void **functions, int count);

#endif
