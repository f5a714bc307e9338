// Hashes the core's results for a million fixed inputs, and for whole recordings. Prints one line for each, which
// must be the same on every processor. Uses only integers, so that only the core can differ.
//
//     bits RECORDING.csv...
#include <inttypes.h>
#include <plumb.h>
#include <stdio.h>
#include <string.h>

#define VECTORS 1000000

// FNV-1a, one value at a time as eight bytes, the least significant first.
static void add(uint64_t *hash, int64_t value) {
  for (int i = 0; i < 64; i += 8) {
    *hash = (*hash ^ (((uint64_t)value >> i) & 0xFF)) * UINT64_C(0x100000001B3);
  }
}

static const uint64_t empty = UINT64_C(0xCBF29CE484222325);

static void show(const char *name, uint64_t hash) { printf("%s %016" PRIx64 "\n", name, hash); }

// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
static uint64_t next(void) {
  static uint64_t state;
  uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -(1 << 30) - 1, -(1 << 30), -65536,        -1,       0, 1,
                                2,         65535,         (1 << 30) - 1,  1 << 30,    (1 << 30) + 1, INT32_MAX};

// A number of any size: sometimes an edge case, otherwise 1 to 32 random bits, so small ones are not rare.
static int32_t any(void) {
  uint64_t bits = next();
  if ((bits & 31) == 0) {
    return edges[(bits >> 8) % (sizeof edges / sizeof edges[0])];
  }
  return (int32_t)(uint32_t)(bits >> 32) >> ((bits >> 8) & 31);
}

static void hash_numbers(void) {
  enum { ATAN2, ASIN, ACOS, SINCOS, DEGREES, SQRT, HYPOT, COUNT };
  static const char *const names[] = {"atan2", "asin", "acos", "sincos", "degrees", "sqrt", "hypot"};
  uint64_t hashes[COUNT];
  for (int i = 0; i < COUNT; i++) {
    hashes[i] = empty;
  }
  for (int i = 0; i < VECTORS; i++) {
    int32_t a = any(), b = any(), sine = 0, cosine = 0;
    uint64_t wide = next(), shift = next();
    add(&hashes[ATAN2], plumb_atan2(a, b));
    add(&hashes[ASIN], plumb_asin(a));
    add(&hashes[ACOS], plumb_acos(b));
    plumb_sincos(b, &sine, &cosine);
    add(&hashes[SINCOS], sine);
    add(&hashes[SINCOS], cosine);
    add(&hashes[DEGREES], plumb_degrees(a));
    add(&hashes[SQRT], plumb_sqrt(wide >> (shift & 63)));
    add(&hashes[HYPOT], plumb_hypot(a, b));
  }
  for (int i = 0; i < COUNT; i++) {
    show(names[i], hashes[i]);
  }
}

// A monitor's results, separately: the pose, the filtered forces, and the angles; and those of movement.
struct stream {
  uint64_t events, forces, angles, movement;
};

static const struct stream empty_stream = {UINT64_C(0xCBF29CE484222325), UINT64_C(0xCBF29CE484222325),
                                           UINT64_C(0xCBF29CE484222325), UINT64_C(0xCBF29CE484222325)};

static void add_vector(uint64_t *hash, plumb_vector_t vector) {
  add(hash, vector.x);
  add(hash, vector.y);
  add(hash, vector.z);
}

static void add_output(struct stream *stream, const plumb_output_t *output) {
  add(&stream->events, output->events);
  add(&stream->events, output->pose);
  add(&stream->events, output->reason);
  add(&stream->events, output->previous_pose);
  add(&stream->events, output->previous_reason);
  add_vector(&stream->forces, output->force);
  add_vector(&stream->forces, output->gravity);
  add_vector(&stream->forces, output->motion);
  add(&stream->angles, output->device_angle);
  add(&stream->angles, output->level_angle);
  add(&stream->angles, output->pitch);
  add(&stream->angles, output->roll);
  add(&stream->angles, output->inclination);
  add(&stream->angles, output->steering_angle);
}

