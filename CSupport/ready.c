#define _GNU_SOURCE // O_CLOEXEC

#include "csupport_ready.h"

#include "csupport_view.h"
#include "csupport_wait.h"
#include "gpio_chips.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The highest chip number seen so far is 15.
enum { MOST_CHIPS = 64 };

// The kernel keeps this many events. They are read after half as many.
enum { KEPT_EVENTS = 64, TAKEN_OUT_AFTER = KEPT_EVENTS / 2 };

// Opens the chip labelled `label`. Returns its descriptor or -errno.
static int open_chip(const char *label) {
  int result = -ENODEV;
  for (int number = 0; number < MOST_CHIPS; number++) {
    char name[CSUPPORT_VIEW_NAME];
    char path[32];
    uint32_t count = 0;
    int seen = csupport_view_chip(number, name, &count);
    if (seen == -EACCES || seen == -EPERM)
      result = -EACCES; // the wanted chip may be this one
    if (seen < 0 || !csupport_gpio_is_wanted(label, name))
      continue;
    snprintf(path, sizeof path, "/dev/gpiochip%d", number);
    int chip = open(path, O_RDWR | O_CLOEXEC);
    return chip < 0 ? -errno : chip;
  }
  return result;
}

static int request(int chip, uint32_t offset, const char *consumer) {
  struct gpio_v2_line_request wanted = {
      .offsets = {offset},
      .config = {.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN},
      .num_lines = 1,
      .event_buffer_size = KEPT_EVENTS,
  };
  snprintf(wanted.consumer, sizeof wanted.consumer, "%s", consumer);
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &wanted) == 0)
    return wanted.fd;
  // Elsewhere a device that does not respond; here a line without an interrupt.
  return errno == ENXIO ? -EOPNOTSUPP : -errno;
}

// Makes each event end a wait, whether or not older ones were read. Returns 0 or -errno.
static int watch(struct csupport_ready *ready) {
  int flags = fcntl(ready->line, F_GETFL);
  if (flags < 0 || fcntl(ready->line, F_SETFL, flags | O_NONBLOCK) < 0)
    return -errno;
  ready->set = csupport_wait_open();
  return ready->set < 0 ? ready->set : csupport_wait_add(ready->set, ready->line, CSUPPORT_WOKEN_BY_DATA, true);
}

int csupport_ready_open(struct csupport_ready *ready, const char *label, uint32_t offset, const char *consumer) {
  *ready = CSUPPORT_READY_CLOSED;
  int chip = open_chip(label);
  if (chip < 0)
    return chip;
  ready->line = request(chip, offset, consumer);
  close(chip); // a request outlives its chip
  int result = ready->line < 0 ? ready->line : watch(ready);
  if (result < 0)
    csupport_ready_close(ready);
  return result;
}

void csupport_ready_close(struct csupport_ready *ready) {
  if (ready->set >= 0)
    close(ready->set);
  if (ready->line >= 0)
    close(ready->line);
  *ready = CSUPPORT_READY_CLOSED;
}

// Reads all events. Returns whether there were any.
static bool take_out(struct csupport_ready *ready) {
  struct gpio_v2_line_event events[TAKEN_OUT_AFTER + 8]; // room for some that did not end a wait
  bool any = false;
  ready->unread = 0;
  ready->is_stale = false;
  for (;;) {
    ssize_t count = read(ready->line, events, sizeof events);
    if (count < 0 && errno == EINTR)
      continue;
    any = any || count > 0;
    // If the buffer was not filled, nothing is left; later events wake.
    if (count < (ssize_t)sizeof events)
      return any;
  }
}

void csupport_ready_doze(struct csupport_ready *ready) { ready->is_stale = true; }

void csupport_ready_discard(struct csupport_ready *ready) { take_out(ready); }

int csupport_ready_wait(struct csupport_ready *ready, int64_t deadline) {
  // Events that came without a wait for them may have filled the kernel's buffer, and then nothing ends a wait.
  if (ready->is_stale && take_out(ready))
    return CSUPPORT_WOKEN_BY_DATA;
  int woken = csupport_wait(ready->set, deadline);
  if (woken < 0)
    return woken;
  if (woken & CSUPPORT_WOKEN_BY_SIGNAL) {
    ready->is_stale = ready->is_stale || (woken & CSUPPORT_WOKEN_BY_DATA); // not lost
    return CSUPPORT_WOKEN_BY_SIGNAL;
  }
  // A sample comes first: streams end the next wait.
  if (woken == CSUPPORT_WOKEN_BY_STREAM)
    return CSUPPORT_WOKEN_BY_STREAM;
  woken &= CSUPPORT_WOKEN_BY_DATA;
  // Before the sample is read, so that an edge that is read together with others belongs to that sample too. Also if
  // none came, perhaps because events were lost and ended no wait.
  if (woken == 0 || ++ready->unread >= TAKEN_OUT_AFTER)
    take_out(ready);
  return woken;
}
