// What a program without a terminal needs from Linux: real-time scheduling, memory that stays resident, and lines for
// the journal. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_DAEMON_H
#define CSUPPORT_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes the heap take only what is requested. Call it before anything is opened.
void csupport_daemon_begin(void);

// Requests the real-time scheduling class at `priority`, and memory that stays resident: of the whole program, or
// without the code that no sample of the sensor model numbered `model` needs. Returns how many of the two were granted,
// 0 to 2. Everything also works without them.
int csupport_daemon_realtime(int priority, bool is_whole, uint8_t model);

// The importance of a line, with syslog's numbers.
enum csupport_importance {
  CSUPPORT_ERROR = 3,
  CSUPPORT_WARNING = 4,
  CSUPPORT_NOTICE = 5,
  CSUPPORT_INFORMATION = 6,
};

// The longest line that csupport_daemon_say takes, without its end.
enum { CSUPPORT_LONGEST_LINE = 1000 };

// Writes a line to standard output (1) or standard error (2), preceded by its importance if the journal reads there
// (JOURNAL_STREAM). Never waits: if the reader is slow, the line is dropped. Returns 0 or -errno.
int csupport_daemon_say(int descriptor, enum csupport_importance importance, const char *text, size_t count);

#endif
