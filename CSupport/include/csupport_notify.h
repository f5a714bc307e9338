// Tells the service manager (systemd) how things stand: its datagram protocol in a few lines, so that no libsystemd has
// to be linked or found on a Raspberry Pi.
#ifndef CSUPPORT_NOTIFY_H
#define CSUPPORT_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

// Opens the socket that NOTIFY_SOCKET names: a path, or a name in the abstract name space after '@'.
// Returns 0; also where there is no service manager, when the other functions do nothing; or -errno.
int csupport_notify_open(void);

// Sends `text`, assignments such as READY=1, a line each. Never waits. Returns 0 or -errno.
int csupport_notify_send(const char *text, size_t count);

// Within how many microseconds the service manager wants to hear WATCHDOG=1 (WATCHDOG_USEC, unless WATCHDOG_PID is
// another process's), or 0 where it does not.
int64_t csupport_notify_watchdog(void);

#endif
