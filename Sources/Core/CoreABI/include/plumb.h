// Plumb's core: angles, roots and the pose of a board, in integers.
//
// Nothing here allocates, blocks, reads a clock, uses floating point or has global state. Every function accepts every
// value of its arguments' types: none traps, none has undefined results. Any thread or interrupt may call the numeric
// functions; calls with the same monitor must not overlap.
//
// Units, throughout:
//   binary angle   int32_t, 2^32 parts to a turn, so that sums wrap as angles do. -2^31 is 180 degrees, 2^30 is 90.
//   Qm.n           an integer in units of 2^-n. Forces are Q16.16 g: 65536 is 1 g, range +-32767.99998 g.
//   time           uint64_t microseconds since any origin.
//
// Axes of the board: x to the right, y to the top edge, z out of the face. Forces are specific force, which is what an
// accelerometer measures: at rest +1 g along the axis that points up.
//
// Link with the libplumb.a for your target. It needs memcpy, memmove or memset from your C library (on ARM their
// __aeabi_ forms) and, on 32-bit targets, 64-bit integer helpers from libgcc or compiler-rt: docs/using-from-c.md.
#ifndef PLUMB_H
#define PLUMB_H

#include <stdint.h>

// The version of Plumb that this header belongs to.
#define PLUMB_VERSION "0.1.0"

// The version of this interface: of the functions that prepare a configuration or a state, and of all structures. It is
// part of the linked names, plumb_monitor_init_v3 for plumb_monitor_init, so a program compiled with the header of
// another version does not link: the linker reports plumb_monitor_init_v2 or similar as undefined.
#define PLUMB_INTERFACE 3

