// Replays recordings through the C library; the same file runs on the host and on the emulated microcontrollers.
#pragma once

#include "fused.h"
#include "plumb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One recorded sample: microseconds since the start, and Q16.16 g.
typedef struct {
  uint32_t time_us;
  int32_t x, y, z;
} sample_t;

/// A recording; recordings.awk makes recordings.c from the CSV files.
typedef struct {
  const char *name;
  const sample_t *samples;
  size_t count;
} recording_t;

extern const recording_t recordings[];
extern const size_t recordings_count;

/// The result of a replay.
typedef struct {
  /// FNV-1a over every step with an event: its number and all its results.
  uint64_t event_hash;
  /// The same over every step.
  uint64_t step_hash;
  uint32_t steps;
  /// Steps with an event.
  uint32_t events;
  /// Whether the library accepted all of its inputs.
  bool is_good;
} replay_t;

/// The same for a recording with rotation rates, through a fusion, whose results are hashed too.
replay_t replay_fused(const fused_recording_t *recording);

/// Runs `recording` from its beginning through a monitor with the default configuration.
replay_t replay(const recording_t *recording);
