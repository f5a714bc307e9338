// A C program's view of the library: every function, its edges and its errors. Prints what is wrong, and fails.
#include <limits.h>
#include <plumb.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int64_t found, int64_t wanted, const char *what) {
  if (found != wanted) {
    printf("smoke: %s is %lld, not %lld\n", what, (long long)found, (long long)wanted);
    failures++;
  }
}

#define EXPECT(expression, wanted) expect((int64_t)(expression), (int64_t)(wanted), #expression)

static void numbers(void) {
  EXPECT(plumb_atan2(0, 0), 0);
  EXPECT(plumb_atan2(0, 5), 0);
  EXPECT(plumb_atan2(5, 0), 1 << 30);
  EXPECT(plumb_atan2(-5, 0), -(1 << 30));
  EXPECT(plumb_atan2(7, 7), 1 << 29);
  EXPECT(plumb_atan2(0, -1), INT32_MIN);
  EXPECT(plumb_atan2(INT32_MIN, 0), -(1 << 30));
  EXPECT(plumb_atan2(INT32_MIN, INT32_MIN), -3 * (1 << 29));
  EXPECT(plumb_asin(0), 0);
  EXPECT(plumb_asin(1 << 30), 1 << 30);
  EXPECT(plumb_asin(INT32_MAX), 1 << 30);
  EXPECT(plumb_asin(INT32_MIN), -(1 << 30));
  EXPECT(plumb_acos(1 << 30), 0);
  EXPECT(plumb_acos(INT32_MIN), INT32_MIN);
  EXPECT(plumb_acos(0), 1 << 30);
  EXPECT(plumb_degrees(1 << 30), 90 << 16);
  EXPECT(plumb_degrees(INT32_MIN), 180 << 16);
  EXPECT(plumb_degrees(-(1 << 30)), -90 * 65536);
  EXPECT(plumb_sqrt(0), 0);
  EXPECT(plumb_sqrt(UINT64_MAX), UINT32_MAX);
  EXPECT(plumb_sqrt(UINT64_C(0xFFFFFFFE00000000)), 0xFFFFFFFE);
  EXPECT(plumb_sqrt(UINT64_C(0xFFFFFFFE00000001)), 0xFFFFFFFF);
  EXPECT(plumb_hypot(3, -4), 5);
  EXPECT(plumb_hypot(INT32_MIN, INT32_MIN), 3037000499);
  int32_t sine = 1, cosine = 1;
  plumb_sincos(0, &sine, &cosine);
  EXPECT(sine, 0);
  EXPECT(cosine, INT32_MAX);
  plumb_sincos(INT32_MIN, &sine, &cosine);
  EXPECT(cosine, INT32_MIN);
  plumb_sincos(1 << 30, &sine, &cosine);
  EXPECT(sine, INT32_MAX);
}

