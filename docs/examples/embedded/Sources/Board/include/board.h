// What the firmware needs of its board, and Swift cannot do by itself. For a board of your own, write these anew.
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

/// Does nothing for 5 µs at least: half a bit at 100 kHz.
void board_pause(void);

/// Where Swift's `print` writes to: here, the emulator's standard output.
int putchar(int character);
