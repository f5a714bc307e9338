#define _GNU_SOURCE // strerrordesc_np
// The wait hands the kernel the very structure that a handler may change, also where time_t would have 32 bits.
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include "csupport_daemon.h"

#include "daemon_patience.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static atomic_uint requests;

// The end of the wait under way. A handler moves it to the distant past, so that a signal that comes after `requests`
// was looked at, but before the kernel sleeps, is not slept through.
static volatile struct timespec wait_end;

volatile struct __kernel_timespec csupport_daemon_patience;

static void note(int number) {
  unsigned request = number == SIGHUP ? CSUPPORT_RELOAD : number == SIGUSR1 ? CSUPPORT_COUNTERS : CSUPPORT_STOP;
  atomic_fetch_or(&requests, request);
  wait_end.tv_sec = 0;
  csupport_daemon_patience.tv_sec = 0;
  csupport_daemon_patience.tv_nsec = 0;
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

int csupport_daemon_begin_wait(int64_t microseconds) {
  if (microseconds < 0)
    microseconds = 0;
  csupport_daemon_patience.tv_sec = microseconds / 1000000;
  csupport_daemon_patience.tv_nsec = microseconds % 1000000 * 1000;
  atomic_signal_fence(memory_order_seq_cst);
  return csupport_daemon_end_wait();
}

int csupport_daemon_end_wait(void) { return atomic_load(&requests) != 0 ? -EINTR : 0; }

static uintptr_t page_at_or_after(uintptr_t address) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  return (address + page - 1) & ~(page - 1);
}

// Locks the program's own parts in memory, its code, constants and variables, but for the tables that unwind the stack,
// a sixteenth of it at the end of the constants: nothing here throws. What the kernel has read of them ahead is given
// back. Part by part, because between two of them nothing may be mapped.
static bool lock_program(void) {
  const ElfW(Phdr) *parts = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  unsigned long count = parts ? getauxval(AT_PHNUM) : 0;
  uintptr_t tables = 0;
  bool is_locked = count > 0;
  for (unsigned long i = 0; i < count; i++)
    if (parts[i].p_type == PT_GNU_EH_FRAME)
      tables = parts[i].p_vaddr;
  for (unsigned long i = 0; i < count; i++) {
    uintptr_t start = parts[i].p_vaddr;
    uintptr_t end = start + parts[i].p_memsz;
    if (parts[i].p_type != PT_LOAD)
      continue;
    if (start < tables && tables < end) {
      madvise((char *)page_at_or_after(tables), page_at_or_after(end) - page_at_or_after(tables), MADV_DONTNEED);
      end = tables;
    }
    is_locked = mlock((char *)start, end - start) == 0 && is_locked;
  }
  return is_locked;
}

int csupport_daemon_realtime(int priority) {
  struct sched_param wanted = {.sched_priority = priority};
  int granted = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted) == 0;
  // What the start used of heap and stack is enough for all that follows: the rest need not become resident.
  malloc_trim(0);
  bool is_locked = lock_program();
  return granted + (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 && is_locked);
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