#ifdef __cplusplus
extern "C" {
#endif

// ---- Numbers -------------------------------------------------------------------------------------------------------
// Each gives the same bits on every target. Worst errors: docs/numerics.md.

// The angle of the point (x, y), counter-clockwise from the x axis, as a binary angle. Only the ratio matters. Axes and
// diagonals are exact; (0, 0) gives 0; odd in y except for the half turn. Worst error 5.1e-8 degrees.
int32_t plumb_atan2(int32_t y, int32_t x);

// The binary angle in -90..+90 degrees whose sine is `sine_q30`, Q2.30; clamped to +-1 (2^30).
// Worst error 6.1e-8 degrees.
int32_t plumb_asin(int32_t sine_q30);

// The binary angle in 0..180 degrees whose cosine is `cosine_q30`, Q2.30; clamped to +-1. 180 is -2^31.
// Worst error 6.1e-8 degrees.
int32_t plumb_acos(int32_t cosine_q30);

// Sine and cosine of a binary angle, Q1.31; +1 is 2^31 - 1. Worst error 4.1e-10. Both pointers must be valid: they are
// not checked, because that would cost a tenth of the function.
void plumb_sincos(int32_t angle, int32_t *sine_q31, int32_t *cosine_q31);

// A binary angle in degrees, Q16.16, in (-180, 180], rounded to nearest: 65536 is one degree.
int32_t plumb_degrees(int32_t angle);

// The exact floor of the square root.
uint32_t plumb_sqrt(uint64_t value);

// The exact floor of the square root of a^2 + b^2, at most 3037000499.
uint32_t plumb_hypot(int32_t a, int32_t b);

// ---- The monitor: from forces over time to poses --------------------------------------------------------------------

// One of the six ways to hold a board, or unknown. Each comment says what is up, and the force.
enum plumb_pose {
  PLUMB_PORTRAIT = 0,             // the top edge: force (0, +1, 0) g
  PLUMB_PORTRAIT_UPSIDE_DOWN = 1, // the bottom edge: (0, -1, 0) g
  PLUMB_LANDSCAPE_LEFT = 2,       // the right edge, turned counter-clockwise: (+1, 0, 0) g
  PLUMB_LANDSCAPE_RIGHT = 3,      // the left edge, turned clockwise: (-1, 0, 0) g
  PLUMB_FACE_UP = 4,              // the face: (0, 0, +1) g
  PLUMB_FACE_DOWN = 5,            // the back: (0, 0, -1) g
  PLUMB_POSE_UNKNOWN = 6          // see the reason
};

// Why a pose is unknown.
enum plumb_reason {
  PLUMB_REASON_NONE = 0,     // it is known
  PLUMB_NOT_YET_SAMPLED = 1, // no sample has arrived yet
  PLUMB_AMBIGUOUS = 2,       // the last pose no longer holds, and no other has held long enough
  PLUMB_ACCELERATING = 3,    // more than gravity acts
  PLUMB_FREE_FALL = 4,       // less than gravity acts
  PLUMB_STALE = 5,           // the last sample is too old
  PLUMB_FAULT = 6            // plumb_monitor_fail reported a sensor fault
};

// What happened in a step: bits of plumb_output_t.events. Each is set once for each change.
enum plumb_event {
  PLUMB_EVENT_POSE = 1 << 0,   // a different pose than before is known, or the first after none
  PLUMB_EVENT_LOST = 1 << 1,   // the pose is no longer known, or is unknown for a different reason than before
  PLUMB_EVENT_EXPIRED = 1 << 2 // the pose expired before this sample, because the previous sample was too old
};

// Results of the functions below. If several apply, one of them is returned.
enum plumb_status {
  PLUMB_OK = 0,
  PLUMB_ERROR_NULL = -1,            // a pointer that must not be NULL is NULL
  PLUMB_ERROR_NOT_INITIALISED = -2, // the storage was never successfully initialised, whatever it contains
  PLUMB_ERROR_MOUNTING = -3,        // an axis is repeated or out of range, or the frame is left-handed
  PLUMB_ERROR_CALIBRATION = -4,     // a scale outside 2^29..2^31 - 1
  PLUMB_ERROR_MAGNITUDE = -5,       // not 0 < minimum < 1 g < maximum <= 16 g
  PLUMB_ERROR_LEAVE_ANGLE = -6,     // not 46..89 degrees
  PLUMB_ERROR_FACE_ANGLES = -7,     // not 1 degree <= enter < leave <= 89 degrees
  PLUMB_ERROR_TIMES = -8,           // negative, patience not above dwell, or longest gap not in (0, 1 h]
  PLUMB_ERROR_SHAKE = -9,           // a shake value is out of range, or its reversals do not fit the window
  PLUMB_ERROR_SCROLL = -10,         // a scrolling value is out of range
  PLUMB_ERROR_ROTATION = -11,       // no or an unknown orientation, a start that is not allowed, or over 60 s
  PLUMB_ERROR_REST = -12,           // the board is not still (0.5..1.5 g), or nearly opposite the published rest
  PLUMB_ERROR_HEADING = -13,        // the board is within 5 degrees of face down, where a heading has no meaning
  PLUMB_ERROR_TAPS = -14,           // a value of taps or falls is out of range
  PLUMB_ERROR_TARE = -15,           // there is no tare, or the length of its direction is not 1 within 1 %
  PLUMB_ERROR_SIZE = -16,           // a configuration does not begin with its size: it was never filled
  PLUMB_ERROR_RESERVED = -17,       // a reserved field of a configuration is not 0
  PLUMB_ERROR_VIBRATION = -18       // a vibration value is out of range
};

// The half-axis of the sensor along an axis of the board.
enum plumb_axis {
  PLUMB_PLUS_X = 0,
  PLUMB_MINUS_X = 1,
  PLUMB_PLUS_Y = 2,
  PLUMB_MINUS_Y = 3,
  PLUMB_PLUS_Z = 4,
  PLUMB_MINUS_Z = 5
};

// Three components: forces in Q16.16 g.
typedef struct plumb_vector {
  int32_t x, y, z;
} plumb_vector_t;

// The settings of a monitor. Fill it with plumb_config_default and change what you need.
typedef struct plumb_config {
  uint32_t size;                     // sizeof(plumb_config_t), which plumb_config_default sets
  uint8_t mounting[3];               // enum plumb_axis for the board's x, y, z. Default: +x, +y, +z
  uint8_t reserved;                  // 0
  plumb_vector_t offset;             // the reading at 0 g, in the sensor's frame. Default 0
  plumb_vector_t scale;              // force = (measured - offset) * scale, Q2.30. Default 2^30, which is 1
  uint32_t gravity_time_constant_us; // RC of the low-pass for gravity; 0: no filter. Default 200000
  int32_t minimum_magnitude;         // g, Q16.16: below it no new pose is decided. Default 0.6
  int32_t maximum_magnitude;         // above it no new pose is decided. Default 1.4
  int32_t leave_angle;               // from the centre: where a pose in the plane is left. Default 60 degrees
  int32_t face_enter_angle;          // from the vertical, below which a face is entered. Default 25 degrees
  int32_t face_leave_angle;          // from the vertical, above which a face is left. Default 40 degrees
  int32_t evidence;                  // distance past the boundary times time, g s in Q16.16. Default 0.01
  uint32_t dwell_us;                 // how long a new pose must hold. Default 40000
  uint32_t patience_us;              // how long a pose that no sample confirms is kept. Default 1000000
  uint32_t longest_gap_us;           // a longer pause makes the pose stale and restarts the filter. Default 1000000
} plumb_config_t;

// The size of a monitor in bytes, on every target.
#define PLUMB_MONITOR_SIZE 448

// A monitor, in memory that you provide: static, on the stack or in a struct. You can copy and discard it; it owns
// nothing. Its content is private. A monitor filled with zeros or anything else is not initialised, which every
// function below detects.
typedef struct plumb_monitor {
  uint64_t storage[PLUMB_MONITOR_SIZE / 8];
} plumb_monitor_t;

// Which angles are defined: bits of plumb_output_t.valid and plumb_tared_t.valid. The other angles always are.
enum plumb_valid {
  PLUMB_VALID_DEVICE_ANGLE = 1 << 0, // and level_angle: at least 0.1 g lies in the plane of x and y
  PLUMB_VALID_ROLL = 1 << 1          // at least 0.1 g lies in the plane of x and z
};

// The result of a step. Angles are binary angles; an undefined angle is 0.
typedef struct plumb_output {
  plumb_vector_t force;    // calibrated, in the board's frame, g
  plumb_vector_t gravity;  // the low-passed force, g
  plumb_vector_t motion;   // the rest: force - gravity, g
  int32_t device_angle;    // atan2(-fx, fy): portrait 0, landscape right +90, upside down 180 degrees
  int32_t level_angle;     // the turn that keeps a label level for the viewer: -device_angle
  int32_t pitch;           // how far the top edge points up, -90..+90 degrees
  int32_t roll;            // atan2(-fx, fz): face up 0, right edge down +90, face down 180 degrees
  int32_t inclination;     // of the face from straight up, 0..180 degrees
  int32_t steering_angle;  // the board as a steering wheel, from gravity, -90..+90 degrees; landscape 0
  uint32_t events;         // bits of enum plumb_event
  uint8_t pose;            // enum plumb_pose, after this sample
  uint8_t reason;          // enum plumb_reason, after this sample
  uint8_t previous_pose;   // before this sample, and before an expiry in `events`
  uint8_t previous_reason; // before this sample, and before an expiry
  uint32_t valid;          // bits of enum plumb_valid
} plumb_output_t;

// Fills `config` with the defaults. Returns PLUMB_OK or PLUMB_ERROR_NULL; PLUMB_ERROR_SIZE, with nothing written, if a
// caller in another language passes a different size than that of plumb_config_t.
int32_t plumb_config_default_v3(plumb_config_t *config, uint32_t size);
static inline int32_t plumb_config_default(plumb_config_t *config) {
  return plumb_config_default_v3(config, (uint32_t)sizeof *config);
}

// Initialises a monitor. `config` may be NULL for the defaults; it is copied and not needed afterwards. Returns
// PLUMB_OK, or the reason why the configuration is invalid; the monitor is then not initialised.
int32_t plumb_monitor_init_v3(plumb_monitor_t *monitor, const plumb_config_t *config);
static inline int32_t plumb_monitor_init(plumb_monitor_t *monitor, const plumb_config_t *config) {
  return plumb_monitor_init_v3(monitor, config);
}

// Processes one sample: the force (x, y, z) that the sensor measured, in its own frame, Q16.16 g, at `time_us`. The
// time between samples may vary. Time that runs backwards restarts the filter. A calibrated force saturates at +-256 g.
// Fills *output with the same bits on every target; worst errors of the angles: docs/numerics.md. Returns PLUMB_OK,
// PLUMB_ERROR_NULL or PLUMB_ERROR_NOT_INITIALISED; after an error *output is unchanged. Worst-case stack and code size
// on each target: docs/sizes.md.
int32_t plumb_monitor_step(plumb_monitor_t *monitor, int32_t x, int32_t y, int32_t z, uint64_t time_us,
                           plumb_output_t *output);

// Makes the pose unknown if the last sample is too old at `time_us`. Use it while no samples arrive; otherwise
// plumb_monitor_step does this. Returns PLUMB_EVENT_EXPIRED if the pose expired, otherwise 0, or an error (negative).
int32_t plumb_monitor_expire(plumb_monitor_t *monitor, uint64_t time_us);

// Makes the pose unknown because of a sensor fault; the next sample decides afresh. Returns PLUMB_EVENT_LOST at the
// first call of an outage, otherwise 0, or an error (negative).
int32_t plumb_monitor_fail(plumb_monitor_t *monitor);

// The present pose: enum plumb_pose, or an error (negative).
int32_t plumb_monitor_pose(const plumb_monitor_t *monitor);

#ifdef __cplusplus
}
#endif

#include "plumb_fusion.h"
#include "plumb_movement.h"
#include "plumb_rest.h"
#include "plumb_taps.h"
#include "plumb_tare.h"
#include "plumb_vibration.h"

#endif
