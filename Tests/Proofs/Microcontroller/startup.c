// The vector table and the code before `main`: it fills RAM, then starts the program. Any exception ends the run.
#include "machine.h"

#include <stdint.h>

// Set by link.ld; only their addresses matter.
extern uint32_t data_start[], data_end[], bss_start[], bss_end[], stack_top[];
extern const uint32_t data_load[];

void reset(void);

static void stop_at_exception(void) {
  machine_write("exception: the program ran into a fault\n");
  machine_exit(false);
}

void reset(void) {
  const uint32_t *from = data_load;
  for (uint32_t *to = data_start; to < data_end; to++) {
    *to = *from++;
  }
  for (uint32_t *to = bss_start; to < bss_end; to++) {
    *to = 0;
  }
  machine_exit(firmware_main() == 0);
}

// The stack pointer, then handlers 1 to 15 of the ARMv6-M and ARMv7-M tables; no interrupt is ever enabled.
__attribute__((section(".vectors"), used)) static const struct {
  const void *stack;
  void (*handlers[15])(void);
} vectors = {stack_top,
             {reset, stop_at_exception, stop_at_exception, stop_at_exception, stop_at_exception, stop_at_exception,
              stop_at_exception, stop_at_exception, stop_at_exception, stop_at_exception, stop_at_exception,
              stop_at_exception, stop_at_exception, stop_at_exception, stop_at_exception}};
