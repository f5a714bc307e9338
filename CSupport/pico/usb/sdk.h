// What TinyUSB's driver and the SDK's correction of erratum RP2040-E5 want of the rest of the SDK and of a C library,
// which Plumb does without. scripts/pico-usb.sh writes the headers that they include, each of which is this one.
// Names, types and values are the SDK's.
#ifndef CPICO_SDK_H
#define CPICO_SDK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned int uint;

#define PICO_RP2040 1
#define PICO_RP2040_B0_SUPPORTED 1
#define PICO_RP2040_B1_SUPPORTED 1
#define PICO_TIME_DEFAULT_ALARM_POOL_DISABLED 0
#define static_assert _Static_assert
#define __force_inline inline __attribute__((always_inline))
#define __unused __attribute__((unused))
#define valid_params_if(group, condition) ((void)0)
#define assert(condition) ((void)0)
#define remove_volatile_cast(type, x) ((type)(uintptr_t)(x))
// In flash: some microseconds more, of the 200 that a packet must stay away from the end of a frame.
#define __no_inline_not_in_flash_func(name) __attribute__((noinline)) name

#include "hardware/address_mapped.h"
#include "hardware/regs/intctrl.h"
#include "hardware/regs/resets.h"
#include "hardware/structs/io_bank0.h"
#include "hardware/structs/pads_bank0.h"

void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
size_t strlen(const char *text);

// Stops, so that the watchdog resets the chip.
__attribute__((noreturn)) void cpico_panic(void);
#define panic(...) cpico_panic()
#define hard_assert(condition) ((condition) ? (void)0 : cpico_panic())

// Interrupts: the vector table is constant.
#define PICO_SHARED_IRQ_HANDLER_HIGHEST_ORDER_PRIORITY 0xFF
#define irq_add_shared_handler(number, handler, order) ((void)(number), (void)(handler))
#define irq_remove_handler(number, handler) ((void)(number), (void)(handler))
static inline void irq_set_enabled(uint number, bool enabled) {
  // NVIC_ISER, NVIC_ICER
  *(volatile uint32_t *)(uintptr_t)(enabled ? 0xE000E100 : 0xE000E180) = 1U << number;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

// Resets
static inline void reset_block(uint32_t bits) { hw_set_bits((io_rw_32 *)RESETS_BASE, bits); }
static inline void unreset_block_wait(uint32_t bits) {
  hw_clear_bits((io_rw_32 *)RESETS_BASE, bits);
  while (~*(io_ro_32 *)(RESETS_BASE + RESETS_RESET_DONE_OFFSET) & bits) {
  }
}

// Time. One alarm is enough: the correction's steps come one after another.
typedef int32_t alarm_id_t;
typedef int64_t (*alarm_callback_t)(alarm_id_t id, void *user);
uint32_t time_us_32(void);
void busy_wait_us(uint32_t microseconds);
alarm_id_t add_alarm_in_ms(uint32_t milliseconds, alarm_callback_t callback, void *user, bool fires_if_past);
static inline void busy_wait_at_least_cycles(uint32_t cycles) {
  for (uint32_t left = cycles / 3 + 1; left; left--)
    __asm__ volatile("");
}
#define tight_loop_contents() ((void)0)

// 2.20.2, CHIP_ID: 1 for B0 and B1, 2 for B2.
static inline uint8_t rp2040_chip_version(void) { return (uint8_t)(*(io_ro_32 *)SYSINFO_BASE >> 28); }

// Pins
enum { GPIO_OVERRIDE_LOW = 2, GPIO_OVERRIDE_HIGH = 3 };
static inline uint gpio_get_function(uint gpio) {
  return io_bank0_hw->io[gpio].ctrl & IO_BANK0_GPIO0_CTRL_FUNCSEL_BITS;
}
static inline void gpio_set_pulls(uint gpio, bool up, bool down) {
  hw_write_masked(&pads_bank0_hw->io[gpio],
                  (uint32_t)up << PADS_BANK0_GPIO0_PUE_LSB | (uint32_t)down << PADS_BANK0_GPIO0_PDE_LSB,
                  PADS_BANK0_GPIO0_PUE_BITS | PADS_BANK0_GPIO0_PDE_BITS);
}
static inline void gpio_set_oeover(uint gpio, uint32_t value) {
  hw_write_masked(&io_bank0_hw->io[gpio].ctrl, value << IO_BANK0_GPIO0_CTRL_OEOVER_LSB,
                  IO_BANK0_GPIO0_CTRL_OEOVER_BITS);
}
static inline void gpio_set_inover(uint gpio, uint32_t value) {
  hw_write_masked(&io_bank0_hw->io[gpio].ctrl, value << IO_BANK0_GPIO0_CTRL_INOVER_LSB,
                  IO_BANK0_GPIO0_CTRL_INOVER_BITS);
}

#endif
