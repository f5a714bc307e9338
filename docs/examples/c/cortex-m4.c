// What runs before `main` on a Cortex-M4 with a floating-point unit: the vector table, and a reset that switches the
// unit on. Newlib's start-up code does the rest. Link with cortex-m4.ld.
#include <stdint.h>

void _start(void); // of newlib: clears .bss and calls main
extern uint32_t stack_top[];
void reset(void);

// Arm v7-M Architecture Reference Manual, B3.2.20, CPACR: full access to coprocessors 10 and 11, which are the unit.
static volatile uint32_t *const coprocessor_access = (volatile uint32_t *)0xE000ED88;

void reset(void) {
  *coprocessor_access |= 0xFU << 20;
  __asm__ volatile("dsb\n\tisb");
  _start();
}

static void stop(void) {
  for (;;) {
  }
}

// The stack pointer, then the handlers 1 to 15. Yours adds the interrupts of its chip.
__attribute__((section(".vectors"), used)) static const struct {
  const void *stack;
  void (*handlers[15])(void);
} vectors = {stack_top, {reset, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop}};
