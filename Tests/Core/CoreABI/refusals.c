// Every pointer of every function, every state and every configuration: if it is NULL, of another size, reserved or
// uninitialised, the call returns the code that the headers document and changes nothing. Prints what is wrong, and
// fails.
#include <plumb.h>
#include <stdio.h>
#include <string.h>

static int failures, cases;

// The arguments of the calls below: each is valid unless a case spoils it.
static struct {
  plumb_monitor_t monitor;
  plumb_movement_t movement;
  plumb_fusion_t fusion;
  plumb_rest_t rest;
  plumb_taps_t taps;
  plumb_tare_t tare;
  plumb_vibration_t vibration;
  plumb_config_t config;
  plumb_movement_config_t movement_config;
  plumb_fusion_config_t fusion_config;
  plumb_taps_config_t taps_config;
  plumb_vibration_config_t vibration_config;
  plumb_vector_t force, vector;
  plumb_output_t output;
  plumb_movement_output_t moved;
  plumb_fusion_output_t fused;
  plumb_taps_output_t tapped;
  plumb_tared_t tared;
  plumb_vibration_output_t vibrated;
  int32_t edges[PLUMB_VIBRATION_BANDS + 1];
  int32_t number;
} good, world;

// The pointer arguments of a call, in order; NULL for those that the function does not have.
enum { MOST = 5 };
typedef void *arguments_t[MOST];

#define CALL(name, expression)                                                                                         \
  static int32_t call_##name(arguments_t a) { return expression; }
CALL(config_default, plumb_config_default(a[0]))
CALL(config_fused, plumb_config_fused(a[0]))
CALL(monitor_init, plumb_monitor_init(a[0], &world.config))
CALL(monitor_step, plumb_monitor_step(a[0], 0, 65536, 0, 1000, a[1]))
CALL(monitor_expire, plumb_monitor_expire(a[0], 1000))
CALL(monitor_fail, plumb_monitor_fail(a[0]))
CALL(monitor_pose, plumb_monitor_pose(a[0]))
CALL(monitor_step_fused, plumb_monitor_step_fused(a[0], a[1], a[2], a[3], 1000, a[4]))
CALL(movement_config_default, plumb_movement_config_default(a[0]))
CALL(movement_init, plumb_movement_init(a[0], &world.movement_config))
CALL(movement_step, plumb_movement_step(a[0], a[1], 1000, a[2]))
CALL(movement_tick, plumb_movement_tick(a[0], PLUMB_PORTRAIT, 1000, a[1]))
CALL(movement_capture_rest, plumb_movement_capture_rest(a[0]))
CALL(movement_scroll_to, plumb_movement_scroll_to(a[0], 1, 2))
CALL(fusion_config_default, plumb_fusion_config_default(a[0]))
CALL(fusion_init, plumb_fusion_init(a[0], &world.fusion_config))
CALL(fusion_step, plumb_fusion_step(a[0], a[1], a[2], 1000, a[3]))
CALL(fusion_up, plumb_fusion_up(a[0], a[1]))
CALL(fusion_heading, plumb_fusion_heading(a[0], a[1]))
CALL(fusion_rate, plumb_fusion_rate(a[0], a[1]))
CALL(fusion_bias, plumb_fusion_bias(a[0], a[1]))
CALL(fusion_flags, plumb_fusion_flags(a[0]))
CALL(rest_init, plumb_rest_init(a[0]))
CALL(rest_step, plumb_rest_step(a[0], a[1], 1000))
CALL(rest_interrupt, plumb_rest_interrupt(a[0]))
CALL(taps_config_default, plumb_taps_config_default(a[0]))
CALL(taps_init, plumb_taps_init(a[0], &world.taps_config))
CALL(taps_step, plumb_taps_step(a[0], a[1], 1000, a[2]))
CALL(tare_init, plumb_tare_init(a[0]))
CALL(tare_begin, plumb_tare_begin(a[0], 10000, 1000))
CALL(tare_step, plumb_tare_step(a[0], &world.force, 1000))
CALL(tare_undo, plumb_tare_undo(a[0]))
CALL(tare_up, plumb_tare_up(a[0], a[1]))
CALL(tare_set, plumb_tare_set(a[0], a[1]))
CALL(tare_angles, plumb_tare_angles(a[0], a[1], a[2]))
CALL(vibration_config_default, plumb_vibration_config_default(a[0]))
CALL(vibration_init, plumb_vibration_init(a[0], &world.vibration_config))
CALL(vibration_step, plumb_vibration_step(a[0], a[1], 1000, a[2]))
CALL(vibration_edges, plumb_vibration_edges(a[0], a[1]))

