#define _GNU_SOURCE // ppoll

#include "csupport_clock.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>

#include "csupport_signals.h"

int64_t csupport_clock_now(void) {
  struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
  clock_gettime(CLOCK_MONOTONIC, &now); // cannot fail with these arguments
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// ppoll on the stop signals' descriptor, not clock_nanosleep: a signal that comes between looking at a flag and falling
// asleep would be slept through there. Its time-out is relative, but computed from the absolute deadline, so that
// lateness does not add up from wait to wait.
int csupport_clock_sleep_until(int64_t deadline) {
  for (;;) {
    int64_t now = csupport_clock_now();
    int64_t left = deadline > now ? deadline - now : 0;
    if (left == 0)
      return csupport_signals_received() ? -EINTR : 0;
    if (left > INT64_C(3600000000))
      left = INT64_C(3600000000); // an hour, which fits any time_t
    struct timespec wait = {.tv_sec = (time_t)(left / 1000000), .tv_nsec = (long)(left % 1000000) * 1000};
    struct pollfd stop = {
        .fd = csupport_signals_descriptor(), .events = POLLIN, .revents = 0}; // below 0: not looked at
    int result = ppoll(&stop, 1, &wait, NULL);
    if (result > 0)
      return -EINTR;
    if (result < 0 && errno != EINTR) // EINTR: a signal that does not concern us
      return -errno;
  }
}
