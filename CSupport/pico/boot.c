// The second stage of the boot: the boot ROM copies the first 256 bytes of flash to RAM and runs them there if their
// checksum is right, which scripts/uf2.py writes (RP2040 data sheet, 2.8.1.3). It makes flash readable as memory with
// the command 03h, which every SPI flash has, and starts the program after it.
#include <stdint.h>

#define SSI 0x18000000U
#define REGISTER(offset) (*(volatile uint32_t *)(SSI + (offset)))

enum { VECTORS = 0x10000100, VTOR = 0xE000ED08 };

__attribute__((section(".boot2"), used, noreturn)) void cpico_boot(void);

void cpico_boot(void) {
  REGISTER(0x08) = 0;                              // SSIENR: off (4.10.13)
  REGISTER(0x14) = 4;                              // BAUDR: 125 MHz / 4; 03h is good for 33 MHz at least
  REGISTER(0x00) = 31 << 16 | 3 << 8;              // CTRLR0: frames of 32 bits, single SPI, read after a command
  REGISTER(0xF4) = 0x03U << 24 | 2 << 8 | 6 << 2;  // SPI_CTRLR0: command 03h of 8 bits, address of 24
  REGISTER(0x04) = 0;                              // CTRLR1: one frame
  REGISTER(0x08) = 1;
  *(volatile uint32_t *)VTOR = VECTORS;
  __asm__ volatile("msr msp, %0\n bx %1" ::"r"(*(volatile uint32_t *)VECTORS), "r"(*(volatile uint32_t *)(VECTORS + 4)));
  __builtin_unreachable();
}
