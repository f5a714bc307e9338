// The part of plumb.h about vibration. Include plumb.h, which defines the units. Frequencies are Q16.16 Hz.
#ifndef PLUMB_VIBRATION_H
#define PLUMB_VIBRATION_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Vibration: how strong, in which bands, and whether a machine works ---------------------------------------------

// What ended with a sample: bits.
enum plumb_vibration_event {
  PLUMB_VIBRATION_SECOND = 1 << 0, // a second: its figures are in the output
  PLUMB_VIBRATION_BUSY = 1 << 1,   // with it the machine counts as at work, since since_us
  PLUMB_VIBRATION_QUIET = 1 << 2   // with it the machine counts as done, since since_us; always after BUSY
};

// The most bands.
#define PLUMB_VIBRATION_BANDS 8

// What is watched. Fill it with plumb_vibration_config_default and change what you need.
typedef struct plumb_vibration_config {
  uint32_t size;      // sizeof(plumb_vibration_config_t), which plumb_vibration_config_default sets
  uint32_t period_us; // between two samples, 200..1000000. Default 10000
  int32_t edges[PLUMB_VIBRATION_BANDS + 1]; // of the bands, Hz, 0..2500, each above the one before. Default 0
  uint8_t edge_count;                       // of these, 2..9; 0, the default: the usual bands of that period
  uint8_t reserved[3];                      // 0
  int32_t busy_threshold;                   // g, Q16.16, up to 16: from here on a machine is busy. Default 0.05
  int32_t quiet_threshold;                  // g, up to the other one: below it a machine is quiet. Default 0.03
  uint32_t busy_time_ms;                    // for how long, up to 86400000. Default 10000
  uint32_t quiet_time_ms;                   // likewise. Default 120000
} plumb_vibration_config_t;

// The size of a vibration in bytes, on every target.
#define PLUMB_VIBRATION_SIZE 2816

// The vibration of a board: you can place, copy and discard it like a plumb_monitor_t. Its spectra are of blocks
// of 128 samples, so that they tell frequencies apart that differ by a 64th of the rate, and below 64 samples a second
// not every second has bands.
typedef struct plumb_vibration {
  uint64_t storage[PLUMB_VIBRATION_SIZE / 8];
} plumb_vibration_t;

// A second of vibration. Gravity is not part of it.
typedef struct plumb_vibration_output {
  uint64_t start_us;                    // the time of its first sample
  uint64_t end_us;                      // of the first sample after it; a period after its last one before a pause
  uint64_t since_us;                    // of BUSY and QUIET: since when. 0 without
  plumb_vector_t rms;                   // of each axis, g
  plumb_vector_t peak;                  // how far each axis goes from its mean, g
  int32_t total;                        // the root mean square of all axes together, g
  int32_t bands[PLUMB_VIBRATION_BANDS]; // the same in each band; 0 beyond the last band
  uint32_t samples;                     // how many the second has, up to 65535
  uint32_t blocks;                      // how many spectra the bands come from; 0: `bands` is not known
  uint32_t is_busy;                     // 1 while the machine is at work
} plumb_vibration_output_t;

// Fills `config` with the defaults. Returns PLUMB_OK or an error, as plumb_config_default.
int32_t plumb_vibration_config_default_v3(plumb_vibration_config_t *config, uint32_t size);
static inline int32_t plumb_vibration_config_default(plumb_vibration_config_t *config) {
  return plumb_vibration_config_default_v3(config, (uint32_t)sizeof *config);
}

// Initialises a vibration. `config` may be NULL for the defaults; it is copied. Returns PLUMB_OK, PLUMB_ERROR_NULL,
// PLUMB_ERROR_SIZE, PLUMB_ERROR_RESERVED, or PLUMB_ERROR_VIBRATION if a value is out of range; the vibration is then
// not initialised.
int32_t plumb_vibration_init_v3(plumb_vibration_t *vibration, const plumb_vibration_config_t *config);
static inline int32_t plumb_vibration_init(plumb_vibration_t *vibration, const plumb_vibration_config_t *config) {
  return plumb_vibration_init_v3(vibration, config);
}

// Processes the force of the sample of `time_us`, g, in any frame that does not turn. A pause of more than two and a
// half periods begins new blocks. Components beyond +-128 g count as that. Returns bits of enum plumb_vibration_event,
// 0 for most samples, or PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED. Fills *output where it returns more than 0;
// otherwise *output is unchanged. At most one transform a sample: docs/vibration.md.
int32_t plumb_vibration_step(plumb_vibration_t *vibration, const plumb_vector_t *force, uint64_t time_us,
                             plumb_vibration_output_t *output);

// The bands that are watched: fills edges[0] to edges[PLUMB_VIBRATION_BANDS], Hz, 0 beyond the last edge. Returns how
// many bands there are, or an error (negative), after which `edges` is unchanged.
int32_t plumb_vibration_edges(const plumb_vibration_t *vibration, int32_t *edges);

#ifdef __cplusplus
}
#endif

#endif
