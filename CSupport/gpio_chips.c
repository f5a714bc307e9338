#define _GNU_SOURCE // scandir and versionsort

#include "gpio_chips.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_chip(const struct dirent *entry) {
  size_t length = strlen("gpiochip");
  return strncmp(entry->d_name, "gpiochip", length) == 0 && isdigit((unsigned char)entry->d_name[length]);
}

int csupport_gpio_find_chip(const char *label, struct gpiod_chip **chip) {
  struct dirent **entries = NULL;
  int count = scandir("/dev", &entries, is_chip, versionsort);
  if (count < 0)
    return -errno;
  int result = -ENODEV;
  for (int i = 0; i < count; i++) {
    char path[sizeof "/dev/" + sizeof entries[i]->d_name];
    snprintf(path, sizeof path, "/dev/%s", entries[i]->d_name);
    free(entries[i]);
    if (result == 0)
      continue;
    int opened = csupport_gpio_open_labelled(path, label, chip);
    if (opened == 1)
      result = 0;
    else if (opened == -EACCES || opened == -EPERM)
      result = -EACCES; // the wanted chip may be this one
  }
  free(entries);
  return result;
}

// No board has more than one of them.
static const struct {
  const char *label, *models;
} headers[] = {
    {"pinctrl-bcm2835", "up to 3 and Zero 2"},
    {"pinctrl-bcm2711", "4, 400"}, // CM4 too
    {"pinctrl-rp1", "5, 500"},     // CM5 too
};
enum { header_count = sizeof headers / sizeof headers[0] };

const char *csupport_gpio_header_label(size_t index) { return index < header_count ? headers[index].label : NULL; }

const char *csupport_gpio_header_models(size_t index) { return index < header_count ? headers[index].models : NULL; }

bool csupport_gpio_is_header(const char *label) {
  for (size_t i = 0; i < header_count; i++)
    if (strcmp(headers[i].label, label) == 0)
      return true;
  return false;
}

bool csupport_gpio_is_wanted(const char *wanted, const char *label) {
  return strcmp(wanted, CSUPPORT_GPIO_RASPBERRY_PI) == 0 ? csupport_gpio_is_header(label) : strcmp(wanted, label) == 0;
}

int csupport_gpio_check(const struct csupport_gpio_lines *lines) {
  if (lines->count == 0 || lines->count > CSUPPORT_GPIO_MOST_LINES)
    return -EINVAL;
  for (size_t i = 0; i < lines->count; i++)
    for (size_t k = 0; k < i; k++)
      if (lines->offsets[i] == lines->offsets[k])
        return -EINVAL;
  return 0;
}

void csupport_gpio_copy_name(char *to, size_t size, const char *name) {
  if (size > 0)
    snprintf(to, size, "%s", name ? name : "");
}
