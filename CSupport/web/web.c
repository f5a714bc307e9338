// Memory for the module for browsers, and what its modules call of CSupport elsewhere.
#include "csupport_errors.h"
#include "cweb.h"

static uint8_t text[CWEB_TEXT_SIZE];

uint8_t *cweb_text(void) { return text; }

enum { MEMORY = 65536 };

static _Alignas(16) uint8_t memory[MEMORY];

void *cweb_memory(uint32_t count) {
  static uint32_t used;
  uint8_t *const found = memory + used;
  used += (count + 15) & ~15U;
  if (used > MEMORY)
    __builtin_trap();
  return found;
}

// The words for a code of the system, of which a browser has none.
const char *csupport_error_text(int code) {
  (void)code;
  return "unknown";
}
