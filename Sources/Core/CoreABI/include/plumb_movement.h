// The part of plumb.h about movement. Include plumb.h, which defines the units.
#ifndef PLUMB_MOVEMENT_H
#define PLUMB_MOVEMENT_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Movement: shakes, scrolling by tilt, an interface that turns
// ----------------------------------------------------

// How a picture must be drawn to appear upright: the mirror of the pose. With the board in PLUMB_LANDSCAPE_LEFT it is
// PLUMB_INTERFACE_LANDSCAPE_RIGHT.
enum plumb_orientation {
  PLUMB_INTERFACE_PORTRAIT = 0,
  PLUMB_INTERFACE_PORTRAIT_UPSIDE_DOWN = 1,
  PLUMB_INTERFACE_LANDSCAPE_LEFT = 2,
  PLUMB_INTERFACE_LANDSCAPE_RIGHT = 3
};

// The phases of an interface rotation. The first four come in this order, once in each rotation; PLUMB_REDIRECTED may
// come between the second and the third.
enum plumb_phase_kind {
  PLUMB_WILL_ROTATE = 1, // from, to, time_us: the duration of the rotation
  PLUMB_FIRST_HALF = 2,  // at the same instant
  PLUMB_SECOND_HALF = 3, // from here on, the goal of this rotation is fixed
  PLUMB_DID_ROTATE = 4,  // from
  PLUMB_REDIRECTED = 5   // to, time_us: the remaining time. The goal may be where the rotation began
};

// One phase. Fields that its kind does not name are 0.
typedef struct plumb_phase {
  uint8_t kind;     // enum plumb_phase_kind
  uint8_t from, to; // enum plumb_orientation
  uint8_t reserved;
  uint32_t time_us;
} plumb_phase_t;

// How movement is detected. Fill it with plumb_movement_config_default and change what you need.
typedef struct plumb_movement_config {
  uint32_t size;                // sizeof(plumb_movement_config_t), which plumb_movement_config_default sets
  int32_t shake_threshold;      // g, Q16.16: the least motion of a swing, 0.25..8. Default 0.9
  int32_t shake_reversals;      // of direction in a shake, 2..8. Default 4
  uint32_t shake_window_us;     // for all of them, 100000..5000000. Default 700000
  uint32_t shake_refractory_us; // of rest that ends a shake, up to 10000000. Default 500000
  int32_t scroll_viscosity;     // millionths for each sample, 0..1000000. Default 5000
  uint32_t scroll_interval_us;  // between two steps, 1000..1000000. Default 30000
  uint32_t rotation_us;         // duration of a rotation, up to 60000000. Default 300000
  uint32_t longest_gap_us;      // a longer pause restarts shake and scroll, up to 1 h. Default 1000000
  uint8_t orientations;         // bit n: enum plumb_orientation n is allowed. Default 15, all
  uint8_t start;                // enum plumb_orientation until a pose is known. Default portrait
  uint8_t captures_rest;        // 1: the first attitude is the rest pose. Default 0: leaning back 30 degrees
  uint8_t reserved;             // 0
} plumb_movement_config_t;

// The size of movement in bytes, on every target.
#define PLUMB_MOVEMENT_SIZE 512

// The movement of a board, beside its monitor. You can place, copy and discard it like a plumb_monitor_t.
typedef struct plumb_movement {
  uint64_t storage[PLUMB_MOVEMENT_SIZE / 8];
} plumb_movement_t;

// The result of a step of movement.
typedef struct plumb_movement_output {
  int32_t scroll_x, scroll_y; // 0..1 in Q16.16: 65536 is the end
  uint8_t shake;              // 1 in the step that detects a shake, once for each shake
  uint8_t orientation;        // enum plumb_orientation of the interface: the old one until a rotation ends
  uint8_t shown;              // the same for LEDs that fade: old and new alternate during a rotation
  uint8_t phase_count;        // the number of valid `phases`, 0..4
  plumb_phase_t phases[4];    // in order
} plumb_movement_output_t;

// Fills `config` with the defaults. Returns PLUMB_OK or an error, as plumb_config_default.
int32_t plumb_movement_config_default_v3(plumb_movement_config_t *config, uint32_t size);
static inline int32_t plumb_movement_config_default(plumb_movement_config_t *config) {
  return plumb_movement_config_default_v3(config, (uint32_t)sizeof *config);
}

// Initialises movement. `config` may be NULL for the defaults; it is copied. Returns PLUMB_OK, or the reason why the
// configuration is invalid; the movement is then not initialised.
int32_t plumb_movement_init_v3(plumb_movement_t *movement, const plumb_movement_config_t *config);
static inline int32_t plumb_movement_init(plumb_movement_t *movement, const plumb_movement_config_t *config) {
  return plumb_movement_init_v3(movement, config);
}

// Processes the output of plumb_monitor_step for the sample of `time_us`. Fills *output; returns PLUMB_OK,
// PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED; after an error *output is unchanged. Divides only after a pause.
int32_t plumb_movement_step(plumb_movement_t *movement, const plumb_output_t *sample, uint64_t time_us,
                            plumb_movement_output_t *output);

// The same without a sample; `pose` is the present one, from plumb_monitor_pose. A rotation continues by the clock.
int32_t plumb_movement_tick(plumb_movement_t *movement, uint8_t pose, uint64_t time_us,
                            plumb_movement_output_t *output);

// Makes the present attitude the rest pose, in which nothing scrolls. Returns PLUMB_OK or PLUMB_ERROR_REST, which
// changes nothing.
int32_t plumb_movement_capture_rest(plumb_movement_t *movement);

// Scrolls to a position, 0..65536 on each axis (clamped), and stays there until the board is tilted again.
int32_t plumb_movement_scroll_to(plumb_movement_t *movement, int32_t x, int32_t y);

#ifdef __cplusplus
}
#endif

#endif
