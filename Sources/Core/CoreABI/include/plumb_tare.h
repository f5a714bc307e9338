// The part of plumb.h about "zero here": angles from an attitude of yours. Include plumb.h, which defines the units.
#ifndef PLUMB_TARE_H
#define PLUMB_TARE_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Tare: angles and level from the attitude of now ----------------------------------------------------------------

// How far the taking of a tare is.
enum plumb_tare_progress {
  PLUMB_TARE_IDLE = 0,      // none was begun, or the last one has ended
  PLUMB_TARE_MEASURING = 1, // samples are still to come
  PLUMB_TARE_TAKEN = 2,     // the board was held still: its attitude is zero from now on
  PLUMB_TARE_MOVED = 3      // it was not, for 3.5 s, or its force is not 0.5..1.5 g: the tare is the one of before
};

// The size of a tare in bytes, on every target.
#define PLUMB_TARE_SIZE 256

// A tare: yours to place, to copy and to forget, as a plumb_monitor_t is.
typedef struct plumb_tare {
  uint64_t storage[PLUMB_TARE_SIZE / 8];
} plumb_tare_t;

// The angles of a force from a tare. Binary angles; an undefined angle is 0. What they count from: docs/level.md.
typedef struct plumb_tared {
  plumb_vector_t tilted;  // the force in the frame whose z was up: x to the right, y to the front, g
  int32_t device_angle;   // in the board's plane, from how it was turned
  int32_t level_angle;    // -device_angle
  int32_t pitch;          // how far the front points up, -90..+90 degrees
  int32_t roll;           // the right side down is positive
  int32_t inclination;    // the distance from the attitude of the tare, 0..180 degrees
  int32_t steering_angle; // the board as a steering wheel that was straight, -90..+90 degrees
  uint32_t valid;         // bits of enum plumb_valid; an undefined angle is 0
} plumb_tared_t;

// Initialises a tare: none is taken, and the angles are those of the board. Returns PLUMB_OK or PLUMB_ERROR_NULL.
int32_t plumb_tare_init_v3(plumb_tare_t *tare);
static inline int32_t plumb_tare_init(plumb_tare_t *tare) { return plumb_tare_init_v3(tare); }

// Begins to take a tare at `time_us`, of samples that come every `period_us`: the mean of a board held still. It takes
// 1.25 s at 100 samples a second; with fewer than 8 a second, nine samples. The tare of before holds meanwhile. Returns
// PLUMB_OK or an error.
int32_t plumb_tare_begin(plumb_tare_t *tare, uint32_t period_us, uint64_t time_us);

// Processes the force of `time_us` in the board's frame, g, such as `force` of a monitor's output; `force` may be NULL
// if no sample came. Returns enum plumb_tare_progress, TAKEN and MOVED once each, or an error (negative).
int32_t plumb_tare_step(plumb_tare_t *tare, const plumb_vector_t *force, uint64_t time_us);

// Undoes the tare, and the taking of one: angles are those of the board again. Returns PLUMB_OK or an error.
int32_t plumb_tare_undo(plumb_tare_t *tare);

// The direction that was up, in millionths, as `[tare] up` of a board file: what to keep over a restart. Returns
// PLUMB_OK, PLUMB_ERROR_TARE if there is no tare, or another error; after an error *up is unchanged.
int32_t plumb_tare_up(const plumb_tare_t *tare, plumb_vector_t *up_millionths);

// Makes that direction the tare again. Returns PLUMB_OK, PLUMB_ERROR_TARE unless its length is 1 within 1 %, or another
// error; after an error the tare is unchanged.
int32_t plumb_tare_set(plumb_tare_t *tare, const plumb_vector_t *up_millionths);

// Turns a force in the board's frame, g, into angles from the tare: `gravity` of a monitor's output for steady angles,
// `force` for fast ones. Poses, shakes and headings do not follow a tare. Fills *output; returns PLUMB_OK or an error,
// after which *output is unchanged. Each component of `tilted` is within 0.6 LSB up to 16 g.
int32_t plumb_tare_angles(const plumb_tare_t *tare, const plumb_vector_t *force, plumb_tared_t *output);

#ifdef __cplusplus
}
#endif

#endif
