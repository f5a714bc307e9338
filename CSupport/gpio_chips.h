// What gpio_v1.c and gpio_v2.c share.
#ifndef CSUPPORT_GPIO_CHIPS_H
#define CSUPPORT_GPIO_CHIPS_H

#include "csupport_gpio.h"

struct gpiod_chip;

// Opens the chip with that label. Tries every /dev/gpiochip* and skips those that cannot be opened; libgpiod 1's own
// search stops at them. Returns 0 or -errno; the caller closes the chip.
int csupport_gpio_find_chip(const char *label, struct gpiod_chip **chip);

// Opens the chip at `path` if it has that label. Returns 1, 0 for another label, or -errno. Implemented once per
// libgpiod.
int csupport_gpio_open_labelled(const char *path, const char *label, struct gpiod_chip **chip);

// Whether a chip labelled `label` matches `wanted`: CSUPPORT_GPIO_RASPBERRY_PI stands for the labels of all Raspberry
// Pi headers.
bool csupport_gpio_is_wanted(const char *wanted, const char *label);

// 0 if the lines form a valid request, otherwise -EINVAL.
int csupport_gpio_check(const struct csupport_gpio_lines *lines);

// Copies a consumer's name, NULL as empty, cut to `size` bytes with its NUL.
void csupport_gpio_copy_name(char *to, size_t size, const char *name);

#endif
