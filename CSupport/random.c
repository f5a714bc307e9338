#define _GNU_SOURCE // getrandom

#include "csupport_random.h"

#include <sys/random.h>
#include <sys/types.h>

#include "csupport_wait.h"

uint64_t csupport_random(void) {
  uint64_t number = 0;
  // Interrupted only while the kernel has no randomness yet, early at the start of the system: then the time must do.
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
    number = (uint64_t)csupport_clock_now() * UINT64_C(0x9E3779B97F4A7C15);
  return number;
}
