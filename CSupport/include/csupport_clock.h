// The monotonic clock, and a wait that a stop signal ends. Here rather than in Swift so that the core's arithmetic on
// microseconds never meets struct timespec, whose fields are 32 bits wide on some Raspberry Pis.
#ifndef CSUPPORT_CLOCK_H
#define CSUPPORT_CLOCK_H

#include <stdint.h>

// Microseconds of CLOCK_MONOTONIC.
int64_t csupport_clock_now(void);

// Waits until `deadline`, in microseconds of CLOCK_MONOTONIC: never ends early, returns at once when that has passed.
// Returns 0, or -EINTR when a stop signal has come, be it before or during the wait (see csupport_signals.h).
// One system call for a wait of up to an hour.
int csupport_clock_sleep_until(int64_t deadline);

#endif
