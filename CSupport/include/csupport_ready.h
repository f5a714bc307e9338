// A sensor's data-ready line: waits for its rising edges through the kernel's own GPIO interface (version 2, Linux
// 5.10), because both versions of libgpiod read each event, which costs a system call per sample. Here events are not
// read: an edge-triggered epoll reports that there was one. Events are read in batches, only before some would be lost;
// a lost event would not end a wait (gpiolib-cdev).
#ifndef CSUPPORT_READY_H
#define CSUPPORT_READY_H

#include <stdbool.h>
#include <stdint.h>

// A requested line. A value: nothing is allocated.
struct csupport_ready {
  int line;        // -1 when closed
  int set;         // what ends a wait: the line and the signals (csupport_wait.h)
  unsigned unread; // the number of waits that ended with an edge since events were read
  bool is_stale;   // events may have come while there was no wait
};

// A line that is not open.
#define CSUPPORT_READY_CLOSED ((struct csupport_ready){-1, -1, 0, false})

// Requests the line at `offset` of the chip labelled `label` (csupport_gpio.h) as an input with pull-down, for its
// rising edges, in the name of `consumer`. Returns 0, or -errno with the line closed:
//   -ENODEV  no chip has that label
//   -EACCES  no chip that can be opened has it, and there is no permission to open some
//   -EBUSY   the line is in use
//   -EOPNOTSUPP  the line cannot report edges
//   -EINVAL  the chip has no such line, or the kernel is older than 5.10
int csupport_ready_open(struct csupport_ready *ready, const char *label, uint32_t offset, const char *consumer);

// Releases the line; may be called twice.
void csupport_ready_close(struct csupport_ready *ready);

// Records that time has passed without a wait for edges. The next wait ends at once if there were any.
void csupport_ready_doze(struct csupport_ready *ready);

// Discards all past edges. Call it before reading a sample without a wait.
void csupport_ready_discard(struct csupport_ready *ready);

// Waits for an edge until `deadline`, in microseconds of CLOCK_MONOTONIC. One system call; one more every 32nd time,
// after a time-out, and after csupport_ready_doze. An edge since the last wait counts. Returns what ended the wait, as
// csupport_wait does: the bit of a signal, of data or of a stream, 0 for a time-out, or -errno.
int csupport_ready_wait(struct csupport_ready *ready, int64_t deadline);

#endif
