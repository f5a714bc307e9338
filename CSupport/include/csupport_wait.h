// The monotonic clock, and the one wait of all programs here: it ends at an instant, with a signal, or with whatever
// else its set of descriptors holds. Here rather than in Swift so that the core's arithmetic on microseconds never
// meets struct timespec, whose fields are 32 bits wide on some Raspberry Pis.
#ifndef CSUPPORT_WAIT_H
#define CSUPPORT_WAIT_H

#include <stdbool.h>
#include <stdint.h>

// Microseconds of CLOCK_MONOTONIC.
int64_t csupport_clock_now(void);

// What ended a wait; bits. A further kind of descriptor (a socket, say) takes the next bit.
enum {
  CSUPPORT_WOKEN_BY_SIGNAL = 1, // csupport_signals.h
  CSUPPORT_WOKEN_BY_DATA = 2,   // an edge of a data-ready line, csupport_ready.h
};

// In place of a set: the process's own, which holds the signals alone.
enum { CSUPPORT_WAIT_FOR_SIGNALS = -1 };

// Makes a set of descriptors to wait for, which holds the signals' at first. Returns an epoll descriptor, for close(),
// or -errno.
int csupport_wait_open(void);

// Adds `descriptor`, which ends waits with `bit` when it can be read: as long as that is so, or, with `once`, once for
// each thing that has come, whether or not it was read. Closing it takes it out again. Returns 0 or -errno.
int csupport_wait_add(int set, int descriptor, uint32_t bit, bool once);

// Waits until `deadline`, in microseconds of CLOCK_MONOTONIC: time alone never ends it early, and a deadline that has
// passed ends it at once. A signal that came before the wait counts. One system call for a wait of up to an hour, two
// on kernels before 5.11. Returns the bits of what has ended it, 0 for time, or -errno.
int csupport_wait(int set, int64_t deadline);

#endif
