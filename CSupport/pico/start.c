// The vector table, what comes before the program, and the interrupts. Section numbers are those of the RP2040 data
// sheet.
#include "include/cpico.h"
#include "include/cpico_usb.h"

#include <stddef.h>

// Set by link.ld; only their addresses matter.
extern uint32_t cpico_data[], cpico_data_end[], cpico_bss[], cpico_bss_end[], cpico_stack_bottom[], cpico_stack[];
extern const uint32_t cpico_data_load[];

void plumb_pico(void);
void cpico_reset(void);

enum {
  RESETS = 0x4000C000,
  RESET_DONE = 0x4000C008,
  CLOCKS = 0x40008000,
  XOSC = 0x40024000,
  PLL_SYS = 0x40028000,
  ROSC_RANDOM = 0x4006001C,
  WATCHDOG_TICK = 0x4005802C,
  TIMER = 0x40054000,
  IO_BANK0 = 0x40014000,
  UART0 = 0x40034000,
};
#define NVIC_ENABLE 0xE000E100U

// 2.3.2
enum { TIMER_IRQ_0 = 0, TIMER_IRQ_3 = 3, USBCTRL_IRQ = 5, IO_IRQ_BANK0 = 13, UART0_IRQ = 20 };

// 2.14.3: RESETS of the peripherals in use.
enum { RESET_I2C0 = 1 << 3, RESET_I2C1 = 1 << 4, RESET_IO = 1 << 5, RESET_PADS = 1 << 8, RESET_PLL_SYS = 1 << 12, RESET_TIMER = 1 << 21, RESET_UART0 = 1 << 22 };

static volatile bool is_awake, is_requested;
static volatile uint32_t edges;
static uint32_t edge_register, edge_bit;

// As C requires before its first function; and the stack is filled, so that its greatest depth can be seen.
void cpico_reset(void) {
  const uint32_t *from = cpico_data_load;
  for (uint32_t *to = cpico_data; to < cpico_data_end;)
    *to++ = *from++;
  for (uint32_t *to = cpico_bss; to < cpico_bss_end;)
    *to++ = 0;
  uint32_t *const top = (uint32_t *)__builtin_frame_address(0) - 8;
  for (uint32_t *to = cpico_stack_bottom; to < top;)
    *to++ = 0x57AC57AC;
  cpico_start_clocks();
  plumb_pico();
}

// A fault has no way back: without the loop, the watchdog resets the chip.
static void stop(void) {
  for (;;) {
  }
}

void cpico_start_clocks(void) {
  cpico_write(XOSC + 0x0C, 47);                       // STARTUP: 1 ms (2.16.3)
  cpico_write(XOSC, 0xAA0 | 0xFAB << 12);             // CTRL: 1 to 15 MHz, on
  while (!(cpico_read(XOSC + 0x04) & 1U << 31)) {
  }
  cpico_write(CLOCKS + 0x30, 2);                      // CLK_REF: crystal (2.15.7)
  while (cpico_read(CLOCKS + 0x38) != 1 << 2) {
  }
  cpico_clear(CLOCKS + 0x3C, 1);                      // CLK_SYS: the same, while the PLL changes
  while (cpico_read(CLOCKS + 0x44) != 1) {
  }
  const uint32_t used = RESET_I2C0 | RESET_I2C1 | RESET_IO | RESET_PADS | RESET_PLL_SYS | RESET_TIMER | RESET_UART0;
  cpico_set(RESETS, used);
  cpico_clear(RESETS, used & ~(uint32_t)RESET_UART0); // UART0 has no clock yet
  while (~cpico_read(RESET_DONE) & (used & ~(uint32_t)RESET_UART0)) {
  }
  // 12 MHz * 125 / 6 / 2 = 125 MHz (2.18.2)
  cpico_write(PLL_SYS, 1);
  cpico_write(PLL_SYS + 0x08, 125);
  cpico_clear(PLL_SYS + 0x04, 1 << 0 | 1 << 5);
  while (!(cpico_read(PLL_SYS) & 1U << 31)) {
  }
  cpico_write(PLL_SYS + 0x0C, 6 << 16 | 2 << 12);
  cpico_clear(PLL_SYS + 0x04, 1 << 3);
  cpico_write(CLOCKS + 0x3C, 0);                      // CLK_SYS: auxiliary source 0, the PLL
  cpico_set(CLOCKS + 0x3C, 1);
  while (cpico_read(CLOCKS + 0x44) != 1 << 1) {
  }
  cpico_write(CLOCKS + 0x48, 1 << 11);                // CLK_PERI: system clock
  cpico_clear(RESETS, RESET_UART0);
  while (!(cpico_read(RESET_DONE) & RESET_UART0)) {
  }
  cpico_write(WATCHDOG_TICK, 12 | 1 << 9);            // 1 µs from 12 MHz (4.7.2); the timer counts it
  cpico_write(TIMER + 0x38, 1);                       // INTE: alarm 0 (4.6.5)
  cpico_write(NVIC_ENABLE, 1 << TIMER_IRQ_0);
}

void cpico_alarm(uint32_t microseconds) {
  is_awake = false;
  cpico_write(TIMER + 0x10, microseconds);
}

static void on_timer(void) {
  cpico_write(TIMER + 0x34, 1);
  is_awake = true;
}

// With interrupts off, one that comes between the question and WFI ends WFI at once; it is served right after.
void cpico_wait(void) {
  __asm__ volatile("cpsid i" ::: "memory");
  if (!is_awake)
    __asm__ volatile("wfi");
  __asm__ volatile("cpsie i\n isb" ::: "memory");
}

