// The monotonic clock, and the one wait of all programs here: it ends at an instant, with a signal, or with another
// descriptor of its set. In C so that Swift need not handle struct timespec, whose fields have 32 bits on some
// Raspberry Pis.
#ifndef CSUPPORT_WAIT_H
#define CSUPPORT_WAIT_H

#include <stdbool.h>
#include <stdint.h>

// Microseconds of CLOCK_MONOTONIC.
int64_t csupport_clock_now(void);

// What ended a wait; bits. A further kind of descriptor (such as a socket) takes the next bit.
enum {
  CSUPPORT_WOKEN_BY_SIGNAL = 1, // csupport_signals.h
  CSUPPORT_WOKEN_BY_DATA = 2,   // an edge of a data-ready line, csupport_ready.h
};

// In place of a set: that of the process, which has only the signals.
enum { CSUPPORT_WAIT_FOR_SIGNALS = -1 };

// Creates a set of descriptors to wait for, with the one of the signals. Returns an epoll descriptor, to be closed with
// close(), or -errno.
int csupport_wait_open(void);

// Adds `descriptor`, which ends waits with `bit` while it can be read, or with `once` only once for each event, whether
// or not that was read. Closing the descriptor removes it. Returns 0 or -errno.
int csupport_wait_add(int set, int descriptor, uint32_t bit, bool once);

// Waits until `deadline`, in microseconds of CLOCK_MONOTONIC: it never times out early, and a deadline that
// has passed ends it at once. A signal that came before the wait counts. One system call for a wait of up to an hour,
// two on kernels before 5.11. Returns the bits of what ended it, 0 for a time-out, or -errno.
int csupport_wait(int set, int64_t deadline);

#endif
