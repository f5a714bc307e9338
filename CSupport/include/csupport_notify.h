// Reports the state to the service manager (systemd). Its datagram protocol takes a few lines, so libsystemd need not
// be linked, nor be present on the Raspberry Pi.
#ifndef CSUPPORT_NOTIFY_H
#define CSUPPORT_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

// Opens the socket that NOTIFY_SOCKET names: a path, or a name in the abstract name space after '@'.
// Returns 0 or -errno. Also returns 0 without a service manager; the other functions then do nothing.
int csupport_notify_open(void);

// Sends `text`: assignments such as READY=1, one on each line. Never waits. Returns 0 or -errno.
int csupport_notify_send(const char *text, size_t count);

// The time in microseconds within which the service manager expects WATCHDOG=1 (WATCHDOG_USEC, unless WATCHDOG_PID is
// another process), or 0 if it does not.
int64_t csupport_notify_watchdog(void);

#endif
