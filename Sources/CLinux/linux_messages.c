#define _GNU_SOURCE
#include "linux_messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the descriptors of a message, aligned as its headers must be. */
union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(LINUX_MOST_FILES * sizeof(int))];
};

int linux_message_sockets(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

int linux_send_message(int socket, const void *bytes, size_t length, const int *files, int count) {
  if (count < 0 || count > LINUX_MOST_FILES) return EINVAL;
  struct iovec part = {(void *)bytes, length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  union control control;
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), files, (size_t)count * sizeof(int));
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

int64_t linux_receive_message(int socket, void *bytes, size_t capacity, int *files, int *count) {
  struct iovec part = {bytes, capacity};
  union control control;
  struct msghdr message = {
      .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = control.bytes,
      .msg_controllen = sizeof control.bytes,
  };
  *count = 0;
  ssize_t length;
  do length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (length < 0 && errno == EINTR);
  if (length < 0) return -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    *count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(files, CMSG_DATA(header), (size_t)*count * sizeof(int));
  }
  if (message.msg_flags & MSG_TRUNC) {
    for (int i = 0; i < *count; i++) close(files[i]);
    *count = 0;
    errno = EMSGSIZE;
    return -1;
  }
  return length;
}

pid_t linux_fork(void) { return fork(); }
