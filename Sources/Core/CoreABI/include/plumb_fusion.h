// The part of plumb.h for a gyroscope beside the accelerometer: gravity that is correct even while the board moves.
// Include plumb.h, which defines the units. Rates of rotation are Q16.16 degrees per second, counter-clockwise as seen
// from the end of the axis: 65536 is 1 degree per second.
#ifndef PLUMB_FUSION_H
#define PLUMB_FUSION_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Fusion: gravity, heading and rate from six values --------------------------------------------------------------

// How far a fusion can be trusted, as bits.
enum plumb_fusion_flag {
  PLUMB_FUSION_STILL = 1 << 0,    // the board is at rest: for 1.2 s only the sensor's own noise was measured
  PLUMB_FUSION_STARTING = 1 << 1, // no rest has revealed the gyroscope's bias yet: a push tilts gravity more than later
  PLUMB_FUSION_CLIPPED = 1 << 2   // the gyroscope was clipped: gravity may be off by some degrees
};

// The settings of a fusion. Fill it with plumb_fusion_config_default and change what you need. Values out of range are
// clamped.
typedef struct plumb_fusion_config {
  uint32_t size;             // sizeof(plumb_fusion_config_t), which plumb_fusion_config_default sets
  uint32_t time_constant_us; // how long the force is smoothed, 100000..60000000. Default 2200000
  uint32_t longest_gap_us;   // a longer pause restarts, keeping the known bias. At most 500000, the default
  int32_t rate_range;        // the limit of the gyroscope's range, degrees per second. Default 2000
  int32_t force_range;       // the limit of the accelerometer's range, g, up to 16. Default 8
  plumb_vector_t bias;       // the gyroscope's bias if measured before, degrees per second, up to 40. Default 0
} plumb_fusion_config_t;

// The size of a fusion in bytes, on every target.
#define PLUMB_FUSION_SIZE 256

// A fusion. You can place, copy and discard it like a plumb_monitor_t.
typedef struct plumb_fusion {
  uint64_t storage[PLUMB_FUSION_SIZE / 8];
} plumb_fusion_t;

// The result of a step of a fusion.
typedef struct plumb_fusion_output {
  plumb_vector_t gravity; // g
  plumb_vector_t motion;  // linear acceleration: force - gravity, g
  uint32_t flags;         // bits of enum plumb_fusion_flag
} plumb_fusion_output_t;

// Fills `config` with the defaults. Returns PLUMB_OK or an error, as plumb_config_default.
int32_t plumb_fusion_config_default_v3(plumb_fusion_config_t *config, uint32_t size);
static inline int32_t plumb_fusion_config_default(plumb_fusion_config_t *config) {
  return plumb_fusion_config_default_v3(config, (uint32_t)sizeof *config);
}

// Initialises a fusion. `config` may be NULL for the defaults; it is copied. Returns PLUMB_OK, PLUMB_ERROR_NULL or
// PLUMB_ERROR_SIZE; after an error the fusion is not initialised.
int32_t plumb_fusion_init_v3(plumb_fusion_t *fusion, const plumb_fusion_config_t *config);
static inline int32_t plumb_fusion_init(plumb_fusion_t *fusion, const plumb_fusion_config_t *config) {
  return plumb_fusion_init_v3(fusion, config);
}

// Processes the force, g, and the rate of rotation, degrees per second, of one sample, both in the board's frame, at
// `time_us`. The time between samples may vary. Time that stands still changes nothing. Time that runs backwards, or a
// pause over the longest gap, restarts the fusion, which keeps the known bias. Components are clamped to +-16 g and
// +-4000 degrees per second. Fills *output with the same bits on every target; accuracy: docs/fusion.md. Returns
// PLUMB_OK, PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED; after an error *output is unchanged.
int32_t plumb_fusion_step(plumb_fusion_t *fusion, const plumb_vector_t *force, const plumb_vector_t *rate,
                          uint64_t time_us, plumb_fusion_output_t *output);

// The direction of up in the board's frame: a vector of length 1 in Q2.30, (0, 0, 2^30) before any sample. Returns
// PLUMB_OK or an error, as the functions below do; after an error the result is unchanged.
int32_t plumb_fusion_up(const plumb_fusion_t *fusion, plumb_vector_t *up_q30);

// The turn about the vertical since the start, a binary angle, counter-clockwise as seen from above. It is relative: it
// has no reference to north, and it drifts with the remaining error of the gyroscope's bias. PLUMB_ERROR_HEADING within
// 5 degrees of face down, where a heading has no meaning.
int32_t plumb_fusion_heading(const plumb_fusion_t *fusion, int32_t *heading);

// The rate of rotation at the last sample, with the gyroscope's bias removed, degrees per second.
int32_t plumb_fusion_rate(const plumb_fusion_t *fusion, plumb_vector_t *rate);

// The current estimate of the gyroscope's bias, degrees per second.
int32_t plumb_fusion_bias(const plumb_fusion_t *fusion, plumb_vector_t *bias);

// Bits of enum plumb_fusion_flag after the last sample, or an error (negative).
int32_t plumb_fusion_flags(const plumb_fusion_t *fusion);

// ---- A monitor of six values ----------------------------------------------------------------------------------------

// As plumb_config_default, for a monitor that takes gravity from a fusion: gravity then has little noise and contains
// no pushes, so a dwell of 20000 us and an evidence of 0.004 g s are enough.
int32_t plumb_config_fused_v3(plumb_config_t *config, uint32_t size);
static inline int32_t plumb_config_fused(plumb_config_t *config) {
  return plumb_config_fused_v3(config, (uint32_t)sizeof *config);
}

// As plumb_monitor_step, with the rate of rotation that the sensor measured: `force` in g and `rate` in degrees per
// second, both in the sensor's own frame. The monitor's mounting applies to both, its offset and scale to the force.
// Gravity and motion in *output are the fusion's; all angles are those of gravity, and the pose follows from it. A pose
// is lost to free fall by the force, as without a fusion. Returns PLUMB_OK, PLUMB_ERROR_NULL or, for either state,
// PLUMB_ERROR_NOT_INITIALISED; after an error *output and both states are unchanged.
int32_t plumb_monitor_step_fused(plumb_monitor_t *monitor, plumb_fusion_t *fusion, const plumb_vector_t *force,
                                 const plumb_vector_t *rate, uint64_t time_us, plumb_output_t *output);

#ifdef __cplusplus
}
#endif

#endif
