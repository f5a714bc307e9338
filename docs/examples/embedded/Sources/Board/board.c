#include "board.h"

#include <stddef.h>

enum { PROCESSOR_HZ = 25000000 };

// Of every Cortex-M.
static const uintptr_t systick_control = 0xE000E010, systick_reload = 0xE000E014, systick_value = 0xE000E018;
enum { SYSTICK_WITH_INTERRUPT_ON_PROCESSOR_CLOCK = 7 };

// Semihosting: the program asks the debugger, here the emulator.
enum { SYS_WRITEC = 0x03, SYS_EXIT = 0x18, STOPPED_APPLICATION_EXIT = 0x20026, STOPPED_RUN_TIME_ERROR = 0x20023 };

// Set by link.ld; only their addresses mean something.
extern uint32_t data_start[], data_end[], bss_start[], bss_end[], stack_top[];
extern const uint32_t data_load[];

// Made by the Swift compiler of what is marked @main.
int main(int count, char **arguments);
void reset(void);

static volatile uint32_t milliseconds_low, milliseconds_high;

static void semihosting(uint32_t operation, uint32_t argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register uint32_t r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

int putchar(int character) {
  const char byte = (char)character;
  semihosting(SYS_WRITEC, (uint32_t)(uintptr_t)&byte);
  return character;
}

static void end(uint32_t reason) {
  semihosting(SYS_EXIT, reason);
  for (;;) {
  }
}

static void tick(void) {
  if (++milliseconds_low == 0)
    ++milliseconds_high;
}

int64_t board_microseconds(void) {
  // The interrupt may come between the halves: then the high one has changed, or they are read again.
  uint32_t low, high;
  do {
    high = milliseconds_high;
    low = milliseconds_low;
  } while (high != milliseconds_high);
  return (int64_t)(((uint64_t)high << 32 | low) * 1000);
}

void board_pause(void) {
  for (volatile uint32_t left = PROCESSOR_HZ / 1000000; left > 0; left--) {
  }
}

void reset(void) {
  const uint32_t *from = data_load;
  for (uint32_t *to = data_start; to < data_end; to++)
    *to = *from++;
  for (uint32_t *to = bss_start; to < bss_end; to++)
    *to = 0;
  board_write(systick_reload, PROCESSOR_HZ / 1000 - 1);
  board_write(systick_value, 0);
  board_write(systick_control, SYSTICK_WITH_INTERRUPT_ON_PROCESSOR_CLOCK);
  end(main(0, NULL) == 0 ? STOPPED_APPLICATION_EXIT : STOPPED_RUN_TIME_ERROR);
}

static void stop(void) { end(STOPPED_RUN_TIME_ERROR); }

// The stack pointer, then the handlers 1 to 15.
__attribute__((section(".vectors"), used)) static const struct {
  const void *stack;
  void (*handlers[15])(void);
} vectors = {stack_top, {reset, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, tick}};
