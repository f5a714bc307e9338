// Instructions per call, counted by the emulator.
#pragma once

#include <stdbool.h>

/// Writes `count NAME CALLS LEAST TOTAL MOST` for every function; false if the counts cannot be trusted.
bool report_counts(void (*write)(const char *));