// Every function with a pointer except plumb_sincos, whose pointers must be valid. The first `states` pointers are
// states that must be initialised. A valid call returns `valid`.
static const struct {
  const char *name;
  int32_t (*call)(arguments_t);
  int states;
  int32_t valid;
  arguments_t arguments;
} calls[] = {
#define ROW(name, states, valid, ...)                                                                                  \
  {                                                                                                                    \
    "plumb_" #name, call_##name, states, valid, { __VA_ARGS__ }                                                        \
  }
    ROW(config_default, 0, PLUMB_OK, &world.config),
    ROW(config_fused, 0, PLUMB_OK, &world.config),
    ROW(monitor_init, 0, PLUMB_OK, &world.monitor),
    ROW(monitor_step, 1, PLUMB_OK, &world.monitor, &world.output),
    ROW(monitor_expire, 1, 0, &world.monitor),
    ROW(monitor_fail, 1, PLUMB_EVENT_LOST, &world.monitor),
    ROW(monitor_pose, 1, PLUMB_POSE_UNKNOWN, &world.monitor),
    ROW(monitor_step_fused, 2, PLUMB_OK, &world.monitor, &world.fusion, &world.force, &world.vector, &world.output),
    ROW(movement_config_default, 0, PLUMB_OK, &world.movement_config),
    ROW(movement_init, 0, PLUMB_OK, &world.movement),
    ROW(movement_step, 1, PLUMB_OK, &world.movement, &world.output, &world.moved),
    ROW(movement_tick, 1, PLUMB_OK, &world.movement, &world.moved),
    ROW(movement_capture_rest, 1, PLUMB_ERROR_REST, &world.movement),
    ROW(movement_scroll_to, 1, PLUMB_OK, &world.movement),
    ROW(fusion_config_default, 0, PLUMB_OK, &world.fusion_config),
    ROW(fusion_init, 0, PLUMB_OK, &world.fusion),
    ROW(fusion_step, 1, PLUMB_OK, &world.fusion, &world.force, &world.vector, &world.fused),
    ROW(fusion_up, 1, PLUMB_OK, &world.fusion, &world.vector),
    ROW(fusion_heading, 1, PLUMB_OK, &world.fusion, &world.number),
    ROW(fusion_rate, 1, PLUMB_OK, &world.fusion, &world.vector),
    ROW(fusion_bias, 1, PLUMB_OK, &world.fusion, &world.vector),
    ROW(fusion_flags, 1, PLUMB_FUSION_STARTING, &world.fusion),
    ROW(rest_init, 0, PLUMB_OK, &world.rest),
    ROW(rest_step, 1, PLUMB_REST_UNKNOWN, &world.rest, &world.force),
    ROW(rest_interrupt, 1, PLUMB_OK, &world.rest),
    ROW(taps_config_default, 0, PLUMB_OK, &world.taps_config),
    ROW(taps_init, 0, PLUMB_OK, &world.taps),
    ROW(taps_step, 1, PLUMB_OK, &world.taps, &world.force, &world.tapped),
    ROW(tare_init, 0, PLUMB_OK, &world.tare),
    ROW(tare_begin, 1, PLUMB_OK, &world.tare),
    ROW(tare_step, 1, PLUMB_TARE_IDLE, &world.tare),
    ROW(tare_undo, 1, PLUMB_OK, &world.tare),
    ROW(tare_up, 1, PLUMB_ERROR_TARE, &world.tare, &world.vector),
    ROW(tare_set, 1, PLUMB_ERROR_TARE, &world.tare, &world.force),
    ROW(tare_angles, 1, PLUMB_OK, &world.tare, &world.force, &world.tared),
    ROW(vibration_config_default, 0, PLUMB_OK, &world.vibration_config),
    ROW(vibration_init, 0, PLUMB_OK, &world.vibration),
    ROW(vibration_step, 1, 0, &world.vibration, &world.force, &world.vibrated),
    ROW(vibration_edges, 1, 4, &world.vibration, world.edges),
};

static void expect(int32_t found, int32_t wanted, const char *name, const char *what, int place) {
  cases++;
  if (found != wanted) {
    printf("refusals: %s, %s %d: %d, not %d\n", name, what, place, (int)found, (int)wanted);
    failures++;
  }
}

// Checks that nothing changed except what the case itself spoiled, which `before` includes.
static void unchanged(const void *before, const char *name, const char *what, int place) {
  if (memcmp(before, &world, sizeof world) != 0) {
    printf("refusals: %s, %s %d: something is written\n", name, what, place);
    failures++;
  }
}

