// What a program that runs without a terminal needs of Linux: signals as requests, a wait until an instant that they
// end, the scheduling class of real time, and lines for the journal. In C because a signal handler may do next to
// nothing, and because Embedded Swift has no libc.
#ifndef CSUPPORT_DAEMON_H
#define CSUPPORT_DAEMON_H

#include <stddef.h>
#include <stdint.h>

// What somebody asks of the program by a signal; bits.
enum csupport_request {
  CSUPPORT_STOP = 1,     // SIGTERM, SIGINT: end in good order
  CSUPPORT_RELOAD = 2,   // SIGHUP: read the board file again
  CSUPPORT_COUNTERS = 4, // SIGUSR1: tell the counters
};

// Takes the signals over, and lets SIGPIPE do nothing: writing fails instead. Returns 0 or -errno.
// Not together with csupport_signals.h, which is for programs at a terminal.
int csupport_daemon_begin(void);

// The requests that have come and were not taken before, in one word; 0 for none. A stop stays.
unsigned csupport_daemon_requests(void);

// Waits until `deadline`, in microseconds of CLOCK_MONOTONIC, in one system call; at once when it has passed.
// Returns 0, or -EINTR when a request is there, be it since before the wait. No request is slept through.
int csupport_daemon_wait(int64_t deadline);

// Asks for the real-time scheduling class at `priority`, and for memory that stays resident.
// Returns how many of the two were granted, 0 to 2: who got none of them works all the same.
int csupport_daemon_realtime(int priority);

// The importance of a line, as syslog counts.
enum csupport_importance {
  CSUPPORT_ERROR = 3,
  CSUPPORT_WARNING = 4,
  CSUPPORT_NOTICE = 5,
  CSUPPORT_INFORMATION = 6,
};

// The longest line that csupport_daemon_say takes, without its end.
enum { CSUPPORT_LONGEST_LINE = 1000 };

// Writes a line to standard output (1) or standard error (2), with its importance before it where the journal reads
// there (JOURNAL_STREAM). Never waits: where the reader is slow the line is dropped. Returns 0 or -errno.
int csupport_daemon_say(int descriptor, enum csupport_importance importance, const char *text, size_t count);

// What `code`, an errno, means, in the system's English words; never NULL.
const char *csupport_error_text(int code);

#endif
