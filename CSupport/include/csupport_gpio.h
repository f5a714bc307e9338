// Output lines through libgpiod, version 1 or 2, whose interfaces have nothing in common: one interface over both,
// chosen when compiled. It knows one request of several lines, set together; never a single line of it, which
// version 1 gets wrong.
#ifndef CSUPPORT_GPIO_H
#define CSUPPORT_GPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As many lines as one uint32_t has bits.
enum { CSUPPORT_GPIO_MOST_LINES = 32 };

// In place of a label: the chip of a Raspberry Pi's header, whatever the model.
#define CSUPPORT_GPIO_RASPBERRY_PI "raspberry-pi"

// The label of a Raspberry Pi's header, `index` counting families of models from 0, and which models they are ("4,
// 400"). NULL beyond the last one.
const char *csupport_gpio_header_label(size_t index);
const char *csupport_gpio_header_models(size_t index);

// Whether `label` is one of these.
bool csupport_gpio_is_header(const char *label);

// Requested lines. Allocated by csupport_gpio_open, freed by csupport_gpio_close.
struct csupport_gpio;

// The lines to request: those at `offsets` on the chip labelled `label`. Chips are named by label, because the
// numbers of /dev/gpiochip* change from kernel to kernel; CSUPPORT_GPIO_RASPBERRY_PI will do for a header's.
struct csupport_gpio_lines {
  const char *label;
  const uint32_t *offsets; // bit n of a level word is the line at offsets[n]
  size_t count;            // 1…32, no offset twice
  bool active_low;         // a set bit drives the lines low
};

// Requests all lines as outputs with the levels of `initial`, in one request held in the name of `consumer`.
// Returns 0 or -errno:
//   -ENODEV  no chip has that label
//   -EACCES  no chip that may be opened has it, and some may not be opened
//   -EBUSY   a line is held by another; see csupport_gpio_holder
//   -EINVAL  no lines, too many, one twice, or an offset beyond the chip; see csupport_gpio_line_count
int csupport_gpio_open(const struct csupport_gpio_lines *lines, uint32_t initial, const char *consumer,
                       struct csupport_gpio **bank);

// Sets all lines to the bits of `levels` in one call. Returns 0 or -errno.
int csupport_gpio_set(struct csupport_gpio *bank, uint32_t levels);

// Gives the lines back and frees the bank; NULL is allowed. Their levels are left as they are: on Raspberry Pi OS
// lines stay driven, so set the levels first if LEDs are to be dark.
void csupport_gpio_close(struct csupport_gpio *bank);

// Finds the first of the lines that is in use, for a message about -EBUSY: which line (its place in `offsets`),
// and the holder's name in `consumer`, cut to `size` bytes with its NUL, empty when it gave none.
// Returns 0, -ENOENT when no line is held, or -errno as csupport_gpio_open.
int csupport_gpio_holder(const struct csupport_gpio_lines *lines, size_t *line, char *consumer, size_t size);

// The number of lines of the chip labelled `label`, or -errno as csupport_gpio_open.
int csupport_gpio_line_count(const char *label);

#endif
