// Operations on a connected socket for both ends of a stream, or on a serial line that does not block, without ever
// blocking.
#ifndef CSUPPORT_SOCKET_H
#define CSUPPORT_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

// Receives up to `count` bytes. Returns their number, 0 if the other end sends no more, -EAGAIN if nothing has arrived,
// or -errno.
int csupport_socket_receive(int descriptor, void *bytes, size_t count);

// Sends two pieces of memory in one system call, as much of them as is accepted at once. Returns the number of bytes,
// -EAGAIN for none, or -errno: the other end is gone.
int csupport_socket_send(int descriptor, const void *first, size_t first_count, const void *second,
                         size_t second_count);

// Whether `code` is EAGAIN: nothing at present.
bool csupport_socket_is_blocked(int code);

void csupport_socket_close(int descriptor);

#endif
