// The part of plumb.h about what a board does over time, beside its pose. Include plumb.h, which has the units.
#ifndef PLUMB_MOVEMENT_H
#define PLUMB_MOVEMENT_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Movement: shakes, scrolling by tilt, an interface that turns
// ----------------------------------------------------

// Which way a picture must be drawn to stand upright: the mirror of the pose. With the board in PLUMB_LANDSCAPE_LEFT it
// is PLUMB_INTERFACE_LANDSCAPE_RIGHT.
enum plumb_orientation {
  PLUMB_INTERFACE_PORTRAIT = 0,
  PLUMB_INTERFACE_PORTRAIT_UPSIDE_DOWN = 1,
  PLUMB_INTERFACE_LANDSCAPE_LEFT = 2,
  PLUMB_INTERFACE_LANDSCAPE_RIGHT = 3
};

// The phases of an interface that turns. The first four come in this order, each once a turn; PLUMB_REDIRECTED may
// come between the second and the third.
enum plumb_phase_kind {
  PLUMB_WILL_ROTATE = 1, // from, to, time_us: how long the turn takes
  PLUMB_FIRST_HALF = 2,  // at the same instant
  PLUMB_SECOND_HALF = 3, // from here on the goal of this turn is settled
  PLUMB_DID_ROTATE = 4,  // from
  PLUMB_REDIRECTED = 5   // to, time_us: how long is left. The goal may be where the turn began
};

// One phase. What its kind does not name is 0.
typedef struct plumb_phase {
  uint8_t kind;     // enum plumb_phase_kind
  uint8_t from, to; // enum plumb_orientation
  uint8_t reserved;
  uint32_t time_us;
} plumb_phase_t;

// How movement is understood. Fill it with plumb_movement_config_default and change what you need.
typedef struct plumb_movement_config {
  int32_t shake_threshold;      // g, Q16.16: how much motion makes a swing, 0.25..8. Default 0.9
  int32_t shake_reversals;      // of direction that make a shake, 2..8. Default 4
  uint32_t shake_window_us;     // for all of them, 100000..5000000. Default 700000
  uint32_t shake_refractory_us; // of quiet that ends a shake, up to 10000000. Default 500000
  int32_t scroll_viscosity;     // millionths a sample, 0..1000000. Default 5000
  uint32_t scroll_interval_us;  // between two steps, 1000..1000000. Default 30000
  uint32_t rotation_us;         // that a turn takes, up to 60000000. Default 300000
  uint32_t longest_gap_us;      // a longer pause starts shake and scroll anew, up to 1 h. Default 1000000
  uint8_t orientations;         // bit n: the interface may stand in enum plumb_orientation n. Default 15, all
  uint8_t start;                // enum plumb_orientation before any pose is known. Default portrait
  uint8_t captures_rest;        // 1: nothing scrolls as the board is held at first. Default 0: leaning back 30 degrees
  uint8_t reserved;             // 0
} plumb_movement_config_t;

// The size of movement in bytes, on every target.
#define PLUMB_MOVEMENT_SIZE 512

// Movement of a board, beside its monitor: yours to place, to copy and to forget, as a plumb_monitor_t is.
typedef struct plumb_movement {
  uint64_t storage[PLUMB_MOVEMENT_SIZE / 8];
} plumb_movement_t;

// What a step of movement yields.
typedef struct plumb_movement_output {
  int32_t scroll_x, scroll_y; // 0..1 in Q16.16: 65536 is the end
  uint8_t shake;              // 1 in the step in which a shake is found, once for each
  uint8_t orientation;        // enum plumb_orientation of the interface: that before a turn until it is over
  uint8_t shown;              // the same for lamps that fade: old and new alternate during a turn
  uint8_t phase_count;        // how many of `phases` are valid, 0..4
  plumb_phase_t phases[4];    // in order
} plumb_movement_output_t;

// Fills `config` with the defaults. Returns PLUMB_OK or PLUMB_ERROR_NULL.
int32_t plumb_movement_config_default(plumb_movement_config_t *config);

// Makes movement that has seen nothing. `config` NULL means the defaults; it is copied. Returns PLUMB_OK, or why the
// configuration is refused: the movement is then not initialised.
int32_t plumb_movement_init(plumb_movement_t *movement, const plumb_movement_config_t *config);

// Takes in what plumb_monitor_step made of the sample of `time_us`. Fills *output; returns PLUMB_OK, PLUMB_ERROR_NULL
// or PLUMB_ERROR_NOT_INITIALISED; after an error *output is as it was. Costs no division but in a pause.
int32_t plumb_movement_step(plumb_movement_t *movement, const plumb_output_t *sample, uint64_t time_us,
                            plumb_movement_output_t *output);

// The same where no sample came: `pose`, enum plumb_pose, is what is known. An interface goes on turning by the clock.
int32_t plumb_movement_tick(plumb_movement_t *movement, uint8_t pose, uint64_t time_us,
                            plumb_movement_output_t *output);

// Makes the pose in which the board is held the one in which nothing scrolls. Returns PLUMB_OK or PLUMB_ERROR_REST, and
// then nothing has changed.
int32_t plumb_movement_capture_rest(plumb_movement_t *movement);

// Scrolls to a place, 0..65536 on each axis, and stops there until tilt goes on. Beyond that the nearer end.
int32_t plumb_movement_scroll_to(plumb_movement_t *movement, int32_t x, int32_t y);

#ifdef __cplusplus
}
#endif

#endif
