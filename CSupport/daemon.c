#define _GNU_SOURCE // strerrordesc_np
// The wait hands the kernel the very structure that a handler may change, also where time_t would have 32 bits.
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include "csupport_daemon.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static atomic_uint requests;

// The end of the wait under way. A handler moves it to the distant past, so that a signal that comes after `requests`
// was looked at, but before the kernel sleeps, is not slept through.
static volatile struct timespec wait_end;

static void note(int number) {
  unsigned request = number == SIGHUP ? CSUPPORT_RELOAD : number == SIGUSR1 ? CSUPPORT_COUNTERS : CSUPPORT_STOP;
  atomic_fetch_or(&requests, request);
  wait_end.tv_sec = 0;
}

int csupport_daemon_begin(void) {
  mallopt(M_TOP_PAD, 0); // what is asked of the heap, and no more
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
  struct sigaction action = {.sa_handler = note, .sa_flags = 0};
  sigset_t wanted;
  sigfillset(&action.sa_mask);
  sigemptyset(&wanted);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (sigaction(numbers[i], &action, NULL) < 0)
      return -errno;
    sigaddset(&wanted, numbers[i]);
  }
  action.sa_handler = SIG_IGN;
  if (sigaction(SIGPIPE, &action, NULL) < 0)
    return -errno;
  // A parent that had them blocked leaves them so.
  return sigprocmask(SIG_UNBLOCK, &wanted, NULL) < 0 ? -errno : 0;
}

unsigned csupport_daemon_requests(void) { return atomic_fetch_and(&requests, CSUPPORT_STOP); }

int csupport_daemon_wait(int64_t deadline) {
  if (deadline < 0)
    deadline = 0;
  wait_end.tv_nsec = (long)(deadline % 1000000) * 1000;
  wait_end.tv_sec = (time_t)(deadline / 1000000);
  atomic_signal_fence(memory_order_seq_cst);
  for (;;) {
    if (atomic_load(&requests) != 0)
      return -EINTR;
    // It returns the error instead of setting errno, and EINTR for signals that are no requests too.
    int result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, (const struct timespec *)&wait_end, NULL);
    if (result != EINTR)
      return atomic_load(&requests) != 0 ? -EINTR : -result;
  }
}

// The program in memory, its code and its variables: the linker's own names for where it begins and ends.
extern char __executable_start[];
extern char _end[];

int csupport_daemon_realtime(int priority) {
  struct sched_param wanted = {.sched_priority = priority};
  int granted = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted) == 0;
  // What the start used of heap and stack is enough for all that follows: the rest need not become resident.
  malloc_trim(0);
  return granted + (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 &&
                    mlock(__executable_start, (size_t)(_end - __executable_start)) == 0);
}

// Whether the journal reads what is written to `descriptor`: JOURNAL_STREAM tells the device and inode of its socket.
static bool is_journal(int descriptor) {
  const char *stream = getenv("JOURNAL_STREAM");
  struct stat status;
  if (!stream || fstat(descriptor, &status) < 0)
    return false;
  char *rest = NULL;
  unsigned long long device = strtoull(stream, &rest, 10);
  return *rest == ':' && device == status.st_dev && strtoull(rest + 1, NULL, 10) == status.st_ino;
}

int csupport_daemon_say(int descriptor, enum csupport_importance importance, const char *text, size_t count) {
  char line[CSUPPORT_LONGEST_LINE + 4];
  size_t length = 0;
  struct pollfd output = {.fd = descriptor, .events = POLLOUT, .revents = 0};
  if (count > CSUPPORT_LONGEST_LINE)
    count = CSUPPORT_LONGEST_LINE;
  if (is_journal(descriptor)) {
    line[length++] = '<';
    line[length++] = (char)('0' + importance);
    line[length++] = '>';
  }
  memcpy(line + length, text, count);
  length += count;
  line[length++] = '\n';
  if (poll(&output, 1, 0) < 1)
    return -EAGAIN;
  ssize_t written = 0;
  do
    written = write(descriptor, line, length);
  while (written < 0 && errno == EINTR);
  return written < 0 ? -errno : 0;
}

const char *csupport_error_text(int code) {
  const char *text = strerrordesc_np(code);
  return text ? text : "an unknown error";
}
