/* Memory whose wrong use ends the process with a reason, and a watch over the calls of a plugin.

   A region ends at an inaccessible page.  It can be made read-only.  After its release it is inaccessible, so that a
   later access is found.  A table of regions makes a reason out of the address of a fault. */
#ifndef RESPOOL_GUARD_H
#define RESPOOL_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* Returns `size` writable bytes that end at an inaccessible page; NULL: no memory.  `what` names the bytes in reasons,
   such as "a frame", and must live as long as the process.  One thread at a time allocates. */
uint8_t *guard_allocate(size_t size, const char *what);

/* Makes the bytes of a region read-only. */
void guard_lend(uint8_t *bytes);

/* Makes the bytes of a region inaccessible.  Any thread. */
void guard_release(uint8_t *bytes);

/* Number of regions that have been allocated and not released. */
int64_t guard_live(void);

/* Sets the name of the call that is about to run, for reasons; it must live as long as the process. */
void guard_enter(const char *call);

/* Makes a crash and the end of the time limit write a line to `descriptor` and end the process.  The line is
   "crash" or "late" and the reason, with a tab between them. */
void guard_install(int descriptor);

/* Writes such a line with the reason `words` and ends the process.  Any thread. */
void guard_fail(const char *words) __attribute__((noreturn));

/* Starts the time limit again, in seconds; 0: no limit. */
void guard_limit(double seconds);

/* Number of bytes of the heap that are in use. */
int64_t guard_heap(void);

/* Number of bytes of this process that are in memory. */
int64_t guard_resident(void);

/* The most bytes of this process that were in memory at one time.  The peak of getrusage(2) contains that of the process
   that started this one: exec(2) keeps it. */
int64_t guard_peak_resident(void);

/* Fills memory that the heap hands out, and memory that is freed, with bytes made of `pattern`; 0: not. */
void guard_fill_heap(int pattern);

/* Replaces standard output by a file in memory. */
void guard_take_output(void);

/* Copies up to `count` bytes that were written to standard output since the last call.  Returns their number, which
   may be greater than `count`. */
int64_t guard_output(char *bytes, int64_t count);

/* Limits the size of files that this process writes, in bytes; negative: no limit. */
void guard_limit_files(int64_t bytes);

#endif
