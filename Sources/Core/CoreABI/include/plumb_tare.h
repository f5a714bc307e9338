// The part of plumb.h for "zero here": angles relative to an attitude that you choose. Include plumb.h, which defines
// the units.
#ifndef PLUMB_TARE_H
#define PLUMB_TARE_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Tare: angles and level from the attitude of now ----------------------------------------------------------------

// The progress of measuring a tare.
enum plumb_tare_progress {
  PLUMB_TARE_IDLE = 0,      // no measurement was begun, or the last one has ended
  PLUMB_TARE_MEASURING = 1, // more samples are needed
  PLUMB_TARE_TAKEN = 2,     // the board was held still: its attitude is zero from now on
  PLUMB_TARE_MOVED = 3      // it was not still for 3.5 s, or its force is not 0.5..1.5 g: the old tare stays
};

// The size of a tare in bytes, on every target.
#define PLUMB_TARE_SIZE 256

// A tare. You can place, copy and discard it like a plumb_monitor_t.
typedef struct plumb_tare {
  uint64_t storage[PLUMB_TARE_SIZE / 8];
} plumb_tare_t;

// The angles of a force relative to a tare. Binary angles; an undefined angle is 0. Their zero points: docs/level.md.
typedef struct plumb_tared {
  plumb_vector_t tilted;  // the force in the frame whose z was up: x to the right, y to the front, g
  int32_t device_angle;   // in the board's plane, from its orientation at the tare
  int32_t level_angle;    // -device_angle
  int32_t pitch;          // how far the front points up, -90..+90 degrees
  int32_t roll;           // the right side down is positive
  int32_t inclination;    // the distance from the attitude of the tare, 0..180 degrees
  int32_t steering_angle; // the board as a steering wheel that was straight, -90..+90 degrees
  uint32_t valid;         // bits of enum plumb_valid; an undefined angle is 0
} plumb_tared_t;

// Initialises a tare: none is set, and the angles are those of the board. Returns PLUMB_OK or PLUMB_ERROR_NULL.
int32_t plumb_tare_init_v3(plumb_tare_t *tare);
static inline int32_t plumb_tare_init(plumb_tare_t *tare) { return plumb_tare_init_v3(tare); }

// Begins to measure a tare at `time_us`, from samples that come every `period_us`: the mean of a board held still. It
// takes 1.25 s at 100 samples a second; with fewer than 8 a second, nine samples. The previous tare applies meanwhile.
// Returns PLUMB_OK or an error.
int32_t plumb_tare_begin(plumb_tare_t *tare, uint32_t period_us, uint64_t time_us);

// Processes the force at `time_us` in the board's frame, g, such as `force` of a monitor's output; `force` may be NULL
// if no sample came. Returns enum plumb_tare_progress, TAKEN and MOVED once each, or an error (negative).
int32_t plumb_tare_step(plumb_tare_t *tare, const plumb_vector_t *force, uint64_t time_us);

// Removes the tare, and cancels a measurement in progress: angles are those of the board again. Returns PLUMB_OK or an
// error.
int32_t plumb_tare_undo(plumb_tare_t *tare);

// The direction that was up, in millionths, as `[tare] up` in a board file: store it to keep a tare over a restart.
// Returns PLUMB_OK, PLUMB_ERROR_TARE if there is no tare, or another error; after an error *up is unchanged.
int32_t plumb_tare_up(const plumb_tare_t *tare, plumb_vector_t *up_millionths);

// Makes a stored direction the tare again. Returns PLUMB_OK, PLUMB_ERROR_TARE unless its length is 1 within 1 %, or
// another error; after an error the tare is unchanged.
int32_t plumb_tare_set(plumb_tare_t *tare, const plumb_vector_t *up_millionths);

// Converts a force in the board's frame, g, to angles relative to the tare: `gravity` of a monitor's output for steady
// angles, `force` for fast ones. A tare does not affect poses, shakes or headings. Fills *output; returns PLUMB_OK or
// an error, after which *output is unchanged. Each component of `tilted` is accurate to 0.6 LSB up to 16 g.
int32_t plumb_tare_angles(const plumb_tare_t *tare, const plumb_vector_t *force, plumb_tared_t *output);

#ifdef __cplusplus
}
#endif

#endif
