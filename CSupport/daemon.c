#define _GNU_SOURCE // dl_iterate_phdr's types, MADV_DONTNEED

#include "csupport_daemon.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void csupport_daemon_begin(void) { mallopt(M_TOP_PAD, 0); }

static uintptr_t page_at_or_after(uintptr_t address) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  return (address + page - 1) & ~(page - 1);
}

// The linker places the code of each sample first, then these, each before the code of its own (scripts/program.sh):
// the first before error messages and the stream, which a sample never needs; the others before the driver of a sensor
// model, in the order of the models; the last before libraries.
#define MARK(name)                                                                                                     \
  void csupport_daemon_##name(void);                                                                                   \
  void csupport_daemon_##name(void) { __asm__ volatile("# " #name); }
MARK(rare)
MARK(driver_0)
MARK(driver_1)
MARK(driver_2)
MARK(driver_3)
MARK(driver_4)
MARK(driver_5)
MARK(driver_6)
MARK(driver_7)
MARK(libraries)

static void (*const marks[])(void) = {csupport_daemon_rare,     csupport_daemon_driver_0, csupport_daemon_driver_1,
                                      csupport_daemon_driver_2, csupport_daemon_driver_3, csupport_daemon_driver_4,
                                      csupport_daemon_driver_5, csupport_daemon_driver_6, csupport_daemon_driver_7,
                                      csupport_daemon_libraries};
enum { MODELS = sizeof marks / sizeof marks[0] - 2 };

static bool lock(uintptr_t start, uintptr_t end) { return mlock((char *)start, end - start) == 0; }

// Locks code from `start` to `end`, except for libraries and, unless `is_whole`, rare code and the drivers of other
// models. Their whole pages are released: each is loaded, and stays, when it is first needed. The first sample loads
// what samples need.
static bool lock_code(uintptr_t start, uintptr_t end, bool is_whole, uint8_t model) {
  uintptr_t rest = page_at_or_after((uintptr_t)marks[is_whole ? MODELS + 1 : 0]);
  if (rest <= start || rest >= end || model >= MODELS)
    return lock(start, end);
  madvise((char *)rest, page_at_or_after(end) - rest, MADV_DONTNEED);
  // mlock locks the whole of a page that it is given a part of.
  return lock(start, rest) && (is_whole || lock((uintptr_t)marks[model + 1], (uintptr_t)marks[model + 2]));
}

// Locks the program's own segments in memory: its code, constants and variables, except for the stack-unwinding tables,
// a sixteenth of it at the end of the constants, because nothing here throws. Pages of these that the kernel has read
// ahead are released. Segment by segment, because the gaps between them may be unmapped.
static bool lock_program(bool is_whole, uint8_t model) {
  const ElfW(Phdr) *parts = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  unsigned long count = parts ? getauxval(AT_PHNUM) : 0;
  // The load offset of a position-independent program; 0 for any other.
  uintptr_t base = 0;
  uintptr_t tables = 0;
  bool is_locked = count > 0;
  for (unsigned long i = 0; i < count; i++)
    if (parts[i].p_type == PT_PHDR)
      base = (uintptr_t)parts - parts[i].p_vaddr;
  for (unsigned long i = 0; i < count; i++)
    if (parts[i].p_type == PT_GNU_EH_FRAME)
      tables = base + parts[i].p_vaddr;
  for (unsigned long i = 0; i < count; i++) {
    uintptr_t start = base + parts[i].p_vaddr;
    uintptr_t end = start + parts[i].p_memsz;
    if (parts[i].p_type != PT_LOAD)
      continue;
    if (start < tables && tables < end) {
      madvise((char *)page_at_or_after(tables), page_at_or_after(end) - page_at_or_after(tables), MADV_DONTNEED);
      end = tables;
    }
    is_locked = lock_code(start, end, is_whole, model) && is_locked;
  }
  return is_locked;
}

int csupport_daemon_realtime(int priority, bool is_whole, uint8_t model) {
  struct sched_param wanted = {.sched_priority = priority};
  int granted = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted) == 0;
  // The heap and stack used at the start are enough for everything that follows: the rest need not become resident.
  malloc_trim(0);
  bool is_locked = lock_program(is_whole, model);
  return granted + (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 && is_locked);
}

// Whether the journal reads what is written to `descriptor`: JOURNAL_STREAM contains the device and inode of its
// socket.
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
