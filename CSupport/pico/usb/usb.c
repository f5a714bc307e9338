// The identity of the USB device, its serial port, and what TinyUSB needs of the chip. Section numbers are those of the
// RP2040 data sheet.
#include "cpico_usb.h"

#include "tusb.h"

enum { LANGUAGE, MANUFACTURER, PRODUCT, SERIAL, STRINGS };
enum { CONTROL_INTERFACE, DATA_INTERFACE, INTERFACES };
enum { NOTIFICATIONS = 0x81, FROM_HOST = 0x02, TO_HOST = 0x82, PACKET = 64 };
enum { LONGEST_TEXT = 31, ID_SIZE = 8 };

static const tusb_desc_device_t device = {
    .bLength = sizeof device,
    .bDescriptorType = TUSB_DESC_DEVICE,
    .bcdUSB = 0x0200,
    .bDeviceClass = TUSB_CLASS_MISC,
    .bDeviceSubClass = MISC_SUBCLASS_COMMON,
    .bDeviceProtocol = MISC_PROTOCOL_IAD,
    .bMaxPacketSize0 = CFG_TUD_ENDPOINT0_SIZE,
    .idVendor = 0x2E8A,  // Raspberry Pi
    .idProduct = 0x000A, // a serial port of the Pico SDK
    .bcdDevice = 0x0100,
    .iManufacturer = MANUFACTURER,
    .iProduct = PRODUCT,
    .iSerialNumber = SERIAL,
    .bNumConfigurations = 1,
};

static const uint8_t configuration[] = {
    TUD_CONFIG_DESCRIPTOR(1, INTERFACES, 0, TUD_CONFIG_DESC_LEN + TUD_CDC_DESC_LEN, 0, 100),
    TUD_CDC_DESCRIPTOR(CONTROL_INTERFACE, 0, NOTIFICATIONS, 8, FROM_HOST, TO_HOST, PACKET),
};

static char product[LONGEST_TEXT + 1] = "Plumb ";
static char serial[2 * ID_SIZE + 1];

// Whether the host has raised DTR; and whether a client has left since the last poll began.
static bool has_client, has_lost_client;

static alarm_callback_t alarm;
static void *alarm_user;

static io_rw_32 *at(uint32_t address) { return (io_rw_32 *)(uintptr_t)address; }

enum {
  TIMER_ALARM3 = 0x4005401C,
  TIMER_TIMERAWL = 0x40054028,
  TIMER_INTR = 0x40054034,
  TIMER_INTE = 0x40054038,
  PLL_USB = 0x4002C000,
  CLK_USB_CTRL = 0x40008054,
  ALARM3 = 1 << 3,
};

// 12 MHz * 100 / 5 / 5 = 48 MHz (2.18.2, 2.15.7)
static void start_clock(void) {
  reset_block(RESETS_RESET_PLL_USB_BITS);
  unreset_block_wait(RESETS_RESET_PLL_USB_BITS);
  *at(PLL_USB) = 1;
  *at(PLL_USB + 0x08) = 100;
  hw_clear_bits(at(PLL_USB + 0x04), 1 << 0 | 1 << 5);
  while (!(*at(PLL_USB) & 1U << 31)) {
  }
  *at(PLL_USB + 0x0C) = 5 << 16 | 5 << 12;
  hw_clear_bits(at(PLL_USB + 0x04), 1 << 3);
  *at(CLK_USB_CTRL) = 1 << 11;
}

void cpico_usb_start(const uint8_t *sensor, uint32_t count) {
  static const char digits[] = "0123456789abcdef";
  uint32_t length = 6;
  for (uint32_t i = 0; i < count && length < LONGEST_TEXT; i++)
    product[length++] = (char)sensor[i];
  uint8_t id[ID_SIZE];
  cpico_flash_id(id);
  for (uint32_t i = 0; i < ID_SIZE; i++) {
    serial[2 * i] = digits[id[i] >> 4];
    serial[2 * i + 1] = digits[id[i] & 15];
  }
  start_clock();
  hw_set_bits(at(TIMER_INTE), ALARM3);
  irq_set_enabled(TIMER_IRQ_3, true);
  const tusb_rhport_init_t port = {.role = TUSB_ROLE_DEVICE, .speed = TUSB_SPEED_FULL};
  tusb_init(0, &port);
}