static void add_movement(struct stream *stream, const plumb_movement_output_t *output) {
  add(&stream->movement, output->scroll_x);
  add(&stream->movement, output->scroll_y);
  add(&stream->movement, output->shake);
  add(&stream->movement, output->orientation);
  add(&stream->movement, output->shown);
  add(&stream->movement, output->phase_count);
  for (int i = 0; i < 4; i++) {
    add(&stream->movement, output->phases[i].kind);
    add(&stream->movement, output->phases[i].from);
    add(&stream->movement, output->phases[i].to);
    add(&stream->movement, output->phases[i].time_us);
  }
}

// A fusion's results beyond the monitor's.
static void add_fusion(uint64_t *hash, const plumb_fusion_t *fusion) {
  plumb_vector_t vector = {0, 0, 0};
  int32_t heading = 0;
  plumb_fusion_up(fusion, &vector);
  add_vector(hash, vector);
  plumb_fusion_rate(fusion, &vector);
  add_vector(hash, vector);
  plumb_fusion_bias(fusion, &vector);
  add_vector(hash, vector);
  add(hash, plumb_fusion_heading(fusion, &heading));
  add(hash, heading);
  add(hash, plumb_fusion_flags(fusion));
}

static void show_stream(const char *name, const struct stream *stream) {
  char line[80];
  snprintf(line, sizeof line, "%s:events", name);
  show(line, stream->events);
  snprintf(line, sizeof line, "%s:forces", name);
  show(line, stream->forces);
  snprintf(line, sizeof line, "%s:angles", name);
  show(line, stream->angles);
  snprintf(line, sizeof line, "%s:movement", name);
  show(line, stream->movement);
}

// Forces of any size at any intervals, including long pauses and time running backwards.
static void hash_steps(void) {
  plumb_monitor_t monitor;
  plumb_output_t output;
  plumb_movement_t movement;
  plumb_movement_output_t moved;
  struct stream stream = empty_stream;
  uint64_t time = 0;
  plumb_monitor_init(&monitor, NULL);
  plumb_movement_init(&movement, NULL);
  for (int i = 0; i < VECTORS / 10; i++) {
    uint64_t bits = next();
    time += (bits & 255) == 0 ? (bits >> 32) - (bits & 0x80000000) : (bits & 256) == 0 ? 20000 : (bits >> 48);
    int32_t scale = (bits & 0x600) ? 15 : 0;
    int32_t x = any() >> scale;
    int32_t y = any() >> scale;
    int32_t z = any() >> scale;
    plumb_monitor_step(&monitor, x, y, z, time, &output);
    add_output(&stream, &output);
    plumb_movement_step(&movement, &output, time, &moved);
    add_movement(&stream, &moved);
  }
  show_stream("random", &stream);
}

// Forces and rates of any size, rarely beyond a sensor's range, including rests and falls: with a monitor and alone.
static void hash_fused_steps(void) {
  plumb_monitor_t monitor;
  plumb_config_t config;
  plumb_output_t output;
  plumb_fusion_t fusion, alone;
  plumb_fusion_config_t fusion_config;
  plumb_fusion_output_t fused;
  struct stream stream = empty_stream;
  uint64_t hash = empty, hash_alone = empty, time = 0;
  plumb_config_fused(&config);
  plumb_monitor_init(&monitor, &config);
  plumb_fusion_init(&fusion, NULL);
  plumb_fusion_config_default(&fusion_config);
  plumb_vector_t force = {0, 65536, 0}, rate = {0, 0, 0};
  for (int i = 0; i < VECTORS / 10; i++) {
    uint64_t bits = next();
    if (i % 10000 == 0) {
      fusion_config.time_constant_us = (uint32_t)bits;
      fusion_config.rate_range = any();
      fusion_config.force_range = any();
      fusion_config.bias = (plumb_vector_t){any(), any(), any()};
      plumb_fusion_init(&alone, i ? &fusion_config : NULL);
    }
    time += (bits & 1023) == 0 ? (bits >> 32) - (bits & 0x80000000) : (bits & 256) == 0 ? 10000 : (bits >> 48);
    // Half of the time at rest except for noise, for 512 samples at a time.
    if (i & 512) {
      int shift = (bits & 0xF000) ? 8 : 0;
      force = (plumb_vector_t){any() >> 12 >> shift, any() >> 11 >> shift, any() >> 10 >> shift};
      rate = (plumb_vector_t){any() >> 4 >> shift, any() >> 3 >> shift, any() >> 2 >> shift};
    } else {
      if ((i & 511) == 0) {
        force = (plumb_vector_t){any() >> 15, any() >> 15, any() >> 16};
      }
      rate.x += (int32_t)(bits >> 20 & 255) - 127;
      force.y += (int32_t)(bits >> 30 & 63) - 31;
    }
    // Weightless from the middle of a rest, for less and for more than the patience.
    const plumb_vector_t held = force;
    if ((i & 1023) >= 256 && (i & 1023) < 256 + (i >> 10 & 127)) {
      force = (plumb_vector_t){held.x >> 7, held.y >> 7, held.z >> 7};
    }
    plumb_monitor_step_fused(&monitor, &fusion, &force, &rate, time, &output);
    add_output(&stream, &output);
    add_fusion(&hash, &fusion);
    plumb_fusion_step(&alone, &force, &rate, time, &fused);
    add_vector(&hash_alone, fused.gravity);
    add_vector(&hash_alone, fused.motion);
    add(&hash_alone, fused.flags);
    add_fusion(&hash_alone, &alone);
    force = held;
  }
  show("fused:events", stream.events);
  show("fused:forces", stream.forces);
  show("fused:angles", stream.angles);
  show("fused:attitude", hash);
  show("fusion-alone", hash_alone);
}

