// The commands of the test to whatever plays the sensor.
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "/run/part"};

int commands_open(void) {
  int receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  unlink(place.sun_path);
  return bind(receiver, (const struct sockaddr *)&place, sizeof place) == 0 ? receiver : -1;
}

void hurry(void) {
  const struct sched_param urgency = {.sched_priority = 40};
  if (sched_setscheduler(0, SCHED_FIFO, &urgency) != 0)
    perror("bench: priority");
}

long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

void commands_answer(int receiver, int (*obey)(void *context, const char *words), void *context) {
  char words[64], reply[64];
  struct sockaddr_un from;
  socklen_t length = sizeof from;
  ssize_t count = recvfrom(receiver, words, sizeof words - 1, 0, (struct sockaddr *)&from, &length);
  if (count < 0)
    return;
  words[count] = '\0';
  int code = obey(context, words);
  int size = code == 0 ? snprintf(reply, sizeof reply, "%lld", now())
                       : snprintf(reply, sizeof reply, "failed: %s", strerror(-code));
  if (sendto(receiver, reply, (size_t)size, 0, (struct sockaddr *)&from, length) < 0)
    perror("bench: reply");
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
