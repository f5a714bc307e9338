// A straightforward implementation without optimisation beyond common sense: float, libm, sines of the fixed angles
// computed once. It does the same as Plumb's step, rule by rule; bench.sh checks that both give the same results.
#include "reference.h"

#include <math.h>
#include <stddef.h>

static const float pi = 3.14159265358979f;
static const float degrees_per_radian = 57.2957795130823f;

// Not fminf and fmaxf, which are calls: these become one instruction each.
static float least_of(float a, float b) { return a < b ? a : b; }

static float most_of(float a, float b) { return a > b ? a : b; }

static float clamp(float value, float least, float most) { return least_of(most_of(value, least), most); }

static float seconds_between(uint64_t from_us, uint64_t to_us) { return (float)(int64_t)(to_us - from_us) * 1e-6f; }

void ref_init(ref_monitor_t *monitor) {
  const float enter = 25.0f / degrees_per_radian;
  const float start = enter * 7.0f / 8.0f;
  const float middle = 32.5f / degrees_per_radian;
  const float leave = 60.0f / degrees_per_radian;
  const float face_leave = 40.0f / degrees_per_radian;
  *monitor = (ref_monitor_t){.config = {.source = {0, 1, 2},
                                        .scale = {1, 1, 1},
                                        .time_constant = 0.2f,
                                        .minimum_square = 0.6f * 0.6f,
                                        .maximum_square = 1.4f * 1.4f,
                                        .leave_sine = sinf(leave),
                                        .leave_cosine = cosf(leave),
                                        .enter_sine = sinf(enter),
                                        .enter_cosine = cosf(enter),
                                        .start_sine = sinf(start),
                                        .start_cosine = cosf(start),
                                        .middle_sine = sinf(middle),
                                        .middle_cosine = cosf(middle),
                                        .face_leave_sine = sinf(face_leave),
                                        .face_leave_cosine = cosf(face_leave),
                                        .dwell = 0.04f,
                                        .evidence = 0.01f,
                                        .patience = 1,
                                        .longest_gap = 1},
                             .face = {.pose = REF_UNKNOWN},
                             .plane = {.pose = REF_UNKNOWN},
                             .leaving = {.pose = REF_UNKNOWN},
                             .pose = REF_UNKNOWN,
                             .reason = REF_NOT_YET_SAMPLED};
}

static ref_vector_t aligned_force(const ref_config_t *config, const uint8_t bytes[6]) {
  float measured[3];
  float aligned[3];
  for (size_t i = 0; i < 3; i++) {
    const int16_t count = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    measured[i] = clamp((float)count, -4096, 4095) / 256;
  }
  for (size_t i = 0; i < 3; i++) {
    aligned[i] = (measured[config->source[i]] - config->offset[i]) * config->scale[i];
  }
  return (ref_vector_t){aligned[0], aligned[1], aligned[2]};
}

static void filter_gravity(ref_monitor_t *monitor, ref_vector_t force, uint64_t now_us) {
  if (force.x == 0 && force.y == 0 && force.z == 0) {
    monitor->has_gravity = false;
    monitor->gravity = force;
    return;
  }
  const float elapsed = seconds_between(monitor->gravity_us, now_us);
  if (!monitor->has_gravity || elapsed < 0 || elapsed > monitor->config.longest_gap) {
    monitor->gravity = force;
  } else {
    const float gain = elapsed / (elapsed + monitor->config.time_constant);
    monitor->gravity.x += gain * (force.x - monitor->gravity.x);
    monitor->gravity.y += gain * (force.y - monitor->gravity.y);
    monitor->gravity.z += gain * (force.z - monitor->gravity.z);
  }
  monitor->has_gravity = true;
  monitor->gravity_us = now_us;
}