void cpico_watch_edges(uint32_t gpio) {
  edge_register = gpio / 8 * 4;
  edge_bit = 8U << gpio % 8 * 4;                      // EDGE_HIGH (2.19.6)
  cpico_write(IO_BANK0 + 0xF0 + edge_register, edge_bit);
  cpico_set(IO_BANK0 + 0x100 + edge_register, edge_bit);
  cpico_write(NVIC_ENABLE, 1 << IO_IRQ_BANK0);
}

uint32_t cpico_take_edges(void) {
  // An edge in between is that of the same sample.
  const uint32_t found = edges;
  edges = 0;
  return found;
}

void cpico_request(void) {
  is_requested = true;
  is_awake = true;
}

bool cpico_take_request(void) {
  const bool found = is_requested;
  is_requested = false;
  return found;
}

static void on_edge(void) {
  cpico_write(IO_BANK0 + 0xF0 + edge_register, edge_bit);
  edges++;
  is_awake = true;
}

uint32_t cpico_random(void) {
  uint32_t bits = 0;
  for (int count = 0; count < 32; count++)
    bits = bits << 1 | (cpico_read(ROSC_RANDOM) & 1);
  return bits;
}

// Two rings, of which the interrupt empties or fills one end each.
enum { RECEIVED = 256, TO_SEND = 256, MEMORY = 10304 };
static uint8_t received[RECEIVED], to_send[TO_SEND];
static volatile uint32_t received_in, received_out, to_send_in, to_send_out;

// 4.2.8
enum { UARTDR = 0x00, UARTFR = 0x18, UARTIMSC = 0x38, UARTICR = 0x44, FR_RXFE = 1 << 4, FR_TXFF = 1 << 5, INT_RX = 1 << 4 | 1 << 6, INT_TX = 1 << 5 };

void cpico_uart_start(void) {
  cpico_write(IO_BANK0 + 0x04, 2);                    // GP0: UART0 TX (2.19.2)
  cpico_write(IO_BANK0 + 0x0C, 2);                    // GP1: UART0 RX
  // 125 MHz / 16 / 115200 = 67 + 52 / 64 (4.2.7.1)
  cpico_write(UART0 + 0x24, 67);
  cpico_write(UART0 + 0x28, 52);
  cpico_write(UART0 + 0x2C, 3 << 5 | 1 << 4);         // UARTLCR_H: 8 bits, FIFOs
  cpico_write(UART0 + 0x30, 1 << 9 | 1 << 8 | 1);     // UARTCR
  cpico_write(UART0 + UARTIMSC, INT_RX);
  cpico_write(NVIC_ENABLE, 1 << UART0_IRQ);
}

static void send(void) {
  while (to_send_out != to_send_in && !(cpico_read(UART0 + UARTFR) & FR_TXFF)) {
    cpico_write(UART0 + UARTDR, to_send[to_send_out % TO_SEND]);
    to_send_out++;
  }
  cpico_write(UART0 + UARTIMSC, to_send_out == to_send_in ? INT_RX : INT_RX | INT_TX);
}

static void on_uart(void) {
  cpico_write(UART0 + UARTICR, INT_RX | INT_TX);
  while (!(cpico_read(UART0 + UARTFR) & FR_RXFE)) {
    const uint8_t byte = (uint8_t)cpico_read(UART0 + UARTDR);
    // What finds no room is lost: a request is short, and asked again.
    if (received_in - received_out < RECEIVED)
      received[received_in++ % RECEIVED] = byte;
  }
  send();
  cpico_request();
}

int32_t cpico_uart_read(void) {
  if (received_out == received_in)
    return -1;
  const uint8_t byte = received[received_out % RECEIVED];
  received_out++;
  return byte;
}

uint32_t cpico_uart_write(const uint8_t *bytes, uint32_t count) {
  uint32_t taken = 0;
  while (taken < count && to_send_in - to_send_out < TO_SEND) {
    to_send[to_send_in % TO_SEND] = bytes[taken++];
    to_send_in++;
  }
  __asm__ volatile("cpsid i" ::: "memory");
  send();
  __asm__ volatile("cpsie i" ::: "memory");
  return taken;
}

uint8_t *cpico_memory(uint32_t count) {
  static uint64_t memory[MEMORY / 8];
  static uint32_t used;
  uint8_t *const found = (uint8_t *)memory + used;
  used += (count + 7) & ~7U;
  if (used > MEMORY)
    stop();
  return found;
}

// The words for a code of the system, of which a Pico has none.
const char *csupport_error_text(int code);
const char *csupport_error_text(int code) {
  (void)code;
  return "unknown";
}

static void on_usb(void) {
  if (cpico_usb_interrupt())
    cpico_request();
}

typedef void (*handler_t)(void);
// The stack pointer, 15 exceptions and 26 interrupts (2.4.5.5, 2.3.2).
__attribute__((section(".vectors"), used)) static const struct {
  const void *stack;
  handler_t exceptions[15], interrupts[26];
} vectors = {
    cpico_stack,
    {cpico_reset, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop},
    {[TIMER_IRQ_0] = on_timer, [TIMER_IRQ_3] = cpico_usb_alarm, [USBCTRL_IRQ] = on_usb, [IO_IRQ_BANK0] = on_edge, [UART0_IRQ] = on_uart},
};
