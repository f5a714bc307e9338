#include "steps.h"

#include "fused.h"
#include "measure.h"
#include "plumb.h"
#include "reference.h"
#include "replay.h"
#include "shapes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

// The recordings as sent by a sensor with 256 counts per g.
typedef struct {
  uint8_t bytes[6];
  uint64_t time_us;
} raw_t;

enum { MOST = 16384 };
static raw_t raw[MOST];
static size_t starts[16];
static size_t raw_count;

static void put_count(uint8_t *bytes, int32_t q16) {
  const int32_t count = (q16 + 128) >> 8;
  bytes[0] = (uint8_t)count;
  bytes[1] = (uint8_t)(count >> 8);
}

static bool make_raw(void) {
  for (size_t i = 0; i < recordings_count && i + 1 < sizeof starts / sizeof starts[0]; i++) {
    for (size_t j = 0; j < recordings[i].count && raw_count < MOST; j++) {
      const sample_t *sample = &recordings[i].samples[j];
      put_count(raw[raw_count].bytes, sample->x);
      put_count(raw[raw_count].bytes + 2, sample->y);
      put_count(raw[raw_count].bytes + 4, sample->z);
      raw[raw_count++].time_us = sample->time_us;
    }
    starts[i + 1] = raw_count;
  }
  return raw_count < MOST;
}

static plumb_monitor_t plumb_monitor;
static ref_monitor_t ref_monitor;

static void start_plumb(void) { (void)plumb_monitor_init(&plumb_monitor, NULL); }
static void start_reference(void) { ref_init(&ref_monitor); }

__attribute__((noinline)) static void run(step_t *step, void (*start)(void), void *monitor, void *output) {
  start();
  step(monitor, raw[0].bytes, raw[0].time_us, output);
  measure_begin();
  for (size_t i = 0; i < recordings_count; i++) {
    measure_pause();
    start();
    measure_resume();
    for (size_t j = starts[i]; j < starts[i + 1]; j++) {
      step(monitor, raw[j].bytes, raw[j].time_us, output);
    }
  }
}

static void measure(const char *column, step_t *step, void (*start)(void), void *monitor) {
  union {
    plumb_output_t plumb;
    ref_output_t reference;
  } output;
  run(step, start, monitor, &output);
  measure_end("count", "step", column, raw_count);
  run(empty_step, start, monitor, &output);
  measure_end("empty", "step", column, raw_count);
}

typedef int32_t plain_step_t(plumb_monitor_t *, int32_t, int32_t, int32_t, uint64_t, plumb_output_t *);
typedef int32_t fused_step_t(plumb_monitor_t *, plumb_fusion_t *, const plumb_vector_t *, const plumb_vector_t *,
                             uint64_t, plumb_output_t *);

__attribute__((naked, noinline)) static int32_t
empty_plain(plumb_monitor_t *monitor __attribute__((unused)), int32_t x __attribute__((unused)),
            int32_t y __attribute__((unused)), int32_t z __attribute__((unused)), uint64_t time __attribute__((unused)),
            plumb_output_t *output __attribute__((unused))) {
  __asm__("ret");
}

__attribute__((naked, noinline)) static int32_t
empty_fused(plumb_monitor_t *monitor __attribute__((unused)), plumb_fusion_t *fusion __attribute__((unused)),
            const plumb_vector_t *force __attribute__((unused)), const plumb_vector_t *rate __attribute__((unused)),
            uint64_t time __attribute__((unused)), plumb_output_t *output __attribute__((unused))) {
  __asm__("ret");
}

static plumb_fusion_t plumb_fusion;

__attribute__((noinline)) static size_t run_plain(plain_step_t *step) {
  plumb_output_t output;
  size_t steps = 0;
  measure_begin();
  for (size_t i = 0; i < fused_recordings_count; i++) {
    measure_pause();
    start_plumb();
    measure_resume();
    for (size_t j = 0; j < fused_recordings[i].count; j++, steps++) {
      const fused_sample_t *sample = &fused_recordings[i].samples[j];
      step(&plumb_monitor, sample->force.x, sample->force.y, sample->force.z, sample->time_us, &output);
    }
  }
  return steps;
}

