#include "libraries.h"

#include <gpiod.h>

#ifndef GPIOD_LINE_BULK_MAX_LINES // libgpiod 2 only

#include "gpio_chips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct csupport_gpio {
  struct gpiod_line_request *request;
  size_t count;
};

int csupport_gpio_open_labelled(const char *path, const char *label, struct gpiod_chip **chip) {
  struct gpiod_chip *opened = gpiod_chip_open(path);
  if (!opened)
    return -errno;
  struct gpiod_chip_info *info = gpiod_chip_get_info(opened);
  int result = info ? csupport_gpio_is_wanted(label, gpiod_chip_info_get_label(info)) : -errno;
  gpiod_chip_info_free(info);
  if (result == 1)
    *chip = opened;
  else
    gpiod_chip_close(opened);
  return result;
}

static void spread(uint32_t levels, size_t count, enum gpiod_line_value *values) {
  for (size_t i = 0; i < count; i++)
    values[i] = (levels >> i) & 1u ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
}

// Fills in the configuration of a request; the caller frees the objects.
static int configure(struct gpiod_line_config *config, struct gpiod_line_settings *settings,
                     const struct csupport_gpio_lines *lines, uint32_t initial) {
  unsigned offsets[CSUPPORT_GPIO_MOST_LINES];
  enum gpiod_line_value values[CSUPPORT_GPIO_MOST_LINES];
  for (size_t i = 0; i < lines->count; i++)
    offsets[i] = lines->offsets[i];
  spread(initial, lines->count, values);
  gpiod_line_settings_set_active_low(settings, lines->active_low);
  if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) < 0 ||
      gpiod_line_config_add_line_settings(config, offsets, lines->count, settings) < 0 ||
      gpiod_line_config_set_output_values(config, values, lines->count) < 0)
    return -errno;
  return 0;
}

static int request(struct csupport_gpio *bank, struct gpiod_chip *chip, const struct csupport_gpio_lines *lines,
                   uint32_t initial, const char *consumer) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *config = gpiod_line_config_new();
  struct gpiod_request_config *name = gpiod_request_config_new();
  int result = settings && config && name ? configure(config, settings, lines, initial) : -ENOMEM;
  if (result == 0) {
    gpiod_request_config_set_consumer(name, consumer);
    bank->request = gpiod_chip_request_lines(chip, name, config);
    bank->count = lines->count;
    result = bank->request ? 0 : -errno;
  }
  gpiod_request_config_free(name);
  gpiod_line_config_free(config);
  gpiod_line_settings_free(settings);
  return result;
}

int csupport_gpio_open(const struct csupport_gpio_lines *lines, uint32_t initial, const char *consumer,
                       struct csupport_gpio **bank) {
  struct gpiod_chip *chip = NULL;
  struct csupport_gpio *made = NULL;
  int result = csupport_gpio_check(lines);
  if (result == 0)
    result = csupport_gpio_find_chip(lines->label, &chip);
  if (result < 0)
    return result;
  made = calloc(1, sizeof *made);
  result = made ? request(made, chip, lines, initial, consumer) : -ENOMEM;
  gpiod_chip_close(chip); // a request outlives its chip
  if (result < 0) {
    free(made);
    return result;
  }
  *bank = made;
  return 0;
}

int csupport_gpio_set(struct csupport_gpio *bank, uint32_t levels) {
  enum gpiod_line_value values[CSUPPORT_GPIO_MOST_LINES];
  spread(levels, bank->count, values);
  return gpiod_line_request_set_values(bank->request, values) < 0 ? -errno : 0;
}

void csupport_gpio_close(struct csupport_gpio *bank) {
  if (bank)
    gpiod_line_request_release(bank->request);
  free(bank);
}

int csupport_gpio_holder(const struct csupport_gpio_lines *lines, size_t *line, char *consumer, size_t size) {
  struct gpiod_chip *chip = NULL;
  int result = csupport_gpio_find_chip(lines->label, &chip);
  if (result < 0)
    return result;
  result = -ENOENT;
  for (size_t i = 0; i < lines->count && result == -ENOENT; i++) {
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, lines->offsets[i]);
    if (info && gpiod_line_info_is_used(info)) {
      *line = i;
      csupport_gpio_copy_name(consumer, size, gpiod_line_info_get_consumer(info));
      result = 0;
    }
    gpiod_line_info_free(info);
  }
  gpiod_chip_close(chip);
  return result;
}

int csupport_gpio_line_count(const char *label) {
  struct gpiod_chip *chip = NULL;
  int result = csupport_gpio_find_chip(label, &chip);
  if (result < 0)
    return result;
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  result = info ? (int)gpiod_chip_info_get_num_lines(info) : -errno;
  gpiod_chip_info_free(info);
  gpiod_chip_close(chip);
  return result;
}

#endif