static void compute_angles(ref_output_t *output) {
  const ref_vector_t f = output->force;
  output->device_angle = atan2f(-f.x, f.y) * degrees_per_radian;
  output->level_angle = -output->device_angle;
  output->pitch = atan2f(f.y, sqrtf(f.x * f.x + f.z * f.z)) * degrees_per_radian;
  output->roll = atan2f(-f.x, f.z) * degrees_per_radian;
  output->inclination = atan2f(sqrtf(f.x * f.x + f.y * f.y), f.z) * degrees_per_radian;
  const float turn = asinf(clamp(-output->gravity.y, -1, 1));
  const float room = pi - 2 * fabsf(asinf(clamp(output->gravity.z, -1, 1)));
  output->steering_angle = room > 0 ? clamp(180 * turn / room, -90, 90) : 0;
}

static void change_pose(ref_monitor_t *monitor, ref_output_t *output, ref_pose_t pose, ref_reason_t reason) {
  monitor->face.pose = REF_UNKNOWN;
  monitor->plane.pose = REF_UNKNOWN;
  monitor->leaving.pose = REF_UNKNOWN;
  if (monitor->pose == pose && monitor->reason == reason) {
    return;
  }
  monitor->pose = pose;
  monitor->reason = reason;
  if (pose == REF_UNKNOWN) {
    monitor->is_cornered = false;
  }
  output->events |= reason == REF_STALE ? REF_EVENT_EXPIRED : pose == REF_UNKNOWN ? REF_EVENT_LOST : REF_EVENT_POSE;
}

static ref_pose_t nearest_in_plane(ref_vector_t f) {
  if (fabsf(f.y) >= fabsf(f.x)) {
    return f.y >= 0 ? REF_PORTRAIT : REF_PORTRAIT_UPSIDE_DOWN;
  }
  return f.x >= 0 ? REF_LANDSCAPE_LEFT : REF_LANDSCAPE_RIGHT;
}

// How far the force is beyond the angle at which an upright pose is left, in g.
static float beyond_leave_angle(const ref_config_t *config, ref_pose_t pose, ref_vector_t f) {
  const bool is_upright = pose == REF_PORTRAIT || pose == REF_PORTRAIT_UPSIDE_DOWN;
  const bool is_negative = pose == REF_PORTRAIT_UPSIDE_DOWN || pose == REF_LANDSCAPE_RIGHT;
  const float along = is_upright ? f.y : f.x;
  const float across = is_upright ? f.x : f.y;
  return fabsf(across) * config->leave_cosine - (is_negative ? -along : along) * config->leave_sine;
}

static void gather(ref_candidate_t *candidate, ref_pose_t pose, float excess, float span, uint64_t now_us, float most) {
  if (pose != candidate->pose) {
    *candidate = (ref_candidate_t){.pose = pose, .since_us = now_us};
  }
  // An excess of 1/256 g adds no evidence.
  candidate->evidence = least_of(candidate->evidence + (excess - 1.0f / 256) * span, most);
  if (candidate->evidence <= 0) {
    candidate->evidence = 0;
    candidate->pose = excess <= 0 ? REF_UNKNOWN : candidate->pose;
  }
}

static bool is_overdue(const ref_monitor_t *monitor, uint64_t now_us) {
  const ref_config_t *config = &monitor->config;
  const ref_candidate_t *leaving = &monitor->leaving;
  return seconds_between(monitor->confirmed_us, now_us) > config->patience ||
         (leaving->pose != REF_UNKNOWN && leaving->evidence >= config->evidence &&
          seconds_between(leaving->since_us, now_us) >= 4 * config->dwell);
}

