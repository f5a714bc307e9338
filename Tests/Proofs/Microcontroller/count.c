#include "count.h"

#include "empty.h"
#include "inputs.h"
#include "machine.h"
#include "replay.h"
#include "text.h"

/// Counts over many calls of one function.
typedef struct {
  uint32_t calls, least, total, most;
} tally_t;

static const tally_t nothing = {.least = UINT32_MAX};
enum { CALLS = 2000 };

static void add(tally_t *tally, uint32_t instructions) {
  tally->calls++;
  tally->total += instructions;
  tally->least = instructions < tally->least ? instructions : tally->least;
  tally->most = instructions > tally->most ? instructions : tally->most;
}

static void report(const char *name, const tally_t *tally, void (*write)(const char *)) {
  line_t line = {.length = 0};
  line_text(&line, "count ");
  line_text(&line, name);
  line_number(&line, tally->calls);
  line_number(&line, tally->least);
  line_number(&line, tally->total);
  line_number(&line, tally->most);
  write(line_end(&line));
}

// One function per shape counts both the measured and the empty call, so everything else cancels exactly.
#define COUNTED(call)                                                                                                  \
  do {                                                                                                                 \
    const uint32_t before = machine_timer();                                                                           \
    call;                                                                                                              \
    return machine_instructions(before, machine_timer());                                                              \
  } while (0)

__attribute__((noinline)) static uint32_t of_unary(int32_t (*f)(int32_t), int32_t a) { COUNTED(f(a)); }
__attribute__((noinline)) static uint32_t of_wide(uint32_t (*f)(uint64_t), uint64_t a) { COUNTED(f(a)); }
__attribute__((noinline)) static uint32_t of_binary(int32_t (*f)(int32_t, int32_t), int32_t a, int32_t b) {
  COUNTED(f(a, b));
}
__attribute__((noinline)) static uint32_t of_unsigned(uint32_t (*f)(int32_t, int32_t), int32_t a, int32_t b) {
  COUNTED(f(a, b));
}
__attribute__((noinline)) static uint32_t of_outputs(void (*f)(int32_t, int32_t *, int32_t *), int32_t a) {
  int32_t b;
  int32_t c;
  COUNTED(f(a, &b, &c));
}
typedef int32_t step_t(plumb_monitor_t *, int32_t, int32_t, int32_t, uint64_t, plumb_output_t *);
__attribute__((noinline)) static uint32_t of_step(step_t *f, plumb_monitor_t *monitor, const sample_t *sample) {
  plumb_output_t output;
  COUNTED(f(monitor, sample->x, sample->y, sample->z, sample->time_us, &output));
}

typedef int32_t fused_t(plumb_monitor_t *, plumb_fusion_t *, const plumb_vector_t *, const plumb_vector_t *, uint64_t,
                        plumb_output_t *);
__attribute__((noinline)) static uint32_t of_fused(fused_t *f, plumb_monitor_t *monitor, plumb_fusion_t *fusion,
                                                   const fused_sample_t *sample) {
  plumb_output_t output;
  COUNTED(f(monitor, fusion, &sample->force, &sample->rate, sample->time_us, &output));
}

static void count_functions(void (*write)(const char *)) {
  tally_t arc_tangent = nothing;
  tally_t degrees = nothing;
  tally_t arc_sine = nothing;
  tally_t arc_cosine = nothing;
  tally_t root = nothing;
  tally_t magnitude = nothing;
  tally_t sine_cosine = nothing;
  inputs_t inputs = inputs_start;
  for (int i = 0; i < CALLS; i++) {
    const int32_t y = inputs_int32(&inputs);
    const int32_t x = inputs_int32(&inputs);
    const int32_t sine = inputs_sine(&inputs);
    const uint64_t square = inputs_uint64(&inputs);
    const int32_t angle = (int32_t)inputs_bits(&inputs);
    add(&arc_tangent, of_binary(plumb_atan2, y, x) - of_binary(empty_binary, y, x));
    add(&degrees, of_unary(plumb_degrees, angle) - of_unary(empty_unary, angle));
    add(&arc_sine, of_unary(plumb_asin, sine) - of_unary(empty_unary, sine));
    add(&arc_cosine, of_unary(plumb_acos, sine) - of_unary(empty_unary, sine));
    add(&root, of_wide(plumb_sqrt, square) - of_wide(empty_wide, square));
    add(&magnitude, of_unsigned(plumb_hypot, x, y) - of_unsigned(empty_unsigned, x, y));
    add(&sine_cosine, of_outputs(plumb_sincos, angle) - of_outputs(empty_outputs, angle));
  }
  report("atan2", &arc_tangent, write);
  report("degrees", &degrees, write);
  report("asin", &arc_sine, write);
  report("acos", &arc_cosine, write);
  report("sqrt", &root, write);
  report("hypot", &magnitude, write);
  report("sincos", &sine_cosine, write);
}

static void count_steps(void (*write)(const char *)) {
  tally_t steps = nothing;
  static plumb_monitor_t monitor;
  for (size_t i = 0; i < recordings_count; i++) {
    plumb_monitor_init(&monitor, NULL);
    for (size_t j = 0; j < recordings[i].count; j++) {
      const sample_t *sample = &recordings[i].samples[j];
      const uint32_t cost = of_step(plumb_monitor_step, &monitor, sample);
      add(&steps, cost - of_step(empty_step, &monitor, sample));
    }
  }
  report("step", &steps, write);
}

// The same samples without and with rotation rates.
static void count_fused(void (*write)(const char *)) {
  tally_t plain_steps = nothing;
  tally_t fused_steps = nothing;
  static plumb_monitor_t plain;
  static plumb_monitor_t monitor;
  static plumb_fusion_t fusion;
  plumb_config_t config;
  plumb_config_fused(&config);
  for (size_t i = 0; i < fused_recordings_count; i++) {
    plumb_monitor_init(&plain, NULL);
    plumb_monitor_init(&monitor, &config);
    plumb_fusion_init(&fusion, NULL);
    for (size_t j = 0; j < fused_recordings[i].count; j++) {
      const fused_sample_t *sample = &fused_recordings[i].samples[j];
      const sample_t three = {sample->time_us, sample->force.x, sample->force.y, sample->force.z};
      const uint32_t cost = of_step(plumb_monitor_step, &plain, &three);
      add(&plain_steps, cost - of_step(empty_step, &plain, &three));
      const uint32_t fused = of_fused(plumb_monitor_step_fused, &monitor, &fusion, sample);
      add(&fused_steps, fused - of_fused(empty_fused, &monitor, &fusion, sample));
    }
  }
  report("plain", &plain_steps, write);
  report("fused", &fused_steps, write);
}

bool report_counts(void (*write)(const char *)) {
  const uint32_t hundred = of_unary(hundred_instructions, 0) - of_unary(empty_unary, 0);
  if (hundred != 100) {
    line_t line = {.length = 0};
    line_text(&line, "untrue: a hundred instructions were counted as");
    line_number(&line, hundred);
    write(line_end(&line));
    return false;
  }
  count_functions(write);
  count_steps(write);
  count_fused(write);
  return true;
}
