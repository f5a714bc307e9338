// What Swift cannot say about an RP2040: volatile registers, instructions, and what interrupts leave for the program.
#ifndef CPICO_H
#define CPICO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

static inline uint32_t cpico_read(uint32_t address) { return *(volatile uint32_t *)(uintptr_t)address; }

static inline void cpico_write(uint32_t address, uint32_t value) { *(volatile uint32_t *)(uintptr_t)address = value; }

// Every register has aliases, so that a write changes only the bits that are set (2.1.2).
static inline void cpico_set(uint32_t address, uint32_t bits) { cpico_write(address + 0x2000, bits); }
static inline void cpico_clear(uint32_t address, uint32_t bits) { cpico_write(address + 0x3000, bits); }

// Starts crystal, PLL, timer and the peripherals; the system clock is 125 MHz, the timer counts microseconds.
void cpico_start_clocks(void);

// Sleeps until an interrupt, unless one came since `cpico_alarm` was last called.
void cpico_wait(void);

// Wakes a wait when the low word of the timer is `microseconds`.
void cpico_alarm(uint32_t microseconds);

// Interrupts at each rising edge of `gpio`, 0 to 29, from now on.
void cpico_watch_edges(uint32_t gpio);

// The number of edges since the last call.
uint32_t cpico_take_edges(void);

// Whether a host has sent something, or takes more, since the last call.
bool cpico_take_request(void);
// Notes that it has, and ends a wait; for interrupts.
void cpico_request(void);

// UART0 on GP0 and GP1, 115200 baud, 8N1.
void cpico_uart_start(void);
// The next byte received; below 0 for none.
int32_t cpico_uart_read(void);
// Takes as many bytes as there is room for, and returns how many.
uint32_t cpico_uart_write(const uint8_t *bytes, uint32_t count);

// Memory at start, never freed, aligned to 8 bytes; stops if there is no more.
uint8_t *cpico_memory(uint32_t count);

// The random bit of the ring oscillator (2.17), 32 times: for the owner's number, not for secrets.
uint32_t cpico_random(void);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
