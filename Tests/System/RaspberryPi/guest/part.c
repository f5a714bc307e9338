// A sensor that obeys commands, and otherwise behaves on its own, until it is killed.
//
// Commands arrive as datagrams; the answer to each is the guest's monotonic time in microseconds when it was done:
//
//     force X Y Z      the specific force, in mg
//     plug, unplug     connects it; disconnects it from the bus but not its supply: its registers stay
//     brown-out [ID]   all registers as at power-on, in one transaction; ID is another identity
//     cut [ID]         the same, and off the bus
//     freeze, thaw     its data stop changing; change again
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// Half of a period at 100 Hz, so every sample that is read is a new one.
enum { TICK_MILLISECONDS = 5 };

static const struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "/run/part"};

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

static int obey(struct part *part, const char *words) {
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

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void answer(int receiver, struct part *part) {
  char words[64], reply[64];
  struct sockaddr_un from;
  socklen_t length = sizeof from;
  ssize_t count = recvfrom(receiver, words, sizeof words - 1, 0, (struct sockaddr *)&from, &length);
  if (count < 0)
    return;
  words[count] = '\0';
  int code = obey(part, words);
  int size = code == 0 ? snprintf(reply, sizeof reply, "%lld", now())
                       : snprintf(reply, sizeof reply, "failed: %s", strerror(-code));
  if (sendto(receiver, reply, (size_t)size, 0, (struct sockaddr *)&from, length) < 0)
    perror("bench: reply");
}

int run_part(const char *name, uint8_t address) {
  const struct behaviour *all[] = {&adxl345, &mpu6050};
  struct part part = {.address = address, .force = {0, 1000, 0}};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++)
    if (strcmp(all[index]->name, name) == 0)
      part.behaviour = all[index];
  int receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  unlink(place.sun_path);
  if (part.behaviour == NULL || receiver < 0 || bind(receiver, (const struct sockaddr *)&place, sizeof place) != 0) {
    fprintf(stderr, "bench: no such part, or it is there already\n");
    return 1;
  }
  // A sensor waits for no program: it runs before the one under test, which requests priority 20.
  const struct sched_param urgency = {.sched_priority = 40};
  if (sched_setscheduler(0, SCHED_FIFO, &urgency) != 0)
    perror("bench: priority");
  for (;;) {
    struct pollfd wait = {.fd = receiver, .events = POLLIN};
    if (poll(&wait, 1, TICK_MILLISECONDS) > 0)
      answer(receiver, &part);
    part.behaviour->tick(part.address, part.is_frozen ? NULL : part.force);
  }
}

int tell_part(int count, char *const words[]) {
  char message[64] = "", reply[64];
  for (int index = 0; index < count; index++) {
    if (index > 0)
      strncat(message, " ", sizeof message - strlen(message) - 1);
    strncat(message, words[index], sizeof message - strlen(message) - 1);
  }
  // Linux gives a socket that is bound only to its family a unique name, for the answer.
  const struct sockaddr_un anonymous = {.sun_family = AF_UNIX};
  int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender < 0 || bind(sender, (const struct sockaddr *)&anonymous, sizeof anonymous.sun_family) != 0 ||
      sendto(sender, message, strlen(message), 0, (const struct sockaddr *)&place, sizeof place) < 0) {
    perror("bench: tell");
    return 1;
  }
  ssize_t length = recv(sender, reply, sizeof reply - 1, 0);
  if (length < 0)
    return 1;
  reply[length] = '\0';
  puts(reply);
  return strncmp(reply, "failed", 6) == 0;
}
