// Client connections to a Unix socket or a TCP port, made without ever blocking. csupport_socket.h receives, sends and
// closes. They need no library.
#ifndef CSUPPORT_CONNECT_H
#define CSUPPORT_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

// Starts to connect to the Unix socket `path`. Returns a descriptor for csupport_connect_outcome, or -errno.
int csupport_connect_unix(const char *path);

enum { CSUPPORT_CONNECT_MOST_ADDRESSES = 8 };

// The addresses of a host.
struct csupport_connect_addresses {
  uint32_t count;
  uint32_t sizes[CSUPPORT_CONNECT_MOST_ADDRESSES];
  uint64_t bytes[CSUPPORT_CONNECT_MOST_ADDRESSES][4];
};

// The only function here that uses the heap, inside the C library. Looks up the addresses of `host`, a name or a
// numeric IPv4 or IPv6 address, with `port`. Waits for the reply if `host` is a name other than localhost, which is
// 127.0.0.1. Returns 0, or a code for csupport_connect_lookup_text.
int csupport_connect_look_up(const char *host, uint16_t port, struct csupport_connect_addresses *addresses);

// The system's English text for a code of csupport_connect_look_up; never NULL.
const char *csupport_connect_lookup_text(int code);

// Starts to connect to address `index`. Returns a descriptor or -errno, as csupport_connect_unix.
int csupport_connect_tcp(const struct csupport_connect_addresses *addresses, uint32_t index);

// The state of a connection: 1 in progress, 0 established, or -errno.
int csupport_connect_outcome(int descriptor);

// Why a connection failed; each cause needs a different remedy.
enum csupport_connect_trouble {
  CSUPPORT_CONNECT_OTHER = 0,
  CSUPPORT_CONNECT_NO_SOCKET = 1,     // ENOENT, ENOTDIR: no file; ENXIO, ENODEV, EIO: no device
  CSUPPORT_CONNECT_NO_LISTENER = 2,   // ECONNREFUSED
  CSUPPORT_CONNECT_NOT_PERMITTED = 3, // EACCES, EPERM
  CSUPPORT_CONNECT_NOT_A_SOCKET = 4,  // EPROTOTYPE, ENOTSOCK, ENOTTY: a file or socket of another kind
  CSUPPORT_CONNECT_IN_USE = 5,        // EBUSY: a serial device of another program
  CSUPPORT_CONNECT_SEVERAL = 6,       // ENOTUNIQ: several boards
};
enum csupport_connect_trouble csupport_connect_trouble(int code);

// Whether `code` means that a Unix socket does not exist yet, but may later.
bool csupport_connect_is_early(int code);

// The errno for a connection that takes too long.
int csupport_connect_timed_out(void);

// The system's English text for `code`, an errno; never NULL.
const char *csupport_connect_text(int code);

#endif
