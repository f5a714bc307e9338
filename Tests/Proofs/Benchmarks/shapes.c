#include "shapes.h"

#include "plumb.h"
#include "reference.h"

// Naked, so each consists of its return instruction and no compiler adds to it.
#define EMPTY __attribute__((naked, noinline))
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wreturn-type"

EMPTY int32_t empty_pair_i32(int32_t a, int32_t b) { __asm__("ret"); }
EMPTY uint32_t empty_pair_u32(int32_t a, int32_t b) { __asm__("ret"); }
EMPTY int32_t empty_one_i32(int32_t a) { __asm__("ret"); }
EMPTY uint32_t empty_one_u64(uint64_t a) { __asm__("ret"); }
EMPTY void empty_both_i32(int32_t a, int32_t *b, int32_t *c) { __asm__("ret"); }
EMPTY float empty_pair_f32(float a, float b) { __asm__("ret"); }
EMPTY float empty_one_f32(float a) { __asm__("ret"); }
EMPTY void empty_both_f32(float a, float *b, float *c) { __asm__("ret"); }
EMPTY double empty_pair_f64(double a, double b) { __asm__("ret"); }
EMPTY double empty_one_f64(double a) { __asm__("ret"); }
EMPTY void empty_both_f64(double a, double *b, double *c) { __asm__("ret"); }
EMPTY void empty_step(void *a, const uint8_t *b, uint64_t c, void *d) { __asm__("ret"); }

void reference_from_bytes(void *monitor, const uint8_t *bytes, uint64_t time_us, void *output) {
  ref_step(monitor, bytes, time_us, output);
}

// The sensor's full resolution is 256 counts per g, clipped to its range of 16 g, as the data sheet requires of the
// reader.
static int32_t force(const uint8_t *bytes) {
  const int16_t count = (int16_t)(bytes[0] | bytes[1] << 8);
  const int16_t clipped = (int16_t)(count < -4096 ? -4096 : count > 4095 ? 4095 : count);
  return clipped * 256;
}

void plumb_from_bytes(void *monitor, const uint8_t *bytes, uint64_t time_us, void *output) {
  plumb_monitor_step(monitor, force(bytes), force(bytes + 2), force(bytes + 4), time_us, output);
}
