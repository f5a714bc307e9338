#include "steps.h"

#include "measure.h"
#include "plumb.h"
#include "reference.h"
#include "replay.h"
#include "shapes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

// The recordings as a sensor with 256 counts a g would have sent them.
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

static double degrees(int32_t angle) { return angle * (180 * 0x1p-31); }

static double apart(int32_t ours, float theirs) { return fabs(remainder(degrees(ours) - (double)theirs, 360)); }

// Whether both do the same work: the angles agree but for the rounding of `float`, and so do the poses.
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
      worst = fmax(worst, apart(ours.device_angle, theirs.device_angle));
      worst = fmax(worst, apart(ours.level_angle, theirs.level_angle));
      worst = fmax(worst, apart(ours.pitch, theirs.pitch));
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
  // Steering divides by what is left of an arc sine near ±1, where a float has few digits. A decision within float's
  // rounding of a boundary may fall a sample apart.
  return worst < 1e-4 && worst_steering < 0.1 && other_pose * 1000 <= raw_count && our_events == their_events;
}

bool steps_measure(void) {
  if (!make_raw()) {
    fputs("bench: the recordings are longer than steps.c expects\n", stderr);
    return false;
  }
  measure("plumb", plumb_from_bytes, start_plumb, &plumb_monitor);
  measure("float", reference_from_bytes, start_reference, &ref_monitor);
  if (!agree()) {
    fputs("bench: Plumb and the reference do not come to the same\n", stderr);
    return false;
  }
  return true;
}
