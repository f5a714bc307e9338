// One type per shape of measured function, and an empty function of each, whose cost is that of the call.
#pragma once

#include <stdint.h>

typedef int32_t pair_i32_t(int32_t, int32_t);
typedef uint32_t pair_u32_t(int32_t, int32_t);
typedef int32_t one_i32_t(int32_t);
typedef uint32_t one_u64_t(uint64_t);
typedef void both_i32_t(int32_t, int32_t *, int32_t *);
typedef float pair_f32_t(float, float);
typedef float one_f32_t(float);
typedef void both_f32_t(float, float *, float *);
typedef double pair_f64_t(double, double);
typedef double one_f64_t(double);
typedef void both_f64_t(double, double *, double *);
/// A whole step: its own kind of monitor, six bytes from the sensor, the time, its own kind of output.
typedef void step_t(void *, const uint8_t *, uint64_t, void *);

pair_i32_t empty_pair_i32;
pair_u32_t empty_pair_u32;
one_i32_t empty_one_i32;
one_u64_t empty_one_u64;
both_i32_t empty_both_i32;
pair_f32_t empty_pair_f32;
one_f32_t empty_one_f32;
both_f32_t empty_both_f32;
pair_f64_t empty_pair_f64;
one_f64_t empty_one_f64;
both_f64_t empty_both_f64;
step_t empty_step;

/// The steps of both sides, from the same bytes.
step_t plumb_from_bytes;
step_t reference_from_bytes;