static size_t size_of(const void *state) {
  return state == &world.monitor    ? sizeof world.monitor
         : state == &world.movement ? sizeof world.movement
         : state == &world.fusion   ? sizeof world.fusion
         : state == &world.rest     ? sizeof world.rest
         : state == &world.taps     ? sizeof world.taps
         : state == &world.tare     ? sizeof world.tare
                                    : sizeof world.vibration;
}

static void pointers(void) {
  // The fill patterns of debug firmware, heaps and erased flash; and 0.
  static const int fillings[] = {0, 0xA5, 0xFF, 0xCD, 0x55};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    arguments_t arguments;
    memcpy(arguments, calls[i].arguments, sizeof arguments);
    world = good;
    expect(calls[i].call(arguments), calls[i].valid, calls[i].name, "all valid", 0);
    for (int place = 0; place < MOST && calls[i].arguments[place]; place++) {
      world = good;
      arguments[place] = NULL;
      expect(calls[i].call(arguments), PLUMB_ERROR_NULL, calls[i].name, "NULL", place);
      unchanged(&good, calls[i].name, "NULL", place);
      arguments[place] = calls[i].arguments[place];
    }
    for (int place = 0; place < calls[i].states; place++) {
      for (size_t j = 0; j < sizeof fillings / sizeof fillings[0]; j++) {
        static unsigned char before[sizeof world];
        world = good;
        memset(arguments[place], fillings[j], size_of(arguments[place]));
        memcpy(before, &world, sizeof world);
        expect(calls[i].call(arguments), PLUMB_ERROR_NOT_INITIALISED, calls[i].name, "a state filled with",
               fillings[j]);
        unchanged(before, calls[i].name, "a state filled with", fillings[j]);
      }
    }
  }
}

// An init with the current configuration.
static int32_t init_monitor(void) { return plumb_monitor_init(&world.monitor, &world.config); }
static int32_t init_movement(void) { return plumb_movement_init(&world.movement, &world.movement_config); }
static int32_t init_fusion(void) { return plumb_fusion_init(&world.fusion, &world.fusion_config); }
static int32_t init_taps(void) { return plumb_taps_init(&world.taps, &world.taps_config); }
static int32_t init_vibration(void) { return plumb_vibration_init(&world.vibration, &world.vibration_config); }

// Whether the state is initialised.
static int32_t use_monitor(void) { return plumb_monitor_pose(&world.monitor); }
static int32_t use_movement(void) { return plumb_movement_scroll_to(&world.movement, 0, 0); }
static int32_t use_fusion(void) { return plumb_fusion_flags(&world.fusion); }
static int32_t use_taps(void) { return plumb_taps_step(&world.taps, &world.force, 1000, &world.tapped); }
static int32_t use_vibration(void) {
  return plumb_vibration_step(&world.vibration, &world.force, 1000, &world.vibrated);
}

// The functions that fill a configuration, called as by a binding of another language: with its own size.
static int32_t fill_monitor(uint32_t size) { return plumb_config_default_v3(&world.config, size); }
static int32_t fill_fused(uint32_t size) { return plumb_config_fused_v3(&world.config, size); }
static int32_t fill_movement(uint32_t size) { return plumb_movement_config_default_v3(&world.movement_config, size); }
static int32_t fill_fusion(uint32_t size) { return plumb_fusion_config_default_v3(&world.fusion_config, size); }
static int32_t fill_taps(uint32_t size) { return plumb_taps_config_default_v3(&world.taps_config, size); }
static int32_t fill_vibration(uint32_t size) {
  return plumb_vibration_config_default_v3(&world.vibration_config, size);
}

static const struct {
  const char *name;
  int32_t (*fill)(uint32_t);
  int32_t (*init)(void);
  int32_t (*use)(void);
  void *config;
  size_t size;
  uint8_t *reserved[3];
} configurations[] = {
    {"plumb_config_t",
     fill_monitor,
     init_monitor,
     use_monitor,
     &world.config,
     sizeof world.config,
     {&world.config.reserved, NULL}},
    {"plumb_config_t, fused",
     fill_fused,
     init_monitor,
     use_monitor,
     &world.config,
     sizeof world.config,
     {&world.config.reserved, NULL}},
    {"plumb_movement_config_t",
     fill_movement,
     init_movement,
     use_movement,
     &world.movement_config,
     sizeof world.movement_config,
     {&world.movement_config.reserved, NULL}},
    {"plumb_fusion_config_t",
     fill_fusion,
     init_fusion,
     use_fusion,
     &world.fusion_config,
     sizeof world.fusion_config,
     {NULL, NULL}},
    {"plumb_taps_config_t",
     fill_taps,
     init_taps,
     use_taps,
     &world.taps_config,
     sizeof world.taps_config,
     {&world.taps_config.reserved[0], &world.taps_config.reserved[1]}},
    {"plumb_vibration_config_t",
     fill_vibration,
     init_vibration,
     use_vibration,
     &world.vibration_config,
     sizeof world.vibration_config,
     {&world.vibration_config.reserved[0], &world.vibration_config.reserved[1], &world.vibration_config.reserved[2]}},
};