__attribute__((noinline)) static size_t run_fused(fused_step_t *step) {
  plumb_output_t output;
  plumb_config_t config;
  size_t steps = 0;
  (void)plumb_config_fused(&config);
  measure_begin();
  for (size_t i = 0; i < fused_recordings_count; i++) {
    measure_pause();
    (void)plumb_monitor_init(&plumb_monitor, &config);
    (void)plumb_fusion_init(&plumb_fusion, NULL);
    measure_resume();
    for (size_t j = 0; j < fused_recordings[i].count; j++, steps++) {
      const fused_sample_t *sample = &fused_recordings[i].samples[j];
      step(&plumb_monitor, &plumb_fusion, &sample->force, &sample->rate, sample->time_us, &output);
    }
  }
  return steps;
}

// The same samples without and with rotation rates.
static void measure_fused(void) {
  measure_end("count", "plain", "plumb", run_plain(plumb_monitor_step));
  measure_end("empty", "plain", "plumb", run_plain(empty_plain));
  measure_end("count", "fused", "plumb", run_fused(plumb_monitor_step_fused));
  measure_end("empty", "fused", "plumb", run_fused(empty_fused));
}

static double degrees(int32_t angle) { return angle * (180 * 0x1p-31); }

static double apart(int32_t ours, float theirs) { return fabs(remainder(degrees(ours) - (double)theirs, 360)); }

// Whether both do the same work: angles and poses agree except for the rounding of `float`.
static bool agree(void) {
  double worst = 0;
  double worst_steering = 0;
  size_t other_pose = 0;
  size_t our_events = 0;
  size_t their_events = 0;
  for (size_t i = 0; i < recordings_count; i++) {
    start_plumb();
    start_reference();
    for (size_t j = starts[i]; j < starts[i + 1]; j++) {
      plumb_output_t ours;
      ref_output_t theirs;
      plumb_from_bytes(&plumb_monitor, raw[j].bytes, raw[j].time_us, &ours);
      reference_from_bytes(&ref_monitor, raw[j].bytes, raw[j].time_us, &theirs);
      if (ours.valid & PLUMB_VALID_DEVICE_ANGLE) {
        worst = fmax(worst, apart(ours.device_angle, theirs.device_angle));
        worst = fmax(worst, apart(ours.level_angle, theirs.level_angle));
      }
      worst = fmax(worst, apart(ours.pitch, theirs.pitch));
      if (ours.valid & PLUMB_VALID_ROLL)
        worst = fmax(worst, apart(ours.roll, theirs.roll));
      worst = fmax(worst, apart(ours.inclination, theirs.inclination));
      worst_steering = fmax(worst_steering, apart(ours.steering_angle, theirs.steering_angle));
      other_pose += ours.pose != (uint8_t)theirs.pose || ours.reason != (uint8_t)theirs.reason;
      our_events += ours.events != 0;
      their_events += theirs.events != 0;
    }
  }
  printf("agreement steps %zu worst_degrees %.6f worst_steering_degrees %.6f other_poses %zu events %zu %zu\n",
         raw_count, worst, worst_steering, other_pose, our_events, their_events);
  // Steering divides by the remainder of an arc sine near ±1, where a float has few digits. A decision within float's
  // rounding of a boundary may differ by a sample.
  return worst < 1e-4 && worst_steering < 0.1 && other_pose * 1000 <= raw_count && our_events == their_events;
}

bool steps_measure(void) {
  if (!make_raw()) {
    fputs("bench: the recordings are longer than steps.c expects\n", stderr);
    return false;
  }
  measure("plumb", plumb_from_bytes, start_plumb, &plumb_monitor);
  measure("float", reference_from_bytes, start_reference, &ref_monitor);
  measure_fused();
  if (!agree()) {
    fputs("bench: Plumb and the reference do not come to the same\n", stderr);
    return false;
  }
  return true;
}
