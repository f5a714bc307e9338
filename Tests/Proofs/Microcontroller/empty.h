// Functions that do nothing, one of each counted shape: their cost is that of the call.
#pragma once

#include "plumb.h"

#include <stdint.h>

int32_t empty_unary(int32_t a);
int32_t empty_binary(int32_t a, int32_t b);
uint32_t empty_unsigned(int32_t a, int32_t b);
uint32_t empty_wide(uint64_t a);
void empty_outputs(int32_t a, int32_t *b, int32_t *c);
int32_t empty_step(plumb_monitor_t *monitor, int32_t x, int32_t y, int32_t z, uint64_t time_us, plumb_output_t *output);
int32_t empty_fused(plumb_monitor_t *monitor, plumb_fusion_t *fusion, const plumb_vector_t *force,
                    const plumb_vector_t *rate, uint64_t time_us, plumb_output_t *output);

/// A hundred instructions that do nothing, to prove that the counts are right.
int32_t hundred_instructions(int32_t a);
