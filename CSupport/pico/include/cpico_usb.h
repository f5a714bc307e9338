// A serial port over USB (CDC ACM), by TinyUSB. Only the two handlers run in interrupts, and no function waits.
#ifndef CPICO_USB_H
#define CPICO_USB_H

#include <stdbool.h>
#include <stdint.h>

// Starts PLL_USB and the controller as "Plumb <sensor>"; clock, timer and the peripherals' resets as cpico_start_clocks
// leaves them. Uses the timer's alarm 3.
void cpico_usb_start(const uint8_t *sensor, uint32_t count);

// Does what the host has asked for since the last call.
void cpico_usb_poll(void);

// Whether a program on the host has opened the port (DTR), according to the last poll. If one client has left and
// another has come since the poll before, false until the next poll. An RP2040 does not see its cable being unplugged,
// which looks like a host that sleeps: the client is there until the next host resets the device.
bool cpico_usb_is_connected(void);

// The next byte received from the client; below 0 for none.
int32_t cpico_usb_read(void);

// Takes as many bytes as there is room for, and returns how many; none if no client is connected.
uint32_t cpico_usb_write(const uint8_t *bytes, uint32_t count);

// The handlers of the interrupts USBCTRL_IRQ, which returns whether a poll has something to do, and TIMER_IRQ_3. While
// a packet waits for the host, there is an interrupt in each frame of 1 ms, most of them without a reason to poll.
bool cpico_usb_interrupt(void);
void cpico_usb_alarm(void);

// The unique number of the flash chip, 8 bytes (command 4Bh); zeros for a chip that has none. With interrupts off, and
// before a second core runs: for some microseconds there is no flash.
void cpico_flash_id(uint8_t *id);

#endif
