#define _GNU_SOURCE // sigaction and eventfd under -std=c11

#include "csupport_signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

_Static_assert(CSUPPORT_SIGHUP == SIGHUP && CSUPPORT_SIGINT == SIGINT && CSUPPORT_SIGPIPE == SIGPIPE &&
                   CSUPPORT_SIGTERM == SIGTERM,
               "signals have other numbers here");

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1};
enum { number_count = sizeof numbers / sizeof numbers[0] };

static struct sigaction previous[number_count];
static bool installed;
static volatile sig_atomic_t is_service;
static atomic_int received;
static atomic_uint requests;
static atomic_int descriptor = -1;

int csupport_signals_descriptor(void) {
  int made = atomic_load(&descriptor);
  if (made >= 0)
    return made;
  int fresh = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fresh < 0)
    return -errno;
  int former = -1;
  if (atomic_compare_exchange_strong(&descriptor, &former, fresh))
    return fresh;
  close(fresh); // another thread was faster
  return former;
}

static void make_readable(void) {
  uint64_t one = 1;
  if (write(atomic_load(&descriptor), &one, sizeof one) < 0) {
    // Full at 2^64 - 2 signals, and then readable anyway.
  }
}

static void make_unreadable(void) {
  uint64_t count = 0;
  if (read(atomic_load(&descriptor), &count, sizeof count) < 0) {
    // It was not readable.
  }
}

// An eventfd ends a wait that begins after the signal as well as one in progress: there is no race, and any thread may
// receive the signal.
static void note(int number) {
  int saved = errno;
  unsigned request = number == SIGUSR1 ? CSUPPORT_COUNTERS : CSUPPORT_STOP;
  if (number == SIGHUP && is_service)
    request = CSUPPORT_RELOAD;
  int none = 0;
  if (request == CSUPPORT_STOP)
    atomic_compare_exchange_strong(&received, &none, number);
  atomic_fetch_or(&requests, request);
  make_readable();
  errno = saved;
}

static bool leaves_alone(int number, const struct sigaction *action, enum csupport_signal_use use,
                         enum csupport_broken_pipe broken_pipe) {
  return (number == SIGHUP && !is_service && action->sa_handler == SIG_IGN) ||
         (number == SIGUSR1 && use == CSUPPORT_SIGNALS_OF_TOOL) ||
         (number == SIGPIPE && broken_pipe == CSUPPORT_BROKEN_PIPE_KILLS);
}

int csupport_signals_install(enum csupport_signal_use use, enum csupport_broken_pipe broken_pipe) {
  if (installed)
    return 0;
  int made = csupport_signals_descriptor();
  if (made < 0)
    return made;
  is_service = use == CSUPPORT_SIGNALS_OF_SERVICE;
  sigset_t wanted;
  sigemptyset(&wanted);
  for (size_t i = 0; i < number_count; i++) {
    struct sigaction action = {.sa_handler = note, .sa_flags = 0};
    sigemptyset(&action.sa_mask);
    sigaction(numbers[i], NULL, &previous[i]); // cannot fail: the numbers are valid
    if (leaves_alone(numbers[i], &previous[i], use, broken_pipe))
      continue;
    if (numbers[i] == SIGPIPE && broken_pipe == CSUPPORT_BROKEN_PIPE_IGNORED)
      action.sa_handler = SIG_IGN;
    sigaction(numbers[i], &action, NULL);
    sigaddset(&wanted, numbers[i]);
  }
  // They stay blocked if a parent had blocked them: the program would ignore every attempt to stop it.
  sigprocmask(SIG_UNBLOCK, &wanted, NULL);
  installed = true;
  return 0;
}

void csupport_signals_uninstall(void) {
  if (!installed)
    return;
  for (size_t i = 0; i < number_count; i++)
    sigaction(numbers[i], &previous[i], NULL);
  make_unreadable();
  atomic_store(&received, 0);
  atomic_store(&requests, 0);
  installed = false;
}

int csupport_signals_received(void) { return atomic_load(&received); }

unsigned csupport_signals_requests(void) {
  make_unreadable();
  unsigned taken = atomic_fetch_and(&requests, CSUPPORT_STOP);
  if (taken & CSUPPORT_STOP)
    make_readable();
  return taken;
}

int csupport_signals_wait_writable(int target, int milliseconds) {
  struct pollfd waits[] = {{.fd = target, .events = POLLOUT, .revents = 0},
                           {.fd = atomic_load(&descriptor), .events = POLLIN, .revents = 0}}; // below 0: ignored
  for (;;) {
    int result = poll(waits, 2, milliseconds);
    if (waits[0].revents != 0)
      return 1; // an error or a hang-up of the target too: the write reports it
    if (result > 0)
      return -EINTR;
    if (result == 0)
      return 0;
    if (errno != EINTR)
      return -errno;
  }
}
