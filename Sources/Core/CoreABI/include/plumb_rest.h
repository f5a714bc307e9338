// The part of plumb.h about rest: whether a board is still or moves, by its force alone. Include plumb.h, which has the
// units. With a gyroscope, PLUMB_FUSION_STILL of plumb_fusion.h says it.
#ifndef PLUMB_REST_H
#define PLUMB_REST_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Rest: still or moving without a gyroscope ----------------------------------------------------------------------

// What is known of a board.
enum plumb_rest_state {
  PLUMB_REST_UNKNOWN = 0, // not known: in the first 1.2 s, and after a pause of more than 5 s
  PLUMB_REST_STILL = 1,   // for 1.2 s, longer below 20 samples a second, nothing but the sensor's own noise was seen
  PLUMB_REST_MOVING = 2
};

// The size of a rest in bytes, on every target.
#define PLUMB_REST_SIZE 128

// A rest: yours to place, to copy and to forget, as a plumb_monitor_t is.
typedef struct plumb_rest {
  uint64_t storage[PLUMB_REST_SIZE / 8];
} plumb_rest_t;

// Makes a rest that has seen nothing. Returns PLUMB_OK or PLUMB_ERROR_NULL.
int32_t plumb_rest_init_v3(plumb_rest_t *rest);
static inline int32_t plumb_rest_init(plumb_rest_t *rest) { return plumb_rest_init_v3(rest); }

// Takes in the force of one sample, g, in any frame that turns with the board, at `time_us`. The time between samples
// may vary; time that stands still changes nothing; time that runs backwards and a pause of more than 5 s leave nothing
// known but the sensor's noise. A knock is no movement, nor is drift by 0.5 mg a second at 10 samples a second or more.
// Returns enum plumb_rest_state, or PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED.
int32_t plumb_rest_step(plumb_rest_t *rest, const plumb_vector_t *force, uint64_t time_us);

// Samples fail to come: nothing is known but the sensor's noise. Returns PLUMB_OK, PLUMB_ERROR_NULL or
// PLUMB_ERROR_NOT_INITIALISED.
int32_t plumb_rest_interrupt(plumb_rest_t *rest);

#ifdef __cplusplus
}
#endif

#endif
