// The part of plumb.h for vibration. Include plumb.h, which defines the units. Frequencies are Q16.16 Hz.
#ifndef PLUMB_VIBRATION_H
#define PLUMB_VIBRATION_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Vibration: how strong, in which bands, and whether a machine works ---------------------------------------------

// What ended with a sample, as bits.
enum plumb_vibration_event {
  PLUMB_VIBRATION_SECOND = 1 << 0, // a second: its values are in the output
  PLUMB_VIBRATION_BUSY = 1 << 1,   // the machine is now busy, since since_us
  PLUMB_VIBRATION_QUIET = 1 << 2   // the machine is now quiet, since since_us; always after BUSY
};

// The largest number of bands.
#define PLUMB_VIBRATION_BANDS 8

// What to watch. Fill it with plumb_vibration_config_default and change what you need.
typedef struct plumb_vibration_config {
  uint32_t size;      // sizeof(plumb_vibration_config_t), which plumb_vibration_config_default sets
  uint32_t period_us; // between two samples, 200..1000000. Default 10000
  int32_t edges[PLUMB_VIBRATION_BANDS + 1]; // of the bands, Hz, 0..2500, in ascending order. Default 0
  uint8_t edge_count;                       // of these, 2..9; 0, the default: the usual bands for the period
  uint8_t reserved[3];                      // 0
  int32_t busy_threshold;                   // g, Q16.16, up to 16: a machine with at least this is busy. Default 0.05
  int32_t quiet_threshold;                  // g, up to busy_threshold: a machine with less is quiet. Default 0.03
  uint32_t busy_time_ms;                    // for how long, up to 86400000. Default 10000
  uint32_t quiet_time_ms;                   // the same for quiet. Default 120000
} plumb_vibration_config_t;

// The size of a vibration in bytes, on every target.
#define PLUMB_VIBRATION_SIZE 2816

// The vibration of a board. You can place, copy and discard it like a plumb_monitor_t. Its spectra use blocks of 128
// samples, so they separate frequencies that differ by a 64th of the rate, and below 64 samples a second not every
// second has bands.
typedef struct plumb_vibration {
  uint64_t storage[PLUMB_VIBRATION_SIZE / 8];
} plumb_vibration_t;

// A second of vibration, without gravity.
typedef struct plumb_vibration_output {
  uint64_t start_us;                    // the time of its first sample
  uint64_t end_us;                      // of the next sample; before a pause, a period after its last one
  uint64_t since_us;                    // for BUSY and QUIET: since when. Otherwise 0
  plumb_vector_t rms;                   // of each axis, g
  plumb_vector_t peak;                  // the largest distance of each axis from its mean, g
  int32_t total;                        // the root mean square of all axes together, g
  int32_t bands[PLUMB_VIBRATION_BANDS]; // the same in each band; 0 beyond the last band
  uint32_t samples;                     // the number of samples in the second, up to 65535
  uint32_t blocks;                      // the number of spectra behind the bands; 0: `bands` is unknown
  uint32_t is_busy;                     // 1 while the machine is busy
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
// half periods starts new blocks. Components are clamped to +-128 g. Returns bits of enum plumb_vibration_event, 0 for
// most samples, or PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED. Fills *output if it returns more than 0; otherwise
// *output is unchanged. At most one transform per sample: docs/vibration.md.
int32_t plumb_vibration_step(plumb_vibration_t *vibration, const plumb_vector_t *force, uint64_t time_us,
                             plumb_vibration_output_t *output);

// The bands in use: fills edges[0] to edges[PLUMB_VIBRATION_BANDS], Hz, 0 beyond the last edge. Returns the number of
// bands, or an error (negative), after which `edges` is unchanged.
int32_t plumb_vibration_edges(const plumb_vibration_t *vibration, int32_t *edges);

#ifdef __cplusplus
}
#endif

#endif
