// The whole step in plain C with float and libm, for comparison with Plumb's.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  float x, y, z;
} ref_vector_t;

// The six poses in the order of plumb.h, then none.
typedef enum {
  REF_PORTRAIT,
  REF_PORTRAIT_UPSIDE_DOWN,
  REF_LANDSCAPE_LEFT,
  REF_LANDSCAPE_RIGHT,
  REF_FACE_UP,
  REF_FACE_DOWN,
  REF_UNKNOWN
} ref_pose_t;

// The reasons of plumb.h that can occur here.
typedef enum { REF_NONE, REF_NOT_YET_SAMPLED, REF_AMBIGUOUS, REF_ACCELERATING, REF_FREE_FALL, REF_STALE } ref_reason_t;

enum { REF_EVENT_POSE = 1, REF_EVENT_LOST = 2, REF_EVENT_EXPIRED = 4 };

typedef struct {
  uint8_t source[3]; // which axis of the sensor is the board's x, y and z
  float offset[3];   // g, by board axis
  float scale[3];    // by board axis, negative where the axes point opposite ways
  float time_constant;
  float minimum_square, maximum_square; // of the magnitude, g^2
  float leave_sine, leave_cosine;
  float enter_sine, enter_cosine;
  float start_sine, start_cosine;
  float middle_sine, middle_cosine;
  float face_leave_sine, face_leave_cosine;
  float dwell, evidence, patience, longest_gap; // s, g s
} ref_config_t;

// A rival of the settled pose and its evidence.
typedef struct {
  ref_pose_t pose; // REF_UNKNOWN if there is none
  uint64_t since_us;
  float evidence;
} ref_candidate_t;

typedef struct {
  ref_config_t config;
  ref_vector_t gravity;
  uint64_t gravity_us, sample_us, confirmed_us;
  ref_candidate_t face, plane, leaving;
  ref_pose_t pose;
  ref_reason_t reason;
  bool has_gravity, has_sample;
  bool is_cornered; // taken close to a face, which then needs more to be entered
} ref_monitor_t;

// Angles in degrees.
typedef struct {
  ref_vector_t force, gravity, motion;
  float device_angle, level_angle, pitch, roll, inclination, steering_angle;
  uint32_t events;
  ref_pose_t pose;
  ref_reason_t reason;
} ref_output_t;

/// A monitor with Plumb's defaults.
void ref_init(ref_monitor_t *monitor);

/// One sample: six bytes as the sensor sends them, 256 counts per g.
void ref_step(ref_monitor_t *monitor, const uint8_t bytes[6], uint64_t time_us, ref_output_t *output);
