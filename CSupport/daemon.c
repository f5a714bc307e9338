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

// The linker places code that a sample never needs between these two (scripts/program.sh): error messages, and the
// stream.
void csupport_daemon_rare_begin(void);
void csupport_daemon_rare_end(void);
void csupport_daemon_rare_begin(void) { __asm__ volatile("# first"); }
void csupport_daemon_rare_end(void) { __asm__ volatile("# last"); }

// Locks `start` up to `end`, except for the whole pages of rare code, which are released: they are loaded when needed.
static bool lock_often_used(uintptr_t start, uintptr_t end) {
  uintptr_t first = page_at_or_after((uintptr_t)csupport_daemon_rare_begin);
  uintptr_t last = page_at_or_after((uintptr_t)csupport_daemon_rare_end) - (uintptr_t)sysconf(_SC_PAGESIZE);
  if (first >= last || first < start || last >= end)
    return mlock((char *)start, end - start) == 0;
  madvise((char *)first, last - first, MADV_DONTNEED);
  return mlock((char *)start, first - start) == 0 && mlock((char *)last, end - last) == 0;
}

// Locks the program's own segments in memory: its code, constants and variables, except for the stack-unwinding tables,
// a sixteenth of it at the end of the constants, because nothing here throws. Pages of these that the kernel has read
// ahead are released. Segment by segment, because the gaps between them may be unmapped.
static bool lock_program(bool is_whole) {
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
    is_locked = (is_whole ? mlock((char *)start, end - start) == 0 : lock_often_used(start, end)) && is_locked;
  }
  return is_locked;
}

int csupport_daemon_realtime(int priority, bool is_whole) {
  struct sched_param wanted = {.sched_priority = priority};
  int granted = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted) == 0;
  // The heap and stack used at the start are enough for everything that follows: the rest need not become resident.
  malloc_trim(0);
  bool is_locked = lock_program(is_whole);
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
