#include "empty.h"

// Naked, so each consists of its return instruction and no compiler adds to it.
#define EMPTY __attribute__((naked, noinline))
#pragma GCC diagnostic ignored "-Wunused-parameter"

EMPTY int32_t empty_unary(int32_t a) { __asm__("bx lr"); }
EMPTY int32_t empty_binary(int32_t a, int32_t b) { __asm__("bx lr"); }
EMPTY uint32_t empty_unsigned(int32_t a, int32_t b) { __asm__("bx lr"); }
EMPTY uint32_t empty_wide(uint64_t a) { __asm__("bx lr"); }
EMPTY void empty_outputs(int32_t a, int32_t *b, int32_t *c) { __asm__("bx lr"); }
EMPTY int32_t empty_step(plumb_monitor_t *monitor, int32_t x, int32_t y, int32_t z, uint64_t time_us,
                         plumb_output_t *output) {
  __asm__("bx lr");
}
EMPTY int32_t empty_fused(plumb_monitor_t *monitor, plumb_fusion_t *fusion, const plumb_vector_t *force,
                          const plumb_vector_t *rate, uint64_t time_us, plumb_output_t *output) {
  __asm__("bx lr");
}
EMPTY int32_t hundred_instructions(int32_t a) { __asm__(".rept 100\n nop\n .endr\n bx lr"); }
