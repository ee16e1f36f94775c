/* Restrictions that a process puts on itself before it reads files that may be hostile (landlock(7), seccomp(2)).
   None of them can be removed again; threads and loaded code inherit them. They need no privileges. */
#ifndef RESPOOL_LINUX_SANDBOX_H
#define RESPOOL_LINUX_SANDBOX_H

#include <stdbool.h>

/* Returns the version of Landlock's interface in this kernel, or -1 with errno: ENOSYS if the kernel lacks it,
   EOPNOTSUPP if it was disabled at boot. */
int linux_landlock_version(void);

/* Lets the process open files for reading and executing below the `readable` paths, files for reading and folders below
   the `listed` ones, and nothing else anywhere, except that it can make, change and remove files in the folder `scratch`,
   unless that is NULL. Open descriptors stay as they are. Paths that do not exist are left out. The process and all it can
   start lose the right to gain privileges (PR_SET_NO_NEW_PRIVS). Returns 0, or -1 with errno. Applies to the calling thread
   and those that it starts. */
int linux_restrict_files(
    const char *const *readable, int count, const char *const *listed, int listed_count, const char *scratch);

/* Lets the process make only the system calls that conversions need; others fail with EPERM. No sockets, processes,
   programs, signals to other processes, or changed names of files; with `makes_files`, files can be made, renamed and
   removed, as far as linux_restrict_files lets them. Applies to all threads of the process. Call linux_restrict_files
   first. Returns 0, or -1 with errno. */
int linux_restrict_calls(bool makes_files);

/* Returns the number of system calls that linux_restrict_calls allows without `makes_files`. */
int linux_allowed_call_count(void);

/* Tries what a restricted process must not be able to do. Returns true if opening "/" and making a socket are refused;
   `files` and `calls` tell which of them are. */
bool linux_is_restricted(bool *files, bool *calls);

#endif
