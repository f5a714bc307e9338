// Recordings with rotation rates; fused.awk makes fused.c from the CSV files.
#pragma once

#include "plumb.h"

#include <stddef.h>
#include <stdint.h>

/// One recorded sample: microseconds since the start, Q16.16 g, and Q16.16 °/s.
typedef struct {
  uint32_t time_us;
  plumb_vector_t force, rate;
} fused_sample_t;

typedef struct {
  const char *name;
  const fused_sample_t *samples;
  size_t count;
} fused_recording_t;

extern const fused_recording_t fused_recordings[];
extern const size_t fused_recordings_count;
