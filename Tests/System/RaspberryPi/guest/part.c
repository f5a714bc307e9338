// A sensor that obeys commands, and otherwise behaves on its own, until it is killed.
//
// Its commands:
//
//     force X Y Z      the specific force, in mg
//     plug, unplug     connects it; disconnects it from the bus but not its supply: its registers stay
//     brown-out [ID]   all registers as at power-on, in one transaction; ID is another identity
//     cut [ID]         the same, and off the bus
//     freeze, thaw     its data stop changing; change again
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

// Half of a period at 100 Hz, so every sample that is read is a new one.
enum { TICK_MILLISECONDS = 5 };

struct part {
  const struct behaviour *behaviour;
  uint8_t address;
  int force[3];
  bool is_frozen;
};

static int set_switch(uint8_t channels) {
  struct i2c_msg message = {.addr = SWITCH_ADDRESS, .len = 1, .buf = &channels};
  return bus_transfer(&message, 1);
}

// Resets all registers to their power-on values, in one transaction.
static int power(const struct part *part, int identity) {
  uint8_t registers[REGISTERS] = {0};
  part->behaviour->power_on(registers);
  if (identity >= 0)
    registers[part->behaviour->identity_register] = (uint8_t)identity;
  return bus_write(part->address, 0x00, registers, REGISTERS);
}

static int obey(void *context, const char *words) {
  struct part *part = context;
  int force[3], identity = -1;
  if (sscanf(words, "force %d %d %d", &force[0], &force[1], &force[2]) == 3) {
    memcpy(part->force, force, sizeof force);
    part->behaviour->tick(part->address, part->force);
    return 0;
  }
  if (strcmp(words, "plug") == 0)
    return set_switch(1);
  if (strcmp(words, "unplug") == 0)
    return set_switch(0);
  if (sscanf(words, "%*s %i", &identity) < 1)
    identity = -1;
  if (strncmp(words, "brown-out", 9) == 0)
    return power(part, identity);
  if (strncmp(words, "cut", 3) == 0) {
    int code = power(part, identity);
    return code == 0 ? set_switch(0) : code;
  }
  if (strcmp(words, "freeze") == 0 || strcmp(words, "thaw") == 0) {
    part->is_frozen = words[0] == 'f';
    return 0;
  }
  return -EINVAL;
}

int run_part(const char *name, uint8_t address) {
  const struct behaviour *all[] = {&adxl345, &mpu6050, &lis3dh, &lsm6dso, &lsm9ds1};
  struct part part = {.address = address, .force = {0, 1000, 0}};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++)
    if (strcmp(all[index]->name, name) == 0)
      part.behaviour = all[index];
  int receiver = commands_open();
  if (part.behaviour == NULL || receiver < 0) {
    fprintf(stderr, "bench: no such part, or it is there already\n");
    return 1;
  }
  hurry();
  for (;;) {
    struct pollfd wait = {.fd = receiver, .events = POLLIN};
    if (poll(&wait, 1, TICK_MILLISECONDS) > 0)
      commands_answer(receiver, obey, &part);
    part.behaviour->tick(part.address, part.is_frozen ? NULL : part.force);
  }
}
