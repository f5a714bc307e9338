#define _GNU_SOURCE // ppoll
// A 64-bit time_t on all systems.
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include "csupport_wait.h"

#include <errno.h>
#include <linux/time_types.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "csupport_signals.h"

// The most events that one wait takes; the others end the next one.
enum { MOST_EVENTS = 8 };

static const int64_t longest_wait = INT64_C(3600000000); // an hour

int64_t csupport_clock_now(void) {
  struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
  clock_gettime(CLOCK_MONOTONIC, &now); // cannot fail with these arguments
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t csupport_clock_wall(void) {
  const int64_t beginning_of_2025 = INT64_C(1735689600);
  struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
  clock_gettime(CLOCK_REALTIME, &now); // cannot fail with these arguments
  return now.tv_sec < beginning_of_2025 ? -1 : (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int csupport_wait_add(int set, int descriptor, uint32_t bit, bool once) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = bit};
  if (once)
    event.events |= EPOLLET;
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

// The set of streams; negative before its first use.
static atomic_int streams = -1;
// The process's own set.
static atomic_int process = -1;

int csupport_wait_open(void) {
  int signals = csupport_signals_descriptor();
  int set = signals < 0 ? signals : epoll_create1(EPOLL_CLOEXEC);
  if (signals < 0 || set < 0)
    return signals < 0 ? signals : -errno;
  int inner = atomic_load(&streams);
  int result = csupport_wait_add(set, signals, CSUPPORT_WOKEN_BY_SIGNAL, false);
  if (result == 0 && inner >= 0)
    result = csupport_wait_add(set, inner, CSUPPORT_WOKEN_BY_STREAM, false);
  if (result < 0)
    close(set);
  return result < 0 ? result : set;
}

// The process's own set, created at its first use and never closed. Negative if it cannot be created.
static int process_set(void) {
  int set = atomic_load(&process);
  if (set >= 0)
    return set;
  int fresh = csupport_wait_open();
  int former = -1;
  if (fresh < 0 || atomic_compare_exchange_strong(&process, &former, fresh))
    return fresh;
  close(fresh); // another thread was faster
  return former;
}

int csupport_wait_streams(void) {
  int set = atomic_load(&streams);
  if (set >= 0)
    return set;
  int outer = process_set();
  int fresh = outer < 0 ? outer : epoll_create1(EPOLL_CLOEXEC);
  if (outer < 0 || fresh < 0)
    return outer < 0 ? outer : -errno;
  int former = -1;
  if (!atomic_compare_exchange_strong(&streams, &former, fresh)) {
    close(fresh); // another thread was faster
    return former;
  }
  int result = csupport_wait_add(outer, fresh, CSUPPORT_WOKEN_BY_STREAM, false);
  return result < 0 ? result : fresh;
}

// Waits for at most `microseconds`. Returns the number of events, or -errno.
static int wait_once(int set, struct epoll_event *events, int64_t microseconds) {
  static atomic_bool is_old;
  struct __kernel_timespec patience = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
  if (set >= 0 && !atomic_load(&is_old)) {
    // The kernel's own structure has 64-bit fields on all systems.
    long count = syscall(SYS_epoll_pwait2, set, events, MOST_EVENTS, &patience, NULL, 0);
    if (count >= 0 || errno != ENOSYS)
      return count < 0 ? -errno : (int)count;
    atomic_store(&is_old, true);
  }
  // Before Linux 5.11. A negative set is ignored, and then only time ends the wait.
  struct timespec left = {.tv_sec = (time_t)patience.tv_sec, .tv_nsec = (long)patience.tv_nsec};
  struct pollfd ready = {.fd = set, .events = POLLIN, .revents = 0};
  int count = ppoll(&ready, 1, &left, NULL);
  if (count > 0)
    count = epoll_wait(set, events, MOST_EVENTS, 0);
  return count < 0 ? -errno : count;
}

// Whether the last wait of this thread left streams waiting because it was late. With a sensor so slow that every
// sample is late, they would wait for ever.
static _Thread_local bool owes_streams;

// The time-out is relative, but computed from the absolute deadline each time, so that lateness does not accumulate
// from wait to wait. (docs/decisions/0004-one-wait.md)
int csupport_wait(int set, int64_t deadline) {
  if (set == CSUPPORT_WAIT_FOR_SIGNALS)
    set = process_set();
  for (;;) {
    int64_t now = csupport_clock_now();
    int64_t left = deadline > now ? deadline - now : 0;
    struct epoll_event events[MOST_EVENTS];
    int count = wait_once(set, events, left < longest_wait ? left : longest_wait);
    uint32_t woken = 0;
    for (int i = 0; i < count; i++)
      woken |= events[i].data.u32;
    // The deadline comes first: streams end the next wait.
    owes_streams = left == 0 && woken == CSUPPORT_WOKEN_BY_STREAM && !owes_streams;
    if (owes_streams)
      return 0;
    if (woken != 0)
      return (int)woken;
    if (count < 0 && count != -EINTR) // EINTR: an unrelated signal, or one that the next round finds
      return count;
    if (count == 0 && left <= longest_wait)
      return 0;
  }
}

int csupport_wait_for(struct csupport_wait_descriptor *descriptors, size_t count, int64_t deadline) {
  struct pollfd waits[CSUPPORT_WAIT_MOST];
  if (count > CSUPPORT_WAIT_MOST)
    return -EINVAL;
  for (size_t i = 0; i < count; i++) {
    short events = descriptors[i].is_written_to ? POLLIN | POLLOUT : POLLIN;
    waits[i] = (struct pollfd){.fd = descriptors[i].descriptor, .events = events, .revents = 0};
    descriptors[i].is_ready = false;
  }
  for (;;) {
    int64_t now = csupport_clock_now();
    int64_t left = deadline > now ? deadline - now : 0;
    int64_t part = left < longest_wait ? left : longest_wait;
    struct timespec patience = {.tv_sec = (time_t)(part / 1000000), .tv_nsec = (long)(part % 1000000 * 1000)};
    int ready = ppoll(waits, (nfds_t)count, &patience, NULL);
    for (size_t i = 0; ready > 0 && i < count; i++)
      descriptors[i].is_ready = waits[i].revents != 0;
    if (ready > 0 || (ready == 0 && left <= longest_wait))
      return ready;
    if (ready < 0 && errno != EINTR)
      return -errno;
  }
}