// Weighs one sample for or against the settled pose.
static void weigh(ref_monitor_t *monitor, ref_output_t *output, ref_vector_t f, float elapsed, uint64_t now_us) {
  const ref_config_t *config = &monitor->config;
  const ref_pose_t settled = monitor->pose;
  const float in_plane = sqrtf(f.x * f.x + f.y * f.y);
  const ref_pose_t face = f.z >= 0 ? REF_FACE_UP : REF_FACE_DOWN;
  const float height = fabsf(f.z);
  if (monitor->is_cornered) {
    monitor->is_cornered = height * config->face_leave_sine >= in_plane * config->face_leave_cosine;
  }
  const float entry = monitor->is_cornered ? height * config->start_sine - in_plane * config->start_cosine
                                           : height * config->enter_sine - in_plane * config->enter_cosine;
  const float towards = settled == REF_FACE_UP ? f.z : -f.z;
  const float leave = settled >= REF_FACE_UP ? in_plane * config->face_leave_cosine - towards * config->face_leave_sine
                                             : beyond_leave_angle(config, settled, f);
  ref_pose_t plane = nearest_in_plane(f);
  const ref_pose_t before = monitor->plane.pose;
  if (before != REF_UNKNOWN && before != settled && beyond_leave_angle(config, before, f) <= 0) {
    plane = before;
  }
  const float leave_excess = face == settled ? leave : most_of(leave, entry);
  const float span = clamp(elapsed, 0, config->longest_gap);
  gather(&monitor->face, face == settled ? REF_UNKNOWN : face, entry, span, now_us, config->evidence);
  gather(&monitor->plane, plane, least_of(leave, -entry), span, now_us, config->evidence);
  gather(&monitor->leaving, settled, leave_excess - 1.0f / 64, span, now_us, config->evidence);
  if (leave_excess <= 0) {
    monitor->confirmed_us = now_us;
    return;
  }
  const ref_candidate_t *leader = face != settled && entry > 0 ? &monitor->face : &monitor->plane;
  if (leader->pose == REF_UNKNOWN) {
    return;
  }
  if (seconds_between(leader->since_us, now_us) >= config->dwell &&
      (leader->evidence >= config->evidence || is_overdue(monitor, now_us))) {
    monitor->confirmed_us = now_us;
    monitor->is_cornered =
        leader->pose < REF_FACE_UP && height * config->middle_sine >= in_plane * config->middle_cosine;
    change_pose(monitor, output, leader->pose, REF_NONE);
  } else if (seconds_between(monitor->confirmed_us, now_us) > config->patience) {
    change_pose(monitor, output, REF_UNKNOWN, REF_AMBIGUOUS);
  }
}

static void track_pose(ref_monitor_t *monitor, ref_output_t *output, ref_vector_t f, uint64_t now_us) {
  const ref_config_t *config = &monitor->config;
  const float elapsed = monitor->has_sample ? seconds_between(monitor->sample_us, now_us) : 0;
  if (monitor->pose != REF_UNKNOWN && elapsed > config->longest_gap) {
    change_pose(monitor, output, REF_UNKNOWN, REF_STALE);
  }
  monitor->sample_us = now_us;
  monitor->has_sample = true;
  if (elapsed < 0) {
    change_pose(monitor, output, monitor->pose, monitor->reason);
    monitor->confirmed_us = now_us;
  }
  const float square = f.x * f.x + f.y * f.y + f.z * f.z;
  if (square < config->minimum_square || square > config->maximum_square) {
    const ref_reason_t reason = square < config->minimum_square ? REF_FREE_FALL : REF_ACCELERATING;
    const bool keeps =
        monitor->pose != REF_UNKNOWN && seconds_between(monitor->confirmed_us, now_us) <= config->patience;
    change_pose(monitor, output, keeps ? monitor->pose : REF_UNKNOWN, keeps ? REF_NONE : reason);
  } else if (monitor->pose == REF_UNKNOWN) {
    const float in_plane = sqrtf(f.x * f.x + f.y * f.y);
    const bool is_face = fabsf(f.z) * config->start_sine > in_plane * config->start_cosine;
    monitor->confirmed_us = now_us;
    change_pose(monitor, output, is_face ? f.z >= 0 ? REF_FACE_UP : REF_FACE_DOWN : nearest_in_plane(f), REF_NONE);
  } else {
    weigh(monitor, output, f, elapsed, now_us);
  }
}

void ref_step(ref_monitor_t *monitor, const uint8_t bytes[6], uint64_t time_us, ref_output_t *output) {
  output->events = 0;
  output->force = aligned_force(&monitor->config, bytes);
  filter_gravity(monitor, output->force, time_us);
  output->gravity = monitor->gravity;
  output->motion = (ref_vector_t){output->force.x - output->gravity.x, output->force.y - output->gravity.y,
                                  output->force.z - output->gravity.z};
  compute_angles(output);
  track_pose(monitor, output, output->force, time_us);
  output->pose = monitor->pose;
  output->reason = monitor->reason;
}
