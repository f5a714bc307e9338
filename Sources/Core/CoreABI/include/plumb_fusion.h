// The part of plumb.h about a gyroscope beside the accelerometer: gravity that is right while the board moves. Include
// plumb.h, which has the units. Rates of rotation are Q16.16 degrees a second, counter-clockwise seen from the end of
// the axis: 65536 is 1 degree a second.
#ifndef PLUMB_FUSION_H
#define PLUMB_FUSION_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Fusion: gravity, heading and rate from six values --------------------------------------------------------------

// How far a fusion can be trusted, as bits.
enum plumb_fusion_flag {
  PLUMB_FUSION_STILL = 1 << 0,    // the board is at rest: for 1.2 s nothing but the sensor's own noise was seen
  PLUMB_FUSION_STARTING = 1 << 1, // no rest has shown the gyroscope's bias yet: a push tilts gravity more than later
  PLUMB_FUSION_CLIPPED = 1 << 2   // the gyroscope was at the end of its range: gravity may be some degrees off
};

// How forces and rates are fused. Fill it with plumb_fusion_config_default and change what you need. What is out of
// range counts as the nearer end of it.
typedef struct plumb_fusion_config {
  uint32_t size;             // sizeof(plumb_fusion_config_t), which plumb_fusion_config_default sets
  uint32_t time_constant_us; // how long the force is smoothed, 100000..60000000. Default 2200000
  uint32_t longest_gap_us;   // a longer pause starts anew, with the bias that is known. At most 500000, the default
  int32_t rate_range;        // the end of the gyroscope's range, degrees a second. Default 2000
  int32_t force_range;       // the end of the accelerometer's range, g, up to 16. Default 8
  plumb_vector_t bias;       // the gyroscope's bias where it was measured before, degrees a second, up to 40. Default 0
} plumb_fusion_config_t;

// The size of a fusion in bytes, on every target.
#define PLUMB_FUSION_SIZE 256

// A fusion: yours to place, to copy and to forget, as a plumb_monitor_t is.
typedef struct plumb_fusion {
  uint64_t storage[PLUMB_FUSION_SIZE / 8];
} plumb_fusion_t;

// What a step of a fusion yields.
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

// Makes a fusion that has seen nothing. `config` NULL means the defaults; it is copied. Returns PLUMB_OK,
// PLUMB_ERROR_NULL or PLUMB_ERROR_SIZE; the fusion is then not initialised.
int32_t plumb_fusion_init_v3(plumb_fusion_t *fusion, const plumb_fusion_config_t *config);
static inline int32_t plumb_fusion_init(plumb_fusion_t *fusion, const plumb_fusion_config_t *config) {
  return plumb_fusion_init_v3(fusion, config);
}

// Takes in the force, g, and the rate of rotation, degrees a second, of one sample, both in the board's frame, at
// `time_us`. The time between samples may vary. Time that stands still changes nothing; time that runs backwards and a
// pause over the longest gap start anew with the bias that is known. Components beyond +-16 g and +-4000 degrees a
// second count as that. Fills *output, to the same bits on every target; accuracy: docs/fusion.md. Returns PLUMB_OK,
// PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED; after an error *output is as it was.
int32_t plumb_fusion_step(plumb_fusion_t *fusion, const plumb_vector_t *force, const plumb_vector_t *rate,
                          uint64_t time_us, plumb_fusion_output_t *output);

// The direction of up in the board's frame: a vector of length 1 in Q2.30, (0, 0, 2^30) before any sample. Returns
// PLUMB_OK or an error, as the functions below do; after an error the result is as it was.
int32_t plumb_fusion_up(const plumb_fusion_t *fusion, plumb_vector_t *up_q30);

// The turn about the vertical since the start, a binary angle, counter-clockwise seen from above. It is relative:
// nothing tells where north is, and it drifts by what is left of the gyroscope's bias. PLUMB_ERROR_HEADING within 5
// degrees of face down, where it means nothing.
int32_t plumb_fusion_heading(const plumb_fusion_t *fusion, int32_t *heading);

// The rate of rotation at the last sample without the gyroscope's bias, degrees a second.
int32_t plumb_fusion_rate(const plumb_fusion_t *fusion, plumb_vector_t *rate);

// The gyroscope's bias as it is known, degrees a second.
int32_t plumb_fusion_bias(const plumb_fusion_t *fusion, plumb_vector_t *bias);

// Bits of enum plumb_fusion_flag after the last sample, or an error (negative).
int32_t plumb_fusion_flags(const plumb_fusion_t *fusion);

// ---- A monitor of six values ----------------------------------------------------------------------------------------

// As plumb_config_default, for a monitor that takes gravity from a fusion: gravity has little noise and no push in it,
// so that a dwell of 20000 us and an evidence of 0.004 g s are enough.
int32_t plumb_config_fused_v3(plumb_config_t *config, uint32_t size);
static inline int32_t plumb_config_fused(plumb_config_t *config) {
  return plumb_config_fused_v3(config, (uint32_t)sizeof *config);
}

// As plumb_monitor_step, with the rate of rotation that the sensor measured: `force` in g and `rate` in degrees a
// second, both in the sensor's own frame. The monitor's mounting applies to both, its offset and scale to the force.
// Gravity and motion in *output are the fusion's; all angles are those of gravity, and the pose follows from it. A pose
// is lost to free fall by the force, as without a fusion. Returns PLUMB_OK, PLUMB_ERROR_NULL or, of either state,
// PLUMB_ERROR_NOT_INITIALISED; after an error *output and both states are as they were.
int32_t plumb_monitor_step_fused(plumb_monitor_t *monitor, plumb_fusion_t *fusion, const plumb_vector_t *force,
                                 const plumb_vector_t *rate, uint64_t time_us, plumb_output_t *output);

#ifdef __cplusplus
}
#endif

#endif
