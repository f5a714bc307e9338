#include "replay.h"

static uint64_t hash_byte(uint64_t hash, uint8_t byte) { return (hash ^ byte) * 0x100000001B3ULL; }

// Byte by byte, lowest first, so neither byte order nor padding matters.
static uint64_t hash_word(uint64_t hash, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) {
    hash = hash_byte(hash, (uint8_t)(word >> shift));
  }
  return hash;
}

static uint64_t hash_vector(uint64_t hash, const plumb_vector_t *vector) {
  hash = hash_word(hash, (uint32_t)vector->x);
  hash = hash_word(hash, (uint32_t)vector->y);
  return hash_word(hash, (uint32_t)vector->z);
}

// All results of a step.
static uint64_t hash_step(uint64_t hash, uint32_t number, const plumb_output_t *output) {
  hash = hash_word(hash, number);
  hash = hash_vector(hash, &output->force);
  hash = hash_vector(hash, &output->gravity);
  hash = hash_vector(hash, &output->motion);
  hash = hash_word(hash, (uint32_t)output->device_angle);
  hash = hash_word(hash, (uint32_t)output->level_angle);
  hash = hash_word(hash, (uint32_t)output->pitch);
  hash = hash_word(hash, (uint32_t)output->roll);
  hash = hash_word(hash, (uint32_t)output->inclination);
  hash = hash_word(hash, (uint32_t)output->steering_angle);
  hash = hash_word(hash, output->events);
  hash = hash_word(hash, output->valid);
  hash = hash_byte(hash, output->pose);
  hash = hash_byte(hash, output->reason);
  hash = hash_byte(hash, output->previous_pose);
  return hash_byte(hash, output->previous_reason);
}

replay_t replay(const recording_t *recording) {
  static plumb_monitor_t monitor;
  const uint64_t hash_of_nothing = 0xCBF29CE484222325ULL;
  replay_t result = {.event_hash = hash_of_nothing, .step_hash = hash_of_nothing};
  result.is_good = plumb_monitor_init(&monitor, NULL) == PLUMB_OK;
  for (size_t i = 0; i < recording->count; i++) {
    const sample_t *sample = &recording->samples[i];
    plumb_output_t output;
    if (plumb_monitor_step(&monitor, sample->x, sample->y, sample->z, sample->time_us, &output) != PLUMB_OK) {
      result.is_good = false;
      break;
    }
    result.step_hash = hash_step(result.step_hash, result.steps, &output);
    if (output.events) {
      result.event_hash = hash_step(result.event_hash, result.steps, &output);
      result.events++;
    }
    result.steps++;
  }
  return result;
}

// A fusion's results beyond a monitor's output.
static uint64_t hash_fusion(uint64_t hash, const plumb_fusion_t *fusion) {
  plumb_vector_t vector;
  int32_t heading = 0;
  (void)plumb_fusion_up(fusion, &vector);
  hash = hash_vector(hash, &vector);
  (void)plumb_fusion_rate(fusion, &vector);
  hash = hash_vector(hash, &vector);
  (void)plumb_fusion_bias(fusion, &vector);
  hash = hash_vector(hash, &vector);
  hash = hash_word(hash, (uint32_t)plumb_fusion_heading(fusion, &heading));
  hash = hash_word(hash, (uint32_t)heading);
  return hash_word(hash, (uint32_t)plumb_fusion_flags(fusion));
}

replay_t replay_fused(const fused_recording_t *recording) {
  static plumb_monitor_t monitor;
  static plumb_fusion_t fusion;
  plumb_config_t config;
  const uint64_t hash_of_nothing = 0xCBF29CE484222325ULL;
  replay_t result = {.event_hash = hash_of_nothing, .step_hash = hash_of_nothing};
  result.is_good = plumb_config_fused(&config) == PLUMB_OK && plumb_monitor_init(&monitor, &config) == PLUMB_OK &&
                   plumb_fusion_init(&fusion, NULL) == PLUMB_OK;
  for (size_t i = 0; i < recording->count; i++) {
    const fused_sample_t *sample = &recording->samples[i];
    plumb_output_t output;
    if (plumb_monitor_step_fused(&monitor, &fusion, &sample->force, &sample->rate, sample->time_us, &output) !=
        PLUMB_OK) {
      result.is_good = false;
      break;
    }
    result.step_hash = hash_fusion(hash_step(result.step_hash, result.steps, &output), &fusion);
    if (output.events) {
      result.event_hash = hash_step(result.event_hash, result.steps, &output);
      result.events++;
    }
    result.steps++;
  }
  return result;
}
