// The same inputs for every count, on every machine.
#pragma once

#include <stdint.h>

/// Pseudo-random numbers: xorshift (G. Marsaglia, "Xorshift RNGs", 2003).
typedef struct {
  uint32_t state;
} inputs_t;

static const inputs_t inputs_start = {2463534242};

static inline uint32_t inputs_bits(inputs_t *inputs) {
  inputs->state ^= inputs->state << 13;
  inputs->state ^= inputs->state >> 17;
  inputs->state ^= inputs->state << 5;
  return inputs->state;
}

/// Any number, with small ones as frequent as large ones.
static inline int32_t inputs_int32(inputs_t *inputs) {
  const int32_t value = (int32_t)inputs_bits(inputs);
  return value >> (inputs_bits(inputs) & 31);
}

/// Any number, with small ones as frequent as large ones.
static inline uint64_t inputs_uint64(inputs_t *inputs) {
  const uint64_t high = inputs_bits(inputs);
  const uint64_t value = high << 32 | inputs_bits(inputs);
  return value >> (inputs_bits(inputs) & 63);
}

/// A sine in Q2.30, from -1 up to but not including +1.
static inline int32_t inputs_sine(inputs_t *inputs) { return (int32_t)(inputs_bits(inputs) & 0x7FFFFFFF) - 0x40000000; }
