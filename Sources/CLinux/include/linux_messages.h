/* Messages with open files between two processes (unix(7), SCM_RIGHTS), and the process to exchange them with. */
#ifndef RESPOOL_LINUX_MESSAGES_H
#define RESPOOL_LINUX_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Greatest number of files in one message. */
#define LINUX_MOST_FILES 16

/* Creates two connected sockets that keep the limits of messages (SOCK_SEQPACKET) and are closed on exec. Returns 0, or
   -1 with errno. */
int linux_message_sockets(int ends[2]);

/* Sends a message with `count` open files, at most LINUX_MOST_FILES. The other process gets descriptors of its own.
   Returns 0, or an errno. */
int linux_send_message(int socket, const void *bytes, size_t length, const int *files, int count);

/* Waits for a message and stores up to `capacity` bytes of it. `files` has room for LINUX_MOST_FILES descriptors, which
   are closed on exec; `count` is set to their number. Returns the length of the message, 0 if the other process has
   closed its end, or -1 with errno; EMSGSIZE for a message that is longer than `capacity`. */
int64_t linux_receive_message(int socket, void *bytes, size_t capacity, int *files, int *count);

/* Calls fork(2), which Swift's Glibc module lacks. Only for processes with one thread. */
pid_t linux_fork(void);

#endif
