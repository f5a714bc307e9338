#include "csupport_memory.h"

#include <errno.h>
#include <sys/mman.h>

void *csupport_memory_map(size_t size) {
  // Not from the program's own data, all of which csupport_daemon_realtime makes resident.
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void csupport_memory_unmap(void *memory, size_t size) { munmap(memory, size); }

int csupport_memory_none(void) { return ENOMEM; }
