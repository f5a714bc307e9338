// The bare machine under QEMU: text and the end of the run by semihosting, instructions by the system timer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The program proper; 0 is success.
int firmware_main(void);

/// Writes `text` on the emulator's standard output.
void machine_write(const char *text);

/// Ends the emulator with exit code 0, or 1.
__attribute__((noreturn)) void machine_exit(bool is_success);

/// Starts the free-running timer.
void machine_start_timer(void);

/// The timer's count, which runs down and wraps at 24 bits.
uint32_t machine_timer(void);

/// Instructions between two counts, exact when the emulator runs with `-icount shift=10`: then an instruction lasts
/// 1024 ns of the emulated clock, which is many ticks. No more than 600 000 instructions may lie between.
uint32_t machine_instructions(uint32_t before, uint32_t after);