static void refused(void) {
  plumb_monitor_t monitor;
  plumb_config_t good, bad;
  EXPECT(plumb_config_default(NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_config_default(&good), PLUMB_OK);
  EXPECT(good.dwell_us, 40000);
  EXPECT(good.gravity_time_constant_us, 200000);
  EXPECT(good.longest_gap_us, 1000000);
  EXPECT(good.scale.z, 1 << 30);
  EXPECT(good.leave_angle, 715827883);
  EXPECT(plumb_monitor_init(&monitor, &good), PLUMB_OK);
  EXPECT(plumb_monitor_init(NULL, &good), PLUMB_ERROR_NULL);
#define REFUSED(change, wanted)                                                                                        \
  bad = good;                                                                                                          \
  bad.change;                                                                                                          \
  expect(plumb_monitor_init(&monitor, &bad), wanted, #change);                                                         \
  EXPECT(plumb_monitor_pose(&monitor), PLUMB_ERROR_NOT_INITIALISED)
  REFUSED(mounting[0] = 6, PLUMB_ERROR_MOUNTING);
  REFUSED(mounting[0] = PLUMB_PLUS_Y, PLUMB_ERROR_MOUNTING);
  REFUSED(mounting[2] = PLUMB_MINUS_Z, PLUMB_ERROR_MOUNTING);
  REFUSED(scale.y = 0, PLUMB_ERROR_CALIBRATION);
  REFUSED(minimum_magnitude = 65536, PLUMB_ERROR_MAGNITUDE);
  REFUSED(maximum_magnitude = 17 << 16, PLUMB_ERROR_MAGNITUDE);
  REFUSED(leave_angle = 0, PLUMB_ERROR_LEAVE_ANGLE);
  REFUSED(face_enter_angle = good.face_leave_angle, PLUMB_ERROR_FACE_ANGLES);
  REFUSED(dwell_us = good.patience_us, PLUMB_ERROR_TIMES);
  REFUSED(longest_gap_us = 0, PLUMB_ERROR_TIMES);
  REFUSED(longest_gap_us = 3600000001u, PLUMB_ERROR_TIMES);
}

static void monitor_steps(void) {
  plumb_monitor_t monitor;
  plumb_output_t output, untouched;
  memset(&monitor, 0, sizeof monitor);
  memset(&output, 0x55, sizeof output);
  untouched = output;
  EXPECT(plumb_monitor_step(&monitor, 0, 65536, 0, 0, &output), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(memcmp(&output, &untouched, sizeof output), 0);
  EXPECT(plumb_monitor_init(&monitor, NULL), PLUMB_OK);
  EXPECT(plumb_monitor_step(&monitor, 0, 65536, 0, 0, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_monitor_step(NULL, 0, 65536, 0, 0, &output), PLUMB_ERROR_NULL);
  EXPECT(plumb_monitor_pose(&monitor), PLUMB_POSE_UNKNOWN);
  EXPECT(plumb_monitor_step(&monitor, 0, 65536, 0, 0, &output), PLUMB_OK);
  EXPECT(output.events, PLUMB_EVENT_POSE);
  EXPECT(output.pose, PLUMB_PORTRAIT);
  EXPECT(output.reason, PLUMB_REASON_NONE);
  EXPECT(output.previous_pose, PLUMB_POSE_UNKNOWN);
  EXPECT(output.previous_reason, PLUMB_NOT_YET_SAMPLED);
  EXPECT(output.pitch, 1 << 30);
  EXPECT(output.inclination, 1 << 30);
  EXPECT(output.gravity.y, 65536);
  EXPECT(output.motion.y, 0);
  // A pause of more than a second, then the left edge up.
  EXPECT(plumb_monitor_step(&monitor, -65536, 0, 0, 1000001, &output), PLUMB_OK);
  EXPECT(output.events, PLUMB_EVENT_EXPIRED | PLUMB_EVENT_POSE);
  EXPECT(output.pose, PLUMB_LANDSCAPE_RIGHT);
  EXPECT(output.previous_pose, PLUMB_PORTRAIT);
  EXPECT(output.device_angle, 1 << 30);
  EXPECT(output.level_angle, -(1 << 30));
  EXPECT(plumb_monitor_expire(&monitor, 2000001), 0);
  EXPECT(plumb_monitor_expire(&monitor, 2000002), PLUMB_EVENT_EXPIRED);
  EXPECT(plumb_monitor_fail(&monitor), PLUMB_EVENT_LOST);
  EXPECT(plumb_monitor_fail(&monitor), 0);
  EXPECT(plumb_monitor_step(&monitor, 0, 0, -65536, 2100000, &output), PLUMB_OK);
  EXPECT(output.previous_reason, PLUMB_FAULT);
  EXPECT(output.valid, PLUMB_VALID_ROLL);
  EXPECT(plumb_monitor_pose(&monitor), PLUMB_FACE_DOWN);
}

// Near the vertical an angle is noise: it is 0, and `valid` marks it.
static void undefined_angles(void) {
  const struct {
    int32_t x, y, z;
    uint32_t valid;
  } cases[] = {
      {1, 65536, -1, PLUMB_VALID_DEVICE_ANGLE},
      {-1, -65536, -1, PLUMB_VALID_DEVICE_ANGLE},
      {6553, 65536, 0, PLUMB_VALID_DEVICE_ANGLE},
      {6554, 65536, 0, PLUMB_VALID_DEVICE_ANGLE | PLUMB_VALID_ROLL},
      {0, 65536, -6554, PLUMB_VALID_DEVICE_ANGLE | PLUMB_VALID_ROLL},
      {4634, 65536, 4634, PLUMB_VALID_DEVICE_ANGLE},
      {4635, 65536, 4635, PLUMB_VALID_DEVICE_ANGLE | PLUMB_VALID_ROLL},
      {1, -1, 65536, PLUMB_VALID_ROLL},
      {-1, 1, -65536, PLUMB_VALID_ROLL},
      {4635, 4635, 65536, PLUMB_VALID_DEVICE_ANGLE | PLUMB_VALID_ROLL},
      {0, 0, 0, 0},
      {INT32_MAX, INT32_MIN, INT32_MAX, PLUMB_VALID_DEVICE_ANGLE | PLUMB_VALID_ROLL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    plumb_monitor_t monitor;
    plumb_output_t output;
    plumb_tare_t tare;
    plumb_tared_t tared;
    EXPECT(plumb_monitor_init(&monitor, NULL), PLUMB_OK);
    EXPECT(plumb_monitor_step(&monitor, cases[i].x, cases[i].y, cases[i].z, 0, &output), PLUMB_OK);
    EXPECT(output.valid, cases[i].valid);
    EXPECT(output.device_angle != 0 && !(output.valid & PLUMB_VALID_DEVICE_ANGLE), 0);
    EXPECT(output.level_angle, -output.device_angle);
    EXPECT(output.roll != 0, (cases[i].valid & PLUMB_VALID_ROLL) && (cases[i].x != 0 || cases[i].z < 0));
    EXPECT(plumb_tare_init(&tare), PLUMB_OK);
    EXPECT(plumb_tare_angles(&tare, &output.force, &tared), PLUMB_OK);
    EXPECT(tared.valid, cases[i].valid);
    EXPECT(tared.roll != 0, output.roll != 0);
  }
}

// Steps a board upright at 100 Hz from `*time` on for `count` samples, shaken along X with `motion` at 5 Hz. Returns
// the number of shakes.
static int shaken(plumb_monitor_t *monitor, plumb_movement_t *movement, uint64_t *time, int count, int32_t motion) {
  plumb_output_t output;
  plumb_movement_output_t moved;
  int shakes = 0;
  for (int i = 0; i < count; i++, *time += 10000) {
    plumb_monitor_step(monitor, (i / 10) % 2 == 0 ? motion : -motion, 65536, 0, *time, &output);
    EXPECT(plumb_movement_step(movement, &output, *time, &moved), PLUMB_OK);
    shakes += moved.shake;
  }
  return shakes;
}

static void movement_steps(void) {
  plumb_monitor_t monitor;
  plumb_movement_t movement;
  plumb_output_t output;
  plumb_movement_output_t moved;
  uint64_t time = 0;
  memset(&movement, 0, sizeof movement);
  EXPECT(plumb_monitor_init(&monitor, NULL), PLUMB_OK);
  EXPECT(plumb_movement_tick(&movement, PLUMB_PORTRAIT, 0, &moved), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_movement_capture_rest(&movement), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_movement_init(&movement, NULL), PLUMB_OK);
  EXPECT(plumb_movement_init(NULL, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_movement_step(&movement, NULL, 0, &moved), PLUMB_ERROR_NULL);
  EXPECT(plumb_movement_capture_rest(&movement), PLUMB_ERROR_REST);
  EXPECT(shaken(&monitor, &movement, &time, 100, 0), 0);
  EXPECT(plumb_movement_capture_rest(&movement), PLUMB_OK);
  EXPECT(plumb_movement_scroll_to(&movement, 16384, 1 << 20), PLUMB_OK);
  EXPECT(shaken(&monitor, &movement, &time, 100, 0), 0);
  EXPECT(plumb_movement_tick(&movement, PLUMB_PORTRAIT, time, &moved), PLUMB_OK);
  EXPECT(moved.scroll_x, 16384);
  EXPECT(moved.scroll_y, 65536);
  EXPECT(moved.phase_count, 0);
  EXPECT(shaken(&monitor, &movement, &time, 100, 98304), 1);
  // A rotation, by the clock.
  EXPECT(plumb_movement_tick(&movement, PLUMB_LANDSCAPE_LEFT, time, &moved), PLUMB_OK);
  EXPECT(moved.phase_count, 2);
  EXPECT(moved.phases[0].kind, PLUMB_WILL_ROTATE);
  EXPECT(moved.phases[0].from, PLUMB_INTERFACE_PORTRAIT);
  EXPECT(moved.phases[0].to, PLUMB_INTERFACE_LANDSCAPE_RIGHT);
  EXPECT(moved.phases[0].time_us, 300000);
  EXPECT(moved.phases[1].kind, PLUMB_FIRST_HALF);
  EXPECT(moved.orientation, PLUMB_INTERFACE_PORTRAIT);
  EXPECT(plumb_movement_tick(&movement, PLUMB_POSE_UNKNOWN, time + 149999, &moved), PLUMB_OK);
  EXPECT(moved.phase_count, 0);
  EXPECT(plumb_movement_tick(&movement, PLUMB_LANDSCAPE_LEFT, time + 400000, &moved), PLUMB_OK);
  EXPECT(moved.phase_count, 2);
  EXPECT(moved.phases[0].kind, PLUMB_SECOND_HALF);
  EXPECT(moved.phases[1].kind, PLUMB_DID_ROTATE);
  EXPECT(moved.orientation, PLUMB_INTERFACE_LANDSCAPE_RIGHT);
  EXPECT(plumb_monitor_step(&monitor, 65536, 0, 0, time + 400000, &output), PLUMB_OK);
}

// Steps `count` samples at 250 Hz with `x` g along X and `y` g along Y. Returns the sum of the events; *last is the
// last output with one.
static int tapped(plumb_taps_t *taps, uint64_t *time, int count, int32_t x, int32_t y, plumb_taps_output_t *last) {
  plumb_vector_t force = {x * 65536, y * 65536, 0};
  plumb_taps_output_t output;
  int events = 0;
  for (int i = 0; i < count; i++, *time += 4000) {
    EXPECT(plumb_taps_step(taps, &force, *time, &output), PLUMB_OK);
    if (output.events != 0) {
      *last = output;
    }
    events += output.events;
  }
  return events;
}

static void taps_found(void) {
  plumb_taps_t taps;
  plumb_taps_config_t config;
  plumb_taps_output_t found;
  plumb_vector_t force = {0, 65536, 0};
  uint64_t time = 1000000;
  memset(&taps, 0, sizeof taps);
  memset(&found, 0, sizeof found);
  EXPECT(plumb_taps_step(&taps, &force, 0, &found), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_taps_init(NULL, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_taps_init(&taps, NULL), PLUMB_OK);
  EXPECT(plumb_taps_step(&taps, NULL, 0, &found), PLUMB_ERROR_NULL);
  EXPECT(plumb_taps_step(NULL, &force, 0, &found), PLUMB_ERROR_NULL);
  EXPECT(plumb_taps_step(&taps, &force, 0, NULL), PLUMB_ERROR_NULL);
  EXPECT(tapped(&taps, &time, 100, 0, 1, &found), 0);
  // A tap, which is reported when no second one can follow: after 0.38 s.
  EXPECT(tapped(&taps, &time, 3, -4, 1, &found), 0);
  EXPECT(tapped(&taps, &time, 95, 0, 1, &found), 0);
  EXPECT(tapped(&taps, &time, 1, 0, 1, &found), PLUMB_TAP);
  EXPECT(found.axis, 0);
  EXPECT(found.sign, -1);
  // Two taps, the second weaker and in the other direction.
  EXPECT(tapped(&taps, &time, 3, 0, 5, &found), 0);
  EXPECT(tapped(&taps, &time, 50, 0, 1, &found), 0);
  EXPECT(tapped(&taps, &time, 3, 0, -4, &found), 0);
  EXPECT(tapped(&taps, &time, 200, 0, 1, &found), PLUMB_DOUBLE_TAP);
  EXPECT(found.axis, 1);
  EXPECT(found.sign, 1);
  // A fall of 0.2 s, then one that is too short.
  EXPECT(tapped(&taps, &time, 50, 0, 0, &found), 0);
  EXPECT(tapped(&taps, &time, 10, 0, 1, &found), PLUMB_LANDING);
  EXPECT(found.fall_us, 200000);
  EXPECT(tapped(&taps, &time, 20, 0, 0, &found), 0);
  EXPECT(tapped(&taps, &time, 10, 0, 1, &found), 0);
  // Each tap at once.
  EXPECT(plumb_taps_config_default(&config), PLUMB_OK);
  EXPECT(plumb_taps_config_default(NULL), PLUMB_ERROR_NULL);
  config.double_taps = 0;
  EXPECT(plumb_taps_init(&taps, &config), PLUMB_OK);
  EXPECT(tapped(&taps, &time, 3, 4, 1, &found), 0);
  EXPECT(tapped(&taps, &time, 1, 0, 1, &found), PLUMB_TAP);
}

static void taps_refused(void) {
  plumb_taps_t taps;
  plumb_taps_config_t good, bad;
  plumb_taps_output_t found;
  plumb_vector_t force = {0, 65536, 0};
  EXPECT(plumb_taps_config_default(&good), PLUMB_OK);
  EXPECT(plumb_taps_init(&taps, &good), PLUMB_OK);
#define REFUSED_TAPS(change)                                                                                           \
  bad = good;                                                                                                          \
  bad.change;                                                                                                          \
  expect(plumb_taps_init(&taps, &bad), PLUMB_ERROR_TAPS, #change);                                                     \
  EXPECT(plumb_taps_step(&taps, &force, 0, &found), PLUMB_ERROR_NOT_INITIALISED)
  REFUSED_TAPS(threshold = 4095);
  REFUSED_TAPS(threshold = 1044481);
  REFUSED_TAPS(duration_us = 624);
  REFUSED_TAPS(duration_us = UINT32_MAX);
  REFUSED_TAPS(latency_us = 318751);
  REFUSED_TAPS(window_us = 1249);
  REFUSED_TAPS(fall_threshold = 61441);
  REFUSED_TAPS(fall_threshold = -1);
  REFUSED_TAPS(fall_time_us = 4999);
  REFUSED_TAPS(axes = 0);
  REFUSED_TAPS(axes = 8);
#undef REFUSED_TAPS
}

static void movement_refused(void) {
  plumb_movement_t movement;
  plumb_movement_output_t moved;
  plumb_movement_config_t good, bad;
  EXPECT(plumb_movement_config_default(NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_movement_config_default(&good), PLUMB_OK);
  EXPECT(good.shake_threshold, 58982);
  EXPECT(good.scroll_interval_us, 30000);
  EXPECT(good.rotation_us, 300000);
  EXPECT(good.orientations, 15);
  EXPECT(plumb_movement_init(&movement, &good), PLUMB_OK);
#define MOVEMENT_REFUSED(change, wanted)                                                                               \
  bad = good;                                                                                                          \
  bad.change;                                                                                                          \
  expect(plumb_movement_init(&movement, &bad), wanted, #change);                                                       \
  EXPECT(plumb_movement_tick(&movement, 0, 0, &moved), PLUMB_ERROR_NOT_INITIALISED)
  MOVEMENT_REFUSED(shake_threshold = 0, PLUMB_ERROR_SHAKE);
  MOVEMENT_REFUSED(shake_reversals = 9, PLUMB_ERROR_SHAKE);
  MOVEMENT_REFUSED(shake_window_us = 99999, PLUMB_ERROR_SHAKE);
  MOVEMENT_REFUSED(scroll_viscosity = -1, PLUMB_ERROR_SCROLL);
  MOVEMENT_REFUSED(scroll_interval_us = 0, PLUMB_ERROR_SCROLL);
  MOVEMENT_REFUSED(rotation_us = 60000001, PLUMB_ERROR_ROTATION);
  MOVEMENT_REFUSED(orientations = 0, PLUMB_ERROR_ROTATION);
  MOVEMENT_REFUSED(orientations = 16, PLUMB_ERROR_ROTATION);
  MOVEMENT_REFUSED(start = 4, PLUMB_ERROR_ROTATION);
}

static const plumb_vector_t upright = {0, 65536, 0}, no_rate = {0, 0, 0};

// Invalid calls change nothing.
static void fusion_refused(void) {
  plumb_fusion_t fusion;
  plumb_monitor_t monitor;
  plumb_fusion_output_t fused, untouched_fused;
  plumb_output_t output, untouched;
  plumb_vector_t vector = {1, 2, 3};
  int32_t heading = 7;
  memset(&fusion, 0, sizeof fusion);
  memset(&monitor, 0, sizeof monitor);
  memset(&fused, 0x55, sizeof fused);
  memset(&output, 0x55, sizeof output);
  untouched_fused = fused;
  untouched = output;
  EXPECT(plumb_fusion_config_default(NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_init(NULL, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_config_fused(NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_step(&fusion, &upright, &no_rate, 0, &fused), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_fusion_up(&fusion, &vector), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_fusion_rate(&fusion, &vector), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_fusion_bias(&fusion, &vector), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_fusion_heading(&fusion, &heading), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_fusion_flags(&fusion), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_fusion_init(&fusion, NULL), PLUMB_OK);
  EXPECT(plumb_monitor_step_fused(&monitor, &fusion, &upright, &no_rate, 0, &output), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_monitor_init(&monitor, NULL), PLUMB_OK);
  EXPECT(plumb_monitor_step_fused(NULL, &fusion, &upright, &no_rate, 0, &output), PLUMB_ERROR_NULL);
  EXPECT(plumb_monitor_step_fused(&monitor, NULL, &upright, &no_rate, 0, &output), PLUMB_ERROR_NULL);
  EXPECT(plumb_monitor_step_fused(&monitor, &fusion, NULL, &no_rate, 0, &output), PLUMB_ERROR_NULL);
  EXPECT(plumb_monitor_step_fused(&monitor, &fusion, &upright, NULL, 0, &output), PLUMB_ERROR_NULL);
  EXPECT(plumb_monitor_step_fused(&monitor, &fusion, &upright, &no_rate, 0, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_step(NULL, &upright, &no_rate, 0, &fused), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_step(&fusion, NULL, &no_rate, 0, &fused), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_step(&fusion, &upright, NULL, 0, &fused), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_step(&fusion, &upright, &no_rate, 0, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_up(&fusion, NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_fusion_heading(NULL, &heading), PLUMB_ERROR_NULL);
  EXPECT(memcmp(&fused, &untouched_fused, sizeof fused), 0);
  EXPECT(memcmp(&output, &untouched, sizeof output), 0);
  EXPECT(heading, 7);
  EXPECT(vector.y, 2);
}

static void fusion_steps(void) {
  plumb_fusion_t fusion;
  plumb_fusion_config_t config;
  plumb_fusion_output_t output;
  plumb_vector_t vector, rate = {655360, -327680, 65536}; // a bias of 10, -5 and 1 degrees a second
  int32_t heading = -1;
  uint64_t time = 0;
  EXPECT(plumb_fusion_config_default(&config), PLUMB_OK);
  EXPECT(config.longest_gap_us, 500000);
  EXPECT(config.rate_range, 2000 << 16);
  EXPECT(config.force_range, 8 << 16);
  EXPECT(plumb_fusion_init(&fusion, &config), PLUMB_OK);
  EXPECT(plumb_fusion_up(&fusion, &vector), PLUMB_OK);
  EXPECT(vector.z, 1 << 30);
  EXPECT(plumb_fusion_step(&fusion, &upright, &rate, time, &output), PLUMB_OK);
  EXPECT(output.flags, PLUMB_FUSION_STARTING);
  EXPECT(output.gravity.y, 65536);
  for (int i = 0; i < 200; i++) {
    EXPECT(plumb_fusion_step(&fusion, &upright, &rate, time += 10000, &output), PLUMB_OK);
  }
  EXPECT(output.flags, PLUMB_FUSION_STILL);
  EXPECT(output.motion.y, 0);
  EXPECT(plumb_fusion_flags(&fusion), PLUMB_FUSION_STILL);
  EXPECT(plumb_fusion_bias(&fusion, &vector), PLUMB_OK);
  EXPECT(vector.x, 655360);
  EXPECT(vector.y, -327680);
  EXPECT(plumb_fusion_heading(&fusion, &heading), PLUMB_OK);
  EXPECT(heading, 0);
  // A quarter turn to the left about up, which is y: 90 degrees a second for a second.
  rate.y += 90 << 16;
  for (int i = 0; i < 100; i++) {
    EXPECT(plumb_fusion_step(&fusion, &upright, &rate, time += 10000, &output), PLUMB_OK);
  }
  EXPECT(output.flags, 0);
  EXPECT(plumb_fusion_rate(&fusion, &vector), PLUMB_OK);
  EXPECT(vector.y, 90 << 16);
  EXPECT(plumb_fusion_heading(&fusion, &heading), PLUMB_OK);
  // The first step uses half the rate: 89.55 degrees, within 0.05.
  EXPECT(heading > 1067777393 && heading < 1068970440, 1);
  EXPECT(plumb_fusion_up(&fusion, &vector), PLUMB_OK);
  EXPECT(vector.y > 1073730000, 1);
  // Beyond the gyroscope's range.
  rate.y = 2000 << 16;
  EXPECT(plumb_fusion_step(&fusion, &upright, &rate, time += 10000, &output), PLUMB_OK);
  EXPECT(output.flags, PLUMB_FUSION_CLIPPED);
  // Face down, a heading is meaningless.
  const plumb_vector_t down = {0, 0, -65536};
  EXPECT(plumb_fusion_step(&fusion, &down, &no_rate, time += 1000000, &output), PLUMB_OK);
  EXPECT(plumb_fusion_heading(&fusion, &heading), PLUMB_ERROR_HEADING);
}

// A push does not tilt gravity, so the pose stays; a plain monitor gives it up.
static void fused_monitor_steps(void) {
  plumb_monitor_t monitor, plain;
  plumb_fusion_t fusion;
  plumb_config_t config;
  plumb_output_t output, other;
  uint64_t time = 0;
  EXPECT(plumb_config_fused(&config), PLUMB_OK);
  EXPECT(config.dwell_us, 20000);
  EXPECT(config.evidence, 262);
  EXPECT(config.patience_us, 1000000);
  // The sensor's X points to the top of the board.
  config.mounting[0] = PLUMB_MINUS_Y;
  config.mounting[1] = PLUMB_PLUS_X;
  EXPECT(plumb_monitor_init(&monitor, &config), PLUMB_OK);
  EXPECT(plumb_monitor_init(&plain, &config), PLUMB_OK);
  EXPECT(plumb_fusion_init(&fusion, NULL), PLUMB_OK);
  plumb_vector_t force = {65536, 0, 0};
  EXPECT(plumb_monitor_step_fused(&monitor, &fusion, &force, &no_rate, time, &output), PLUMB_OK);
  EXPECT(output.events, PLUMB_EVENT_POSE);
  EXPECT(output.pose, PLUMB_PORTRAIT);
  for (int i = 0; i < 200; i++) {
    EXPECT(plumb_monitor_step_fused(&monitor, &fusion, &force, &no_rate, time += 10000, &output), PLUMB_OK);
    EXPECT(plumb_monitor_step(&plain, force.x, force.y, force.z, time, &other), PLUMB_OK);
  }
  // Pushed sideways with 1 g for 0.3 s.
  force.y = 65536;
  for (int i = 0; i < 30; i++) {
    EXPECT(plumb_monitor_step_fused(&monitor, &fusion, &force, &no_rate, time += 10000, &output), PLUMB_OK);
    EXPECT(output.pose, PLUMB_PORTRAIT);
    EXPECT(output.events, 0);
  }
  EXPECT(output.force.x, -65536);
  EXPECT(output.gravity.x < -6554, 0);
  EXPECT(output.motion.x < -58982, 1);
  // In free fall, which the force shows.
  force.x = force.y = 0;
  plumb_monitor_step_fused(&monitor, &fusion, &force, &no_rate, time += 10000, &output);
  EXPECT(output.reason, PLUMB_REASON_NONE);
  for (int i = 0; i < 110; i++) {
    plumb_monitor_step_fused(&monitor, &fusion, &force, &no_rate, time += 10000, &output);
  }
  EXPECT(output.reason, PLUMB_FREE_FALL);
  EXPECT(output.gravity.y > 49152, 1);
}

// Still after 1.2 s of noise, moving when it is lifted, unknown after an interruption.
static void rest_steps(void) {
  plumb_rest_t rest = {{0}};
  plumb_vector_t force = {0, 0, 65536};
  uint64_t time = 0;
  EXPECT(plumb_rest_init(NULL), PLUMB_ERROR_NULL);
  EXPECT(plumb_rest_step(&rest, &force, 0), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_rest_interrupt(&rest), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(plumb_rest_init(&rest), PLUMB_OK);
  EXPECT(plumb_rest_step(NULL, &force, 0), PLUMB_ERROR_NULL);
  EXPECT(plumb_rest_step(&rest, NULL, 0), PLUMB_ERROR_NULL);
  EXPECT(plumb_rest_interrupt(NULL), PLUMB_ERROR_NULL);
  for (int i = 0; i < 300; i++) {
    force.x = (i % 5 - 2) * 100;
    int32_t known = plumb_rest_step(&rest, &force, time += 10000);
    EXPECT(known, i < 120 ? PLUMB_REST_UNKNOWN : PLUMB_REST_STILL);
  }
  // 0.1 g for 0.2 s.
  force.z += 6554;
  for (int i = 0; i < 20; i++) {
    plumb_rest_step(&rest, &force, time += 10000);
  }
  EXPECT(plumb_rest_step(&rest, &force, time += 10000), PLUMB_REST_MOVING);
  EXPECT(plumb_rest_interrupt(&rest), PLUMB_OK);
  EXPECT(plumb_rest_step(&rest, &force, time += 10000), PLUMB_REST_UNKNOWN);
}

// Steps a board at 100 Hz until its tare ends. Returns the last progress.
static int32_t tare_taken(plumb_tare_t *tare, const plumb_vector_t *force, uint64_t *time) {
  int32_t progress = PLUMB_TARE_MEASURING;
  for (int i = 0; i < 400 && progress == PLUMB_TARE_MEASURING; i++) {
    progress = plumb_tare_step(tare, force, *time += 10000);
  }
  return progress;
}

// Upright, leaning back, is zero after 1.25 s; the tare can be undone and saved in millionths, and is rejected if the
// board moves.
static void tare_steps(void) {
  plumb_tare_t tare;
  plumb_tared_t tared, untouched;
  plumb_vector_t force = {0, 61584, 22415}, up = {1, 2, 3}; // 20 degrees
  uint64_t time = 0;
  memset(&tare, 0, sizeof tare);
  memset(&tared, 0x55, sizeof tared);
  untouched = tared;
  EXPECT(plumb_tare_angles(&tare, &force, &tared), PLUMB_ERROR_NOT_INITIALISED);
  EXPECT(memcmp(&tared, &untouched, sizeof tared), 0);
  EXPECT(plumb_tare_init(&tare), PLUMB_OK);
  EXPECT(plumb_tare_step(&tare, &force, time), PLUMB_TARE_IDLE);
  EXPECT(plumb_tare_up(&tare, &up), PLUMB_ERROR_TARE);
  EXPECT(up.y, 2);
  EXPECT(plumb_tare_angles(&tare, &force, &tared), PLUMB_OK);
  EXPECT(tared.tilted.y, 61584);
  EXPECT((plumb_degrees(tared.pitch) + 32768) >> 16, 70);
  EXPECT(plumb_tare_begin(&tare, 10000, time), PLUMB_OK);
  EXPECT(plumb_tare_step(&tare, NULL, time), PLUMB_TARE_MEASURING);
  EXPECT(tare_taken(&tare, &force, &time), PLUMB_TARE_TAKEN);
  EXPECT(time, 1260000);
  EXPECT(plumb_tare_step(&tare, &force, time), PLUMB_TARE_IDLE);
  EXPECT(plumb_tare_angles(&tare, &force, &tared), PLUMB_OK);
  EXPECT(plumb_degrees(tared.pitch), 0);
  EXPECT(plumb_degrees(tared.roll), 0);
  EXPECT(plumb_degrees(tared.inclination), 0);
  EXPECT(plumb_degrees(tared.device_angle), 0);
  EXPECT(plumb_degrees(tared.steering_angle), 0);
  EXPECT(tared.tilted.y, 0);
  EXPECT(tared.tilted.z, plumb_hypot(force.y, force.z));
  EXPECT(plumb_tare_up(&tare, &up), PLUMB_OK);
  EXPECT(up.x, 0);
  EXPECT((up.y + 5) / 10, 93969);
  EXPECT((up.z + 5) / 10, 34202);
  // Upright, the former back is 20 degrees up; a quarter turn to the left takes the wheel to its end.
  force = (plumb_vector_t){0, 65536, 0};
  EXPECT(plumb_tare_angles(&tare, &force, &tared), PLUMB_OK);
  EXPECT((plumb_degrees(tared.inclination) + 32768) >> 16, 20);
  EXPECT((plumb_degrees(tared.pitch) + 32768) >> 16, 20);
  force = (plumb_vector_t){65536, 0, 0};
  EXPECT(plumb_tare_angles(&tare, &force, &tared), PLUMB_OK);
  EXPECT(tared.device_angle, -(1 << 30));
  EXPECT(tared.level_angle, 1 << 30);
  EXPECT(tared.steering_angle, -(1 << 30));
  // An invalid tare keeps the previous one: a board in free fall, and a vector that is not a direction.
  plumb_vector_t kept = up;
  force = (plumb_vector_t){0, 0, 0};
  EXPECT(plumb_tare_begin(&tare, 10000, time), PLUMB_OK);
  EXPECT(tare_taken(&tare, &force, &time), PLUMB_TARE_MOVED);
  up.y += 20000;
  EXPECT(plumb_tare_set(&tare, &up), PLUMB_ERROR_TARE);
  EXPECT(plumb_tare_up(&tare, &up), PLUMB_OK);
  EXPECT(memcmp(&up, &kept, sizeof up), 0);
  EXPECT(plumb_tare_undo(&tare), PLUMB_OK);
  EXPECT(plumb_tare_up(&tare, &up), PLUMB_ERROR_TARE);
  EXPECT(plumb_tare_set(&tare, &kept), PLUMB_OK);
  EXPECT(plumb_tare_up(&tare, &up), PLUMB_OK);
  EXPECT(memcmp(&up, &kept, sizeof up), 0);
}

// 400 samples a second of a machine, lying, that runs at 50 Hz with 0.5 g from 2 s to 8 s.
static plumb_vector_t machine(uint64_t time) {
  int32_t sine = 0, cosine = 0;
  plumb_sincos((int32_t)(uint32_t)((time * (UINT64_C(1) << 32) / 20000)), &sine, &cosine);
  return (plumb_vector_t){time >= 2000000 && time < 8000000 ? sine >> 16 : 0, 0, 65536};
}

static void vibration_steps(void) {
  static plumb_vibration_t vibration;
  plumb_vibration_config_t config;
  plumb_vibration_output_t second;
  int seconds = 0, busy = 0, quiet = 0;
  EXPECT(plumb_vibration_config_default(&config), PLUMB_OK);
  EXPECT(config.period_us, 10000);
  EXPECT(config.busy_threshold, 3277);
  EXPECT(config.quiet_threshold, 1965);
  EXPECT(config.busy_time_ms, 10000);
  EXPECT(config.quiet_time_ms, 120000);
  config.period_us = 2500;
  config.busy_time_ms = 3000;
  config.quiet_time_ms = 2000;
  EXPECT(plumb_vibration_init(&vibration, &config), PLUMB_OK);
  int32_t edges[PLUMB_VIBRATION_BANDS + 1];
  EXPECT(plumb_vibration_edges(&vibration, edges), 6);
  EXPECT(edges[0], 65536);
  EXPECT(edges[4], 50 << 16);
  EXPECT(edges[6], 200 << 16);
  EXPECT(edges[7], 0);
  EXPECT(edges[8], 0);
  for (uint64_t time = 0; time < 12000000; time += 2500) {
    plumb_vector_t force = machine(time);
    int32_t events = plumb_vibration_step(&vibration, &force, time, &second);
    if (events == 0) {
      continue;
    }
    EXPECT(events & PLUMB_VIBRATION_SECOND, PLUMB_VIBRATION_SECOND);
    EXPECT(second.end_us, time);
    EXPECT(second.end_us - second.start_us, 1000000);
    EXPECT(second.samples, 400);
    if (++seconds == 4) {
      // A sine of 0.5 g: 0.35355 g, both in the band from 50 to 100 Hz and in total.
      EXPECT((second.rms.x + 8) / 16, 1448);
      EXPECT(second.total, second.rms.x);
      EXPECT(second.rms.z, 0);
      EXPECT((second.peak.x + 8) / 16, 2048);
      EXPECT(second.blocks > 0, 1);
    }
    if (events & PLUMB_VIBRATION_BUSY) {
      busy = seconds;
      EXPECT(second.since_us, 2000000);
      EXPECT(second.is_busy, 1);
    }
    if (events & PLUMB_VIBRATION_QUIET) {
      quiet = seconds;
      EXPECT(second.since_us, 8000000);
      EXPECT(second.is_busy, 0);
    }
  }
  EXPECT(seconds, 11);
  EXPECT(busy, 5);
  EXPECT(quiet, 10);
}

// A tone between two edges shows in the band between them.
static void vibration_bands(void) {
  static plumb_vibration_t vibration;
  plumb_vibration_config_t config;
  plumb_vibration_output_t second;
  EXPECT(plumb_vibration_config_default(&config), PLUMB_OK);
  config.period_us = 2500;
  config.edge_count = 4;
  for (int i = 0; i < 4; i++) {
    config.edges[i] = (10 + 30 * i) << 16; // 10, 40, 70, 100 Hz
  }
  EXPECT(plumb_vibration_init(&vibration, &config), PLUMB_OK);
  int32_t edges[PLUMB_VIBRATION_BANDS + 1];
  EXPECT(plumb_vibration_edges(&vibration, edges), 3);
  EXPECT(edges[3], 100 << 16);
  EXPECT(edges[4], 0);
  for (uint64_t time = 2000000; time <= 4000000; time += 2500) {
    plumb_vector_t force = machine(time);
    plumb_vibration_step(&vibration, &force, time, &second);
  }
  EXPECT(second.bands[0] < 66, 1);                               // 1 mg
  EXPECT(second.bands[1] > 22938 && second.bands[1] < 23397, 1); // 0.3535 g within 1 %
  EXPECT(second.bands[2] < 66, 1);
  EXPECT(second.bands[3], 0);
}

static void vibration_refused(void) {
  static plumb_vibration_t vibration;
  plumb_vibration_config_t good, bad;
  plumb_vibration_output_t second;
  EXPECT(plumb_vibration_config_default(&good), PLUMB_OK);
#define REFUSED_VIBRATION(change)                                                                                      \
  bad = good;                                                                                                          \
  EXPECT(plumb_vibration_init(&vibration, &good), PLUMB_OK);                                                           \
  bad.change;                                                                                                          \
  expect(plumb_vibration_init(&vibration, &bad), PLUMB_ERROR_VIBRATION, #change);                                      \
  EXPECT(plumb_vibration_step(&vibration, &upright, 0, &second), PLUMB_ERROR_NOT_INITIALISED)
  REFUSED_VIBRATION(period_us = 199);
  REFUSED_VIBRATION(period_us = 1000001);
  REFUSED_VIBRATION(edge_count = 1);
  REFUSED_VIBRATION(edge_count = 2);
  REFUSED_VIBRATION(edge_count = 10);
  REFUSED_VIBRATION(busy_threshold = 0);
  REFUSED_VIBRATION(busy_threshold = (16 << 16) + 1);
  REFUSED_VIBRATION(quiet_threshold = good.busy_threshold + 1);
  REFUSED_VIBRATION(busy_time_ms = 86400001);
  REFUSED_VIBRATION(quiet_time_ms = UINT32_MAX);
#undef REFUSED_VIBRATION
}

int main(void) {
  EXPECT(sizeof(plumb_tare_t), PLUMB_TARE_SIZE);
  EXPECT(sizeof(plumb_tared_t), 40);
  tare_steps();
  EXPECT(sizeof(plumb_vibration_t), PLUMB_VIBRATION_SIZE);
  EXPECT(sizeof(plumb_vibration_config_t), 64);
  EXPECT(sizeof(plumb_vibration_output_t), 96);
  vibration_steps();
  vibration_bands();
  vibration_refused();
  EXPECT(sizeof(plumb_rest_t), PLUMB_REST_SIZE);
  rest_steps();
  EXPECT(sizeof(plumb_fusion_t), PLUMB_FUSION_SIZE);
  EXPECT(sizeof(plumb_fusion_config_t), 32);
  EXPECT(sizeof(plumb_fusion_output_t), 28);
  fusion_refused();
  fusion_steps();
  fused_monitor_steps();
  EXPECT(sizeof(plumb_monitor_t), PLUMB_MONITOR_SIZE);
  EXPECT(sizeof(plumb_config_t), 72);
  EXPECT(sizeof(plumb_output_t), 72);
  EXPECT(sizeof(plumb_movement_t), PLUMB_MOVEMENT_SIZE);
  EXPECT(sizeof(plumb_movement_config_t), 40);
  EXPECT(sizeof(plumb_movement_output_t), 44);
  numbers();
  refused();
  monitor_steps();
  undefined_angles();
  EXPECT(sizeof(plumb_taps_t), PLUMB_TAPS_SIZE);
  EXPECT(sizeof(plumb_taps_config_t), 32);
  EXPECT(sizeof(plumb_taps_output_t), 8);
  taps_found();
  taps_refused();
  movement_refused();
  movement_steps();
  if (failures == 0) {
    printf("smoke: every function as the header says\n");
  }
  return failures != 0;
}
