// Simulated wires, driven by the variable WIRES: one word per reading, with a digit for each line in the order of the
// request ("1010"), or "+6" to let 6 ms pass before the next reading. After the last word the lines cannot be read.
// Time passes in no other way.
#ifndef WIRES_H
#define WIRES_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long wires_ns;

// The next reading, `count` digits; NULL at the end.
static inline const char *wires_next(unsigned count) {
  static char *rest;
  if (!rest)
    rest = strdup(getenv("WIRES") ? getenv("WIRES") : "");
  for (;;) {
    const char *word = strtok_r(rest, " ", &rest);
    if (word && word[0] == '+') {
      wires_ns += atoll(word + 1) * 1000000;
      continue;
    }
    if (word && strlen(word) == count)
      return word;
    errno = EIO;
    return NULL;
  }
}

static inline int wires_clock(clockid_t clock, struct timespec *time) {
  (void)clock;
  time->tv_sec = wires_ns / 1000000000;
  time->tv_nsec = wires_ns % 1000000000;
  return 0;
}

static inline int wires_sleep(const struct timespec *span, struct timespec *rest) {
  (void)rest;
  wires_ns += span->tv_nsec;
  return 0;
}

#define clock_gettime wires_clock
#define nanosleep wires_sleep

#endif
