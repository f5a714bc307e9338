#include "machine.h"

// Semihosting operations and the reasons for a stop, from Arm's specification.
enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18, STOPPED_APPLICATION_EXIT = 0x20026, STOPPED_RUN_TIME_ERROR = 0x20023 };

// SysTick of ARMv6-M and ARMv7-M: on the processor's clock, without an interrupt.
static volatile uint32_t *const systick_control = (volatile uint32_t *)0xE000E010;
static volatile uint32_t *const systick_reload = (volatile uint32_t *)0xE000E014;
static volatile uint32_t *const systick_value = (volatile uint32_t *)0xE000E018;
enum { SYSTICK_ON_PROCESSOR_CLOCK = 5 };

static void semihosting(uint32_t operation, uint32_t argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register uint32_t r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void machine_write(const char *text) { semihosting(SYS_WRITE0, (uint32_t)(uintptr_t)text); }

void machine_exit(bool is_success) {
  semihosting(SYS_EXIT, is_success ? STOPPED_APPLICATION_EXIT : STOPPED_RUN_TIME_ERROR);
  for (;;) {
  }
}

void machine_start_timer(void) {
  *systick_reload = 0xFFFFFF;
  *systick_value = 0;
  *systick_control = SYSTICK_ON_PROCESSOR_CLOCK;
}

uint32_t machine_timer(void) { return *systick_value; }

uint32_t machine_instructions(uint32_t before, uint32_t after) {
  // 1024 ns per instruction at that clock, rounded: the quotient is whole except for the ticks cut off at both ends.
  const uint64_t ticks = (before - after) & 0xFFFFFF;
  const uint64_t ticks_per_instruction_1e9 = 1024ULL * CLOCK_HZ;
  return (uint32_t)((ticks * 1000000000ULL + ticks_per_instruction_1e9 / 2) / ticks_per_instruction_1e9);
}