// Reads "-12.345678" up to a comma or the end of the line in millionths; returns 0 at the end of the file.
static int read_millionths(FILE *file, int64_t *value) {
  int sign = 1, digits = -1, character;
  *value = 0;
  while ((character = getc(file)) != EOF && character != ',' && character != '\n') {
    if (character == '-') {
      sign = -1;
    } else if (character == '.') {
      digits = 0;
    } else if (character >= '0' && character <= '9' && digits < 6) {
      *value = *value * 10 + (character - '0');
      digits += digits >= 0;
    }
  }
  for (digits = digits < 0 ? 0 : digits; digits < 6; digits++) {
    *value *= 10;
  }
  *value *= sign;
  return character != EOF;
}

// Rounded half up; plain division would round toward zero.
static int32_t q16(int64_t millionths) {
  int64_t scaled = millionths * 65536 + 500000;
  return (int32_t)(scaled / 1000000 - (scaled % 1000000 < 0));
}

static int hash_recording(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return 1;
  }
  plumb_monitor_t monitor;
  plumb_output_t output;
  plumb_movement_t movement;
  plumb_movement_output_t moved;
  plumb_config_t config;
  plumb_fusion_t fusion;
  int64_t time, values[6];
  struct stream stream = empty_stream;
  uint64_t hash = empty;
  int columns = 0;
  for (int character = 0; character != '\n' && character != EOF; columns += character == ',') {
    character = getc(file);
  }
  const int is_fused = columns == 6;
  (is_fused ? plumb_config_fused : plumb_config_default)(&config);
  plumb_monitor_init(&monitor, &config);
  plumb_movement_init(&movement, NULL);
  plumb_fusion_init(&fusion, NULL);
  while (read_millionths(file, &time)) {
    int read = 0;
    while (read < columns && read_millionths(file, &values[read])) {
      read++;
    }
    if (read < columns) {
      break;
    }
    plumb_vector_t force = {q16(values[0]), q16(values[1]), q16(values[2])};
    if (is_fused) {
      plumb_vector_t rate = {q16(values[3]), q16(values[4]), q16(values[5])};
      plumb_monitor_step_fused(&monitor, &fusion, &force, &rate, (uint64_t)time, &output);
      add_fusion(&hash, &fusion);
    } else {
      plumb_monitor_step(&monitor, force.x, force.y, force.z, (uint64_t)time, &output);
    }
    add_output(&stream, &output);
    plumb_movement_step(&movement, &output, (uint64_t)time, &moved);
    add_movement(&stream, &moved);
  }
  fclose(file);
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  show_stream(name, &stream);
  if (is_fused) {
    char line[80];
    snprintf(line, sizeof line, "%s:attitude", name);
    show(line, hash);
  }
  return stream.events == empty;
}

int main(int argc, char **argv) {
  hash_numbers();
  hash_steps();
  hash_fused_steps();
  int failed = 0;
  for (int i = 1; i < argc; i++) {
    failed |= hash_recording(argv[i]);
  }
  return failed;
}
