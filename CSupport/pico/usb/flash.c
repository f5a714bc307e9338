// The unique number of the flash chip.
#include "cpico_usb.h"

#include "sdk.h"

enum {
  SSI = 0x18000000,
  SSI_CTRLR0 = SSI,
  SSI_SSIENR = SSI + 0x08,
  SSI_RXFLR = SSI + 0x24,
  SSI_DR0 = SSI + 0x60,
  CHIP_SELECT = 0x4001800C, // IO_QSPI, GPIO_QSPI_SS_CTRL (2.19.6.2)
  COMMAND = 0x4B,           // Read Unique ID: 4 bytes that do not count, then the number
  BEFORE_ID = 5,
  ID_SIZE = 8,
};

static inline void write(uint32_t address, uint32_t value) { *(volatile uint32_t *)(uintptr_t)address = value; }
static inline uint32_t read(uint32_t address) { return *(volatile uint32_t *)(uintptr_t)address; }

// In RAM, because the flash answers no reads meanwhile. All 13 bytes find room in the FIFOs of 16. The boot code has
// left the chip in its plain mode, so that it takes a command at once.
__attribute__((noinline, section(".data.flash_id"))) static void exchange(uint8_t *id) {
  const uint32_t kept = read(SSI_CTRLR0), select = read(CHIP_SELECT);
  write(SSI_SSIENR, 0);
  write(SSI_CTRLR0, 7 << 16); // 4.10.13: frames of 8 bits, both directions
  write(SSI_SSIENR, 1);
  write(CHIP_SELECT, (select & ~0x300U) | 0x200); // OUTOVER: low
  write(SSI_DR0, COMMAND);
  for (uint32_t i = 1; i < BEFORE_ID + ID_SIZE; i++)
    write(SSI_DR0, 0);
  while (read(SSI_RXFLR) < BEFORE_ID + ID_SIZE) {
  }
  for (uint32_t i = 0; i < BEFORE_ID; i++)
    (void)read(SSI_DR0);
  for (uint32_t i = 0; i < ID_SIZE; i++)
    *(volatile uint8_t *)(id + i) = (uint8_t)read(SSI_DR0);
  write(CHIP_SELECT, select);
  write(SSI_SSIENR, 0);
  write(SSI_CTRLR0, kept);
  write(SSI_SSIENR, 1);
}

void cpico_flash_id(uint8_t *id) {
  uint32_t mask;
  __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
  void (*volatile far)(uint8_t *) = exchange; // farther than a branch reaches
  far(id);
  __asm__ volatile("msr primask, %0" ::"r"(mask) : "memory");
  uint8_t all_set = 0xFF;
  for (uint32_t i = 0; i < ID_SIZE; i++)
    all_set &= id[i];
  // No chip has answered.
  for (uint32_t i = 0; i < ID_SIZE && all_set == 0xFF; i++)
    id[i] = 0;
}