void cpico_usb_poll(void) {
  has_lost_client = false;
  tud_task();
  // What was written while the host slept.
  tud_cdc_write_flush();
}

bool cpico_usb_is_connected(void) { return has_client && !has_lost_client && tud_mounted(); }

int32_t cpico_usb_read(void) {
  uint8_t byte;
  return cpico_usb_is_connected() && tud_cdc_read(&byte, 1) ? byte : -1;
}

uint32_t cpico_usb_write(const uint8_t *bytes, uint32_t count) {
  if (!cpico_usb_is_connected())
    return 0;
  const uint32_t taken = tud_cdc_write(bytes, count);
  tud_cdc_write_flush();
  return taken;
}

bool cpico_usb_interrupt(void) {
  dcd_int_handler(0);
  return tud_task_event_ready();
}

// TinyUSB asks for these.

uint8_t const *tud_descriptor_device_cb(void) { return (const uint8_t *)&device; }

uint8_t const *tud_descriptor_configuration_cb(uint8_t index) {
  (void)index;
  return configuration;
}

uint16_t const *tud_descriptor_string_cb(uint8_t index, uint16_t language) {
  (void)language;
  static uint16_t descriptor[LONGEST_TEXT + 1];
  static const char *const texts[STRINGS] = {"", "Plumb", product, serial};
  if (index >= STRINGS)
    return NULL;
  uint32_t length = 0;
  if (index == LANGUAGE)
    descriptor[++length] = 0x0409;
  else
    while (texts[index][length]) {
      descriptor[length + 1] = (uint8_t)texts[index][length];
      length++;
    }
  descriptor[0] = (uint16_t)(TUSB_DESC_STRING << 8 | (2 * length + 2));
  return descriptor;
}

// The host has chosen the configuration: after a reset of the bus, for example because the cable was unplugged.
void tud_mount_cb(void) { has_lost_client = true, has_client = false; }

void tud_cdc_line_state_cb(uint8_t interface, bool dtr, bool rts) {
  (void)interface;
  (void)rts;
  if (dtr == has_client)
    return;
  has_client = dtr;
  has_lost_client |= !dtr;
  tud_cdc_write_clear();
  tud_cdc_read_flush();
  // The client may get half a line first: a packet that the one before has not read cannot be taken back.
  if (dtr)
    tud_cdc_write_char('\n');
}

// What sdk.h declares.

void cpico_panic(void) {
  __asm__ volatile("cpsid i");
  for (;;) {
  }
}

uint32_t time_us_32(void) { return *at(TIMER_TIMERAWL); }

void busy_wait_us(uint32_t microseconds) {
  const uint32_t begin = time_us_32();
  while (time_us_32() - begin < microseconds) {
  }
}

alarm_id_t add_alarm_in_ms(uint32_t milliseconds, alarm_callback_t callback, void *user, bool fires_if_past) {
  (void)fires_if_past;
  alarm = callback;
  alarm_user = user;
  *at(TIMER_ALARM3) = time_us_32() + milliseconds * 1000;
  return 1;
}

void cpico_usb_alarm(void) {
  *at(TIMER_INTR) = ALARM3;
  const alarm_callback_t due = alarm;
  if (!due)
    return;
  alarm = NULL;
  // The result is when it is due again: 0 for never, unless it has asked for another.
  const int64_t again = due(1, alarm_user);
  if (again > 0) {
    alarm = due;
    *at(TIMER_ALARM3) = time_us_32() + (uint32_t)again;
  }
}
