// What the firmware needs from its board and Swift cannot do. Write these functions for your own board.
#pragma once

#include <stdint.h>

/// Reads a peripheral's register.
static inline uint32_t board_read(uintptr_t address) { return *(volatile uint32_t *)address; }

/// Writes a peripheral's register.
static inline void board_write(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

/// Microseconds since the start, in steps of 1000.
int64_t board_microseconds(void);

/// Sleeps until the next interrupt, which comes every millisecond at the latest.
static inline void board_rest(void) { __asm__ volatile("wfi" ::: "memory"); }

/// Waits for at least 5 µs: half a bit at 100 kHz.
void board_pause(void);

/// The destination of Swift's `print`: here, the emulator's standard output.
int putchar(int character);
