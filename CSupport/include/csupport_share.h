// Sockets for the owner of a sensor, which shares its observations: listening and accepting without ever blocking;
// csupport_socket.h sends, receives and closes. Only system calls: who gets what is decided in Swift
// (Sources/Stream/Stream).
#ifndef CSUPPORT_SHARE_H
#define CSUPPORT_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The longest path of a socket in bytes.
enum { CSUPPORT_SHARE_PATH_MAX = 107 };

// Listens on the Unix socket `path`, mode 0660. A socket file without a listener, left by a program that was
// killed, is replaced. Returns a descriptor or -errno:
//   -EADDRINUSE    another program listens there
//   -EEXIST        there is a file of another kind
//   -ENAMETOOLONG  the path is empty or too long
int csupport_share_listen_unix(const char *path);

// Removes the file of the Unix socket at `path` on which this process listens. If something else is there by now, it
// stays.
void csupport_share_remove(const char *path);

// Whether `host` is an address that can be listened on: a numeric IPv4 or IPv6 address, or "localhost".
bool csupport_share_is_address(const char *host);

// Whether only programs on this computer can reach `host`.
bool csupport_share_is_loopback(const char *host);

// Listens on TCP port `port` of `host`. Returns a descriptor or -errno; -EINVAL if `host` is not an address.
int csupport_share_listen_tcp(const char *host, uint16_t port);

// The TCP port on which `listener` listens, chosen by the system if 0 was requested. Or -errno.
int csupport_share_port(int listener);

// The number of sockets that the service manager has opened for this process (LISTEN_FDS, LISTEN_PID). They are the
// descriptors from CSUPPORT_SHARE_FIRST on.
int csupport_share_activated(void);
enum { CSUPPORT_SHARE_FIRST = 3 };

// The kind of a listening socket.
enum csupport_share_kind {
  CSUPPORT_SHARE_OTHER = 0,    // not a listening stream socket
  CSUPPORT_SHARE_UNIX = 1,     // a Unix socket
  CSUPPORT_SHARE_LOOPBACK = 2, // TCP that only this computer can reach
  CSUPPORT_SHARE_TCP = 3,      // TCP
};
enum csupport_share_kind csupport_share_kind(int listener);

// Prepares a listening socket from the service manager for use. Returns 0 or -errno.
int csupport_share_adopt(int listener);

// Accepts a connection. Returns a descriptor, -EAGAIN if there is none, or -errno.
int csupport_share_accept(int listener);

// Whether `code`, the errno of an accept, means that this process or the system has no room for one more descriptor.
bool csupport_share_is_exhausted(int code);

// The meaning of an error `code` of csupport_share_listen_unix or csupport_share_listen_tcp.
enum csupport_share_trouble {
  CSUPPORT_SHARE_NO_SOCKET = 0, // anything else
  CSUPPORT_SHARE_IN_USE = 1,
  CSUPPORT_SHARE_NOT_A_SOCKET = 2,
  CSUPPORT_SHARE_BAD_PATH = 3,
  CSUPPORT_SHARE_NO_ADDRESS = 4, // no address of this computer
};
enum csupport_share_trouble csupport_share_trouble(int code);

// Creates a set of descriptors to wait for: while one of them is ready, it ends waits with CSUPPORT_WOKEN_BY_STREAM
// (csupport_wait.h). Returns an epoll descriptor, to be closed with csupport_socket_close, or -errno.
int csupport_share_open_set(void);

// What to wait for; bits. A client that has gone is always noticed.
enum { CSUPPORT_SHARE_INPUT = 1, CSUPPORT_SHARE_ROOM = 2 };

// Adds a descriptor with what to wait for; `place` is returned when it is ready. Closing it removes it. Returns 0 or
// -errno.
int csupport_share_add(int set, int descriptor, uint32_t place, int wanted);

// Changes what to wait for. Returns 0 or -errno.
int csupport_share_change(int set, int descriptor, uint32_t place, int wanted);

// A descriptor that is ready.
struct csupport_share_ready {
  uint32_t place;
  bool has_input, has_room;
  bool is_gone; // both directions are closed
};

enum { CSUPPORT_SHARE_MOST_READY = 24 };

// Gets ready descriptors, at most CSUPPORT_SHARE_MOST_READY, without waiting. Returns their number or -errno.
int csupport_share_take(int set, struct csupport_share_ready *ready);

// The ID of this process.
int csupport_share_process(void);

#endif
