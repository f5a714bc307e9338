#include "csupport_socket.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int csupport_socket_receive(int descriptor, void *bytes, size_t count) {
  ssize_t received = 0;
  do
    received = recv(descriptor, bytes, count, MSG_DONTWAIT);
  while (received < 0 && errno == EINTR);
  if (received < 0 && errno == ENOTSOCK)
    received = read(descriptor, bytes, count);
  return received < 0 ? -errno : (int)received;
}

int csupport_socket_send(int descriptor, const void *first, size_t first_count, const void *second,
                         size_t second_count) {
  struct iovec parts[] = {{(void *)(uintptr_t)first, first_count}, {(void *)(uintptr_t)second, second_count}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = second_count > 0 ? 2 : 1};
  ssize_t sent = 0;
  do
    sent = sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0 && errno == ENOTSOCK)
    sent = writev(descriptor, parts, (int)message.msg_iovlen);
  return sent < 0 ? -errno : (int)sent;
}

bool csupport_socket_is_blocked(int code) { return code == EAGAIN; }

void csupport_socket_close(int descriptor) { close(descriptor); }
