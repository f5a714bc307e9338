// The part of plumb.h for taps and falls. Include plumb.h, which defines the units.
#ifndef PLUMB_TAPS_H
#define PLUMB_TAPS_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Taps, double taps and free fall, in samples
// ----------------------------------------------------

// What a sample completes.
enum plumb_taps_event {
  PLUMB_TAP = 1 << 0,        // a tap that no second one followed: axis, sign
  PLUMB_DOUBLE_TAP = 1 << 1, // two taps: axis and sign of the first
  PLUMB_LANDING = 1 << 2     // a landing: fall_us
};

// What counts as a tap and as a fall. Fill it with plumb_taps_config_default and change what you need. The limits are
// those of the ADXL345, and so is the rule: a tap is a force of more than the threshold, including gravity, for at most
// the duration; a second one that begins in the window, which opens after the latency, makes it a double tap. A fall is
// less than the fall threshold on all axes for at least the fall time.
typedef struct plumb_taps_config {
  uint32_t size;          // sizeof(plumb_taps_config_t), which plumb_taps_config_default sets
  int32_t threshold;      // g, Q16.16, 4096..1044480 (0.0625..15.9375). Default 3
  uint32_t duration_us;   // the longest tap, 625..159375. Default 20000
  uint32_t latency_us;    // 1250..318750. Default 80000
  uint32_t window_us;     // 1250..318750. Default 300000
  int32_t fall_threshold; // g, Q16.16, 4096..61440 (0.0625..0.9375). Default 0.375
  uint32_t fall_time_us;  // the shortest fall, 5000..1275000. Default 100000
  uint8_t axes;           // the axes for taps: 1 x, 2 y, 4 z, and sums of these. Default 7, all
  uint8_t double_taps;    // 1: taps wait for a second one. 0: each is reported at once. Default 1
  uint8_t reserved[2];    // 0
} plumb_taps_config_t;

// The size of a tap detector in bytes, on every target.
#define PLUMB_TAPS_SIZE 256

// A detector of taps and falls. You can place, copy and discard it like a plumb_monitor_t.
typedef struct plumb_taps {
  uint64_t storage[PLUMB_TAPS_SIZE / 8];
} plumb_taps_t;

// The result of a step.
typedef struct plumb_taps_output {
  uint8_t events;   // the sum of enum plumb_taps_event; 0 for most samples
  uint8_t axis;     // of a tap: 0 x, 1 y, 2 z
  int8_t sign;      // of a tap: 1 if it pushed the board along the axis, -1 if the other way
  uint8_t reserved; // 0
  uint32_t fall_us; // of a landing: how long the board fell
} plumb_taps_output_t;

// Fills `config` with the defaults. Returns PLUMB_OK or an error, as plumb_config_default.
int32_t plumb_taps_config_default_v3(plumb_taps_config_t *config, uint32_t size);
static inline int32_t plumb_taps_config_default(plumb_taps_config_t *config) {
  return plumb_taps_config_default_v3(config, (uint32_t)sizeof *config);
}

// Initialises a detector. `config` may be NULL for the defaults; it is copied. Returns PLUMB_OK, PLUMB_ERROR_NULL,
// PLUMB_ERROR_SIZE, PLUMB_ERROR_RESERVED, or PLUMB_ERROR_TAPS if a value is out of range; the detector is then not
// initialised.
int32_t plumb_taps_init_v3(plumb_taps_t *taps, const plumb_taps_config_t *config);
static inline int32_t plumb_taps_init(plumb_taps_t *taps, const plumb_taps_config_t *config) {
  return plumb_taps_init_v3(taps, config);
}

// Processes the specific force of the sample of `time_us` in g, Q16.16, such as `force` of a monitor's output. Taps
// last 5 to 20 ms: take at least 200 samples a second. A pause of more than 0.1 s ends a tap, one of more than 0.25 s a
// fall. Fills *output; returns PLUMB_OK, PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED; after an error *output is
// unchanged. Does not divide.
int32_t plumb_taps_step(plumb_taps_t *taps, const plumb_vector_t *force, uint64_t time_us, plumb_taps_output_t *output);

#ifdef __cplusplus
}
#endif

#endif
