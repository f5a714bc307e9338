// What daemon.c and ready.c share: a wait of a given length that no request is slept through.
#ifndef CSUPPORT_DAEMON_PATIENCE_H
#define CSUPPORT_DAEMON_PATIENCE_H

#include <linux/time_types.h>
#include <stdint.h>

// How long the wait under way is to last at most, as the kernel takes it. The signal handler sets it to 0, so that a
// signal that comes after requests were looked at, but before the kernel sleeps, is not slept through.
extern volatile struct __kernel_timespec csupport_daemon_patience;

// Begins a wait of `microseconds`. Returns 0, or -EINTR where a request is there.
int csupport_daemon_begin_wait(int64_t microseconds);

// Whether a request is there, which has ended the wait or will be looked at after it: -EINTR, else 0.
int csupport_daemon_end_wait(void);

#endif
