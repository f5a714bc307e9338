// The monotonic clock, and the single wait function of all programs here: a wait ends at an instant, with a signal, or
// with another descriptor of its set. In C so that Swift need not handle struct timespec, whose fields have 32 bits on
// some Raspberry Pis.
#ifndef CSUPPORT_WAIT_H
#define CSUPPORT_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Microseconds of CLOCK_MONOTONIC.
int64_t csupport_clock_now(void);

// Microseconds since the beginning of 1970 in UTC, or -1 if the clock is evidently not set: before 2025.
int64_t csupport_clock_wall(void);

// What ended a wait; bits.
enum {
  CSUPPORT_WOKEN_BY_SIGNAL = 1, // csupport_signals.h
  CSUPPORT_WOKEN_BY_DATA = 2,   // an edge of a data-ready line, csupport_ready.h
  CSUPPORT_WOKEN_BY_STREAM = 4, // a client of csupport_share.h; it ends waits until it is served
};

// Instead of a set: that of the process, which has only the signals.
enum { CSUPPORT_WAIT_FOR_SIGNALS = -1 };

// Creates a set of descriptors to wait for, including that of the signals, and that of the streams if it exists
// already. Returns an epoll descriptor, to be closed with close(), or -errno.
int csupport_wait_open(void);

// The set of the sets of streams (csupport_share.h), which ends the waits of the process's set, and of every set that
// is opened afterwards. One descriptor for all of them, so that a wait does not depend on their number. Created at
// first use, and never closed. Returns an epoll descriptor or -errno.
int csupport_wait_streams(void);

// Adds `descriptor`, which ends waits with `bit` while it can be read; with `once`, only once for each event, whether
// read or not. Closing the descriptor removes it. Returns 0 or -errno.
int csupport_wait_add(int set, int descriptor, uint32_t bit, bool once);

// Waits until `deadline`, in microseconds of CLOCK_MONOTONIC. It never times out early, and a deadline that has passed
// ends it at once, even if streams are ready, but not twice in a row. A signal that came before the wait counts. One
// system call for a wait of up to an hour, two on kernels before 5.11. Returns the bits of what ended it, 0 for a
// time-out, or -errno.
int csupport_wait(int set, int64_t deadline);

// A descriptor of csupport_wait_for.
struct csupport_wait_descriptor {
  int descriptor;     // below 0: ignored
  bool is_written_to; // whether to wait for it to be writable as well
  bool is_ready;      // set by the wait: readable, writable if requested, or broken
};

enum { CSUPPORT_WAIT_MOST = 4 };

// Waits for `count` descriptors, at most CSUPPORT_WAIT_MOST, until `deadline` as csupport_wait. For a loop whose
// descriptors differ each time. A signal ends it only through csupport_signals_descriptor(). Returns how many are
// ready, 0 for a time-out, or -errno.
int csupport_wait_for(struct csupport_wait_descriptor *descriptors, size_t count, int64_t deadline);

#endif
