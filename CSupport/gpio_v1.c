#include "libraries.h"

#include <gpiod.h>

#ifdef GPIOD_LINE_BULK_MAX_LINES // libgpiod 1 only

#include "gpio_chips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct csupport_gpio {
  struct gpiod_chip *chip;
  struct gpiod_line_bulk lines;
};

int csupport_gpio_open_labelled(const char *path, const char *label, struct gpiod_chip **chip) {
  struct gpiod_chip *opened = gpiod_chip_open(path);
  if (!opened)
    return -errno;
  if (csupport_gpio_is_wanted(label, gpiod_chip_label(opened))) {
    *chip = opened;
    return 1;
  }
  gpiod_chip_close(opened);
  return 0;
}

static void spread(uint32_t levels, unsigned count, int *values) {
  for (unsigned i = 0; i < count; i++)
    values[i] = (int)((levels >> i) & 1u);
}

static int request(struct csupport_gpio *bank, const struct csupport_gpio_lines *lines, uint32_t initial,
                   const char *consumer) {
  unsigned offsets[CSUPPORT_GPIO_MOST_LINES];
  int values[CSUPPORT_GPIO_MOST_LINES];
  unsigned count = (unsigned)lines->count;
  for (unsigned i = 0; i < count; i++)
    offsets[i] = lines->offsets[i];
  if (gpiod_chip_get_lines(bank->chip, offsets, count, &bank->lines) < 0)
    return -errno;
  spread(initial, count, values);
  int flags = lines->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  return gpiod_line_request_bulk_output_flags(&bank->lines, consumer, flags, values) < 0 ? -errno : 0;
}

int csupport_gpio_open(const struct csupport_gpio_lines *lines, uint32_t initial, const char *consumer,
                       struct csupport_gpio **bank) {
  struct csupport_gpio *made = NULL;
  int result = csupport_gpio_check(lines);
  if (result == 0)
    result = (made = calloc(1, sizeof *made)) ? 0 : -ENOMEM;
  if (result == 0)
    result = csupport_gpio_find_chip(lines->label, &made->chip);
  if (result == 0)
    result = request(made, lines, initial, consumer);
  if (result < 0) {
    csupport_gpio_close(made);
    return result;
  }
  *bank = made;
  return 0;
}

int csupport_gpio_set(struct csupport_gpio *bank, uint32_t levels) {
  int values[CSUPPORT_GPIO_MOST_LINES];
  spread(levels, gpiod_line_bulk_num_lines(&bank->lines), values);
  return gpiod_line_set_value_bulk(&bank->lines, values) < 0 ? -errno : 0;
}

void csupport_gpio_close(struct csupport_gpio *bank) {
  if (bank && bank->chip)
    gpiod_chip_close(bank->chip); // releases the lines too
  free(bank);
}

int csupport_gpio_holder(const struct csupport_gpio_lines *lines, size_t *line, char *consumer, size_t size) {
  struct gpiod_chip *chip = NULL;
  int result = csupport_gpio_find_chip(lines->label, &chip);
  if (result < 0)
    return result;
  result = -ENOENT;
  for (size_t i = 0; i < lines->count && result == -ENOENT; i++) {
    struct gpiod_line *found = gpiod_chip_get_line(chip, lines->offsets[i]);
    if (!found || !gpiod_line_is_used(found))
      continue;
    *line = i;
    csupport_gpio_copy_name(consumer, size, gpiod_line_consumer(found));
    result = 0;
  }
  gpiod_chip_close(chip);
  return result;
}

int csupport_gpio_line_count(const char *label) {
  struct gpiod_chip *chip = NULL;
  int result = csupport_gpio_find_chip(label, &chip);
  if (result < 0)
    return result;
  result = (int)gpiod_chip_num_lines(chip);
  gpiod_chip_close(chip);
  return result;
}

#endif
