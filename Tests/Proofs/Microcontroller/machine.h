// The bare machine under QEMU: output and exit by semihosting, instruction counts by the system timer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The actual program; 0 means success.
int firmware_main(void);

/// Writes `text` to the emulator's standard output.
void machine_write(const char *text);

/// Ends the emulator with exit code 0 on success, otherwise 1.
__attribute__((noreturn)) void machine_exit(bool is_success);

/// Starts the free-running timer.
void machine_start_timer(void);

/// The timer's count, which decreases and wraps at 24 bits.
uint32_t machine_timer(void);

/// Instructions between two counts, exact if the emulator runs with `-icount shift=10`: an instruction then lasts
/// 1024 ns of the emulated clock, which is many ticks. At most 600 000 instructions may lie between.
uint32_t machine_instructions(uint32_t before, uint32_t after);
