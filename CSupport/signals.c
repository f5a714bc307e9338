#define _GNU_SOURCE // sigaction and eventfd under -std=c11

#include "csupport_signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { number_count = sizeof numbers / sizeof numbers[0] };

static struct sigaction previous[number_count];
static bool installed;
static volatile sig_atomic_t received;
static volatile sig_atomic_t descriptor = -1;

// An eventfd wakes a wait that begins after the signal as well as one under way: no race, and no thread matters.
static void remember(int number) {
  int saved = errno;
  uint64_t one = 1;
  if (received == 0)
    received = number;
  if (write(descriptor, &one, sizeof one) < 0) {
    // Full at 2^64 - 2 signals, and then readable anyway.
  }
  errno = saved;
}

static bool leaves_alone(int number, const struct sigaction *action, enum csupport_broken_pipe broken_pipe) {
  return (number == SIGHUP && action->sa_handler == SIG_IGN) ||
         (number == SIGPIPE && broken_pipe == CSUPPORT_BROKEN_PIPE_KILLS);
}

int csupport_signals_install(enum csupport_broken_pipe broken_pipe) {
  if (installed)
    return 0;
  descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0)
    return -errno;
  received = 0;
  sigset_t wanted;
  sigemptyset(&wanted);
  for (size_t i = 0; i < number_count; i++) {
    struct sigaction action = {.sa_handler = remember, .sa_flags = 0};
    sigemptyset(&action.sa_mask);
    sigaction(numbers[i], NULL, &previous[i]); // cannot fail: the numbers are valid
    if (leaves_alone(numbers[i], &previous[i], broken_pipe))
      continue;
    if (numbers[i] == SIGPIPE && broken_pipe == CSUPPORT_BROKEN_PIPE_IGNORED)
      action.sa_handler = SIG_IGN;
    sigaction(numbers[i], &action, NULL);
    sigaddset(&wanted, numbers[i]);
  }
  // A parent that had them blocked leaves them so: the program would be deaf to every attempt to stop it.
  sigprocmask(SIG_UNBLOCK, &wanted, NULL);
  installed = true;
  return 0;
}

void csupport_signals_uninstall(void) {
  if (!installed)
    return;
  for (size_t i = 0; i < number_count; i++)
    sigaction(numbers[i], &previous[i], NULL);
  int old = descriptor;
  descriptor = -1;
  close(old);
  received = 0;
  installed = false;
}

int csupport_signals_wait_writable(int target, int milliseconds) {
  struct pollfd waits[] = {{.fd = target, .events = POLLOUT, .revents = 0},
                           {.fd = descriptor, .events = POLLIN, .revents = 0}}; // below 0: not looked at
  for (;;) {
    int result = poll(waits, 2, milliseconds);
    if (waits[0].revents != 0)
      return 1; // an error or a hang-up of the target too: the write will tell
    if (result > 0)
      return -EINTR;
    if (result == 0)
      return 0;
    if (errno != EINTR)
      return -errno;
  }
}

int csupport_signals_received(void) { return received; }

int csupport_signals_descriptor(void) { return descriptor; }
