// Runs each function over the same inputs, for callgrind to count: ours, libm's, and an empty one of each shape.
#define _GNU_SOURCE // sincos
#include "inputs.h"
#include "measure.h"
#include "plumb.h"
#include "shapes.h"
#include "steps.h"

#include <math.h>
#include <stdint.h>

enum { CALLS = 10000 };

static int32_t xs[CALLS], ys[CALLS], sines[CALLS], angles[CALLS];
static uint64_t squares[CALLS];
static float xs_f32[CALLS], ys_f32[CALLS], sines_f32[CALLS], angles_f32[CALLS], squares_f32[CALLS];
static double xs_f64[CALLS], ys_f64[CALLS], sines_f64[CALLS], angles_f64[CALLS], squares_f64[CALLS];

// The numbers in each type, prepared so that no call includes a conversion. libm's angles are radians.
static void make_inputs(void) {
  inputs_t inputs = inputs_start;
  for (int i = 0; i < CALLS; i++) {
    ys[i] = inputs_int32(&inputs);
    xs[i] = inputs_int32(&inputs);
    sines[i] = inputs_sine(&inputs);
    squares[i] = inputs_uint64(&inputs);
    angles[i] = (int32_t)inputs_bits(&inputs);
    ys_f64[i] = ys[i];
    xs_f64[i] = xs[i];
    sines_f64[i] = sines[i] * 0x1p-30;
    squares_f64[i] = (double)squares[i];
    angles_f64[i] = angles[i] * (0x1p-31 * 3.14159265358979323846);
    ys_f32[i] = (float)ys_f64[i];
    xs_f32[i] = (float)xs_f64[i];
    sines_f32[i] = (float)sines_f64[i];
    squares_f32[i] = (float)squares_f64[i];
    angles_f32[i] = (float)angles_f64[i];
  }
}

// The same machine code calls a function and the empty one of its shape, so everything but the function cancels. One
// call before the counted ones lets the dynamic linker resolve the function.
#define MEASURED(shape, ...) __attribute__((noinline)) static void run_##shape(shape##_t *function, __VA_ARGS__)
#define REPEATED(statement)                                                                                            \
  for (int i = 0; i < 1; i++) {                                                                                        \
    statement;                                                                                                         \
  }                                                                                                                    \
  measure_begin();                                                                                                     \
  for (int i = 0; i < CALLS; i++) {                                                                                    \
    statement;                                                                                                         \
  }
#define ONE(shape, input, result)                                                                                      \
  MEASURED(shape, const input *a) {                                                                                    \
    static volatile result sink;                                                                                       \
    REPEATED(sink = function(a[i]))                                                                                    \
    (void)sink;                                                                                                        \
  }
#define PAIR(shape, input, result)                                                                                     \
  MEASURED(shape, const input *a, const input *b) {                                                                    \
    static volatile result sink;                                                                                       \
    REPEATED(sink = function(a[i], b[i]))                                                                              \
    (void)sink;                                                                                                        \
  }
#define BOTH(shape, input)                                                                                             \
  MEASURED(shape, const input *a) {                                                                                    \
    input b;                                                                                                           \
    input c;                                                                                                           \
    REPEATED(function(a[i], &b, &c))                                                                                   \
  }
ONE(one_i32, int32_t, int32_t)
ONE(one_u64, uint64_t, uint32_t)
ONE(one_f32, float, float)
ONE(one_f64, double, double)
PAIR(pair_i32, int32_t, int32_t)
PAIR(pair_u32, int32_t, uint32_t)
PAIR(pair_f32, float, float)
PAIR(pair_f64, double, double)
BOTH(both_i32, int32_t)
BOTH(both_f32, float)
BOTH(both_f64, double)

#define MEASURE(row, column, shape, function, ...)                                                                     \
  do {                                                                                                                 \
    run_##shape(function, __VA_ARGS__);                                                                                \
    measure_end("count", row, column, CALLS);                                                                          \
    run_##shape(empty_##shape, __VA_ARGS__);                                                                           \
    measure_end("empty", row, column, CALLS);                                                                          \
  } while (0)

static void measure_functions(void) {
  MEASURE("atan2", "plumb", pair_i32, plumb_atan2, ys, xs);
  MEASURE("atan2", "float", pair_f32, atan2f, ys_f32, xs_f32);
  MEASURE("atan2", "double", pair_f64, atan2, ys_f64, xs_f64);
  MEASURE("degrees", "plumb", one_i32, plumb_degrees, angles);
  MEASURE("sqrt", "plumb", one_u64, plumb_sqrt, squares);
  MEASURE("sqrt", "float", one_f32, sqrtf, squares_f32);
  MEASURE("sqrt", "double", one_f64, sqrt, squares_f64);
  MEASURE("hypot", "plumb", pair_u32, plumb_hypot, xs, ys);
  MEASURE("hypot", "float", pair_f32, hypotf, xs_f32, ys_f32);
  MEASURE("hypot", "double", pair_f64, hypot, xs_f64, ys_f64);
  MEASURE("asin", "plumb", one_i32, plumb_asin, sines);
  MEASURE("asin", "float", one_f32, asinf, sines_f32);
  MEASURE("asin", "double", one_f64, asin, sines_f64);
  MEASURE("acos", "plumb", one_i32, plumb_acos, sines);
  MEASURE("acos", "float", one_f32, acosf, sines_f32);
  MEASURE("acos", "double", one_f64, acos, sines_f64);
  MEASURE("sincos", "plumb", both_i32, plumb_sincos, angles);
  MEASURE("sincos", "float", both_f32, sincosf, angles_f32);
  MEASURE("sincos", "double", both_f64, sincos, angles_f64);
}

int main(void) {
  make_inputs();
  measure_functions();
  return steps_measure() ? 0 : 1;
}
