// Replays recordings through the C library; the same file runs on the host and on the emulated microcontrollers.
#pragma once

#include "fused.h"
#include "plumb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One recorded sample: microseconds from the start, and Q16.16 g.
typedef struct {
  uint32_t time_us;
  int32_t x, y, z;
} sample_t;

/// A recording; recordings.c is made from the CSV files by recordings.awk.
typedef struct {
  const char *name;
  const sample_t *samples;
  size_t count;
} recording_t;

extern const recording_t recordings[];
extern const size_t recordings_count;

/// What a replay came to.
typedef struct {
  /// FNV-1a over every step that brought an event: its number and all that the step gave.
  uint64_t event_hash;
  /// The same over every step.
  uint64_t step_hash;
  uint32_t steps;
  /// Steps that brought an event.
  uint32_t events;
  /// Whether the library took everything that it was given.
  bool is_good;
} replay_t;

/// The same of a recording with rates of rotation, through a fusion; all that this gives is hashed too.
replay_t replay_fused(const fused_recording_t *recording);

/// Runs `recording` from its beginning through a monitor of the default configuration.
replay_t replay(const recording_t *recording);
