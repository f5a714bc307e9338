// The whole step, ours and the reference's, over the recordings.
#pragma once

#include <stdbool.h>

/// Counts both, and writes how far they agree; false if they differ.
bool steps_measure(void);