static void sizes(void) {
  for (size_t i = 0; i < sizeof configurations / sizeof configurations[0]; i++) {
    const char *name = configurations[i].name;
    const uint32_t size = (uint32_t)configurations[i].size;
    const uint32_t wrong[] = {0, 1, size - 4, size - 1, size + 1, size + 4, size << 16, 0xA5A5A5A5, UINT32_MAX};
    uint32_t begins;
    for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
      world = good;
      expect(configurations[i].fill(wrong[j]), PLUMB_ERROR_SIZE, name, "filled with the size", (int)wrong[j]);
      unchanged(&good, name, "filled with the size", (int)wrong[j]);
      memcpy(configurations[i].config, &wrong[j], sizeof wrong[j]);
      expect(configurations[i].init(), PLUMB_ERROR_SIZE, name, "init with the size", (int)wrong[j]);
      expect(configurations[i].use(), PLUMB_ERROR_NOT_INITIALISED, name, "used after the size", (int)wrong[j]);
    }
    world = good;
    memset(configurations[i].config, 0xA5, configurations[i].size);
    expect(configurations[i].fill(size), PLUMB_OK, name, "filled", 0);
    memcpy(&begins, configurations[i].config, sizeof begins);
    expect((int32_t)begins, (int32_t)size, name, "begins with its size", 0);
    expect(configurations[i].init(), PLUMB_OK, name, "init", 0);
    for (int place = 0; place < 3 && configurations[i].reserved[place]; place++) {
      expect(*configurations[i].reserved[place], 0, name, "reserved as filled", place);
      for (int bit = 0; bit < 8; bit++) {
        *configurations[i].reserved[place] = (uint8_t)(1 << bit);
        expect(configurations[i].init(), PLUMB_ERROR_RESERVED, name, "reserved", 1 << bit);
        expect(configurations[i].use(), PLUMB_ERROR_NOT_INITIALISED, name, "used after reserved", 1 << bit);
      }
      *configurations[i].reserved[place] = 0;
      expect(configurations[i].init(), PLUMB_OK, name, "init without reserved", place);
    }
  }
}

int main(void) {
  memset(&good, 0, sizeof good);
  good.force = (plumb_vector_t){0, 65536, 0};
  expect(plumb_config_default(&good.config), PLUMB_OK, "prepare", "config", 0);
  expect(plumb_movement_config_default(&good.movement_config), PLUMB_OK, "prepare", "config", 1);
  expect(plumb_fusion_config_default(&good.fusion_config), PLUMB_OK, "prepare", "config", 2);
  expect(plumb_taps_config_default(&good.taps_config), PLUMB_OK, "prepare", "config", 3);
  expect(plumb_vibration_config_default(&good.vibration_config), PLUMB_OK, "prepare", "config", 4);
  // NULL is a valid configuration: the defaults.
  expect(plumb_monitor_init(&good.monitor, NULL), PLUMB_OK, "prepare", "init", 0);
  expect(plumb_movement_init(&good.movement, NULL), PLUMB_OK, "prepare", "init", 1);
  expect(plumb_fusion_init(&good.fusion, NULL), PLUMB_OK, "prepare", "init", 2);
  expect(plumb_taps_init(&good.taps, NULL), PLUMB_OK, "prepare", "init", 3);
  expect(plumb_rest_init(&good.rest), PLUMB_OK, "prepare", "init", 4);
  expect(plumb_tare_init(&good.tare), PLUMB_OK, "prepare", "init", 5);
  expect(plumb_vibration_init(&good.vibration, NULL), PLUMB_OK, "prepare", "init", 6);
  pointers();
  sizes();
  if (failures == 0) {
    printf("refusals: %d cases of %d functions as the headers say\n", cases, (int)(sizeof calls / sizeof calls[0]));
  }
  return failures != 0;
}
