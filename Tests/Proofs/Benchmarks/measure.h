// Starts and stops callgrind's counting.
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <valgrind/callgrind.h>

static inline void measure_begin(void) {
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
}

static inline void measure_pause(void) { CALLGRIND_TOGGLE_COLLECT; }

static inline void measure_resume(void) { CALLGRIND_TOGGLE_COLLECT; }

/// `kind` is "count", or "empty" for the empty calls; `row` and `column` give the count's place in the table.
static inline void measure_end(const char *kind, const char *row, const char *column, size_t calls) {
  char name[80];
  CALLGRIND_TOGGLE_COLLECT;
  (void)snprintf(name, sizeof name, "%s %s %s %zu", kind, row, column, calls);
  CALLGRIND_DUMP_STATS_AT(name);
}
