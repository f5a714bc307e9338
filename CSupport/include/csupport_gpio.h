// Output lines through libgpiod, version 1 or 2, whose interfaces have nothing in common: a single interface for both,
// chosen at compile time. It makes one request for several lines, which are set together; it never sets a single line
// of a request, for which version 1 has a bug.
#ifndef CSUPPORT_GPIO_H
#define CSUPPORT_GPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As many lines as one uint32_t has bits.
enum { CSUPPORT_GPIO_MOST_LINES = 32 };

// In place of a label: the chip of a Raspberry Pi's header, on any model.
#define CSUPPORT_GPIO_RASPBERRY_PI "raspberry-pi"

// The label of a Raspberry Pi's header for family `index` of models, from 0, and the names of its models ("4, 400").
// NULL beyond the last family.
const char *csupport_gpio_header_label(size_t index);
const char *csupport_gpio_header_models(size_t index);

// Whether `label` is that of a Raspberry Pi's header.
bool csupport_gpio_is_header(const char *label);

// Requested lines. Allocated by csupport_gpio_open, freed by csupport_gpio_close.
struct csupport_gpio;

// The lines to request: those at `offsets` on the chip labelled `label`. Chips are named by label, because the numbers
// of /dev/gpiochip* vary between kernels; CSUPPORT_GPIO_RASPBERRY_PI stands for the label of any header.
struct csupport_gpio_lines {
  const char *label;
  const uint32_t *offsets; // bit n of a level word is the line at offsets[n]
  size_t count;            // 1…32, no offset twice
  bool active_low;         // a set bit drives the lines low
};

// Requests all lines as outputs with the levels of `initial`, in one request with `consumer` as its name.
// Returns 0 or -errno:
//   -ENODEV  no chip has that label
//   -EACCES  no chip that can be opened has it, and there is no permission to open some
//   -EBUSY   a line is in use; see csupport_gpio_holder
//   -EINVAL  no lines, too many, one twice, or an offset beyond the chip; see csupport_gpio_line_count
int csupport_gpio_open(const struct csupport_gpio_lines *lines, uint32_t initial, const char *consumer,
                       struct csupport_gpio **bank);

// Sets all lines to the bits of `levels` in one call. Returns 0 or -errno.
int csupport_gpio_set(struct csupport_gpio *bank, uint32_t levels);

// Releases the lines and frees the bank; NULL is allowed. The levels are not changed: on Raspberry Pi OS lines stay
// driven, so set the levels first if LEDs should be dark.
void csupport_gpio_close(struct csupport_gpio *bank);

// Finds the first of the lines that is in use, for a message about -EBUSY: its index in `offsets`, and the name of its
// user in `consumer`, cut to `size` bytes with its NUL, empty if it has none.
// Returns 0, -ENOENT if no line is in use, or -errno as csupport_gpio_open.
int csupport_gpio_holder(const struct csupport_gpio_lines *lines, size_t *line, char *consumer, size_t size);

// The number of lines of the chip labelled `label`, or -errno as csupport_gpio_open.
int csupport_gpio_line_count(const char *label);

#endif
