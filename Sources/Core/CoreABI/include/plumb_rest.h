// The part of plumb.h for rest: whether a board is still or moves, from its force alone. Include plumb.h, which defines
// the units. With a gyroscope, use PLUMB_FUSION_STILL of plumb_fusion.h instead.
#ifndef PLUMB_REST_H
#define PLUMB_REST_H

#include "plumb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Rest: still or moving without a gyroscope ----------------------------------------------------------------------

// The state of a board.
enum plumb_rest_state {
  PLUMB_REST_UNKNOWN = 0, // in the first 1.2 s, and after a pause of more than 5 s
  PLUMB_REST_STILL = 1,   // only the sensor's own noise for 1.2 s, longer below 20 samples a second
  PLUMB_REST_MOVING = 2
};

// The size of a rest in bytes, on every target.
#define PLUMB_REST_SIZE 128

// A rest. You can place, copy and discard it like a plumb_monitor_t.
typedef struct plumb_rest {
  uint64_t storage[PLUMB_REST_SIZE / 8];
} plumb_rest_t;

// Initialises a rest. Returns PLUMB_OK or PLUMB_ERROR_NULL.
int32_t plumb_rest_init_v3(plumb_rest_t *rest);
static inline int32_t plumb_rest_init(plumb_rest_t *rest) { return plumb_rest_init_v3(rest); }

// Processes the force of one sample, g, in any frame fixed to the board, at `time_us`. The time between samples may
// vary. Time that stands still changes nothing; after time that runs backwards or a pause of more than 5 s, only the
// sensor's noise is still known. A knock does not count as movement, nor does drift by 0.5 mg per second at 10 samples
// a second or more. Returns enum plumb_rest_state, or PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED.
int32_t plumb_rest_step(plumb_rest_t *rest, const plumb_vector_t *force, uint64_t time_us);

// Reports that samples are missing: only the sensor's noise is still known. Returns PLUMB_OK, PLUMB_ERROR_NULL or
// PLUMB_ERROR_NOT_INITIALISED.
int32_t plumb_rest_interrupt(plumb_rest_t *rest);

#ifdef __cplusplus
}
#endif

#endif
