#define _GNU_SOURCE // getrandom

#include "csupport_random.h"

#include <sys/random.h>
#include <sys/types.h>

#include "csupport_wait.h"

uint64_t csupport_random(void) {
  uint64_t number = 0;
  // Fails only while the kernel has no randomness yet, early in the system's start: the time is used instead.
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
    number = (uint64_t)csupport_clock_now() * UINT64_C(0x9E3779B97F4A7C15);
  return number;
}
