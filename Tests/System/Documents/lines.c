// Simulated GPIO lines for the examples that need those of a Raspberry Pi: a preloaded library that answers in place of
// libgpiod 1 or 2, whichever is installed, and /dev/gpiochip0. One chip, pinctrl-bcm2835, with every line free.
#define _GNU_SOURCE // RTLD_NEXT

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PATH "/dev/gpiochip0"
#define LABEL "pinctrl-bcm2835"
#define LINES 54

static int the_chip = -1; // the descriptor most recently returned for PATH

// The function that this one overrides.
static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

int scandir(const char *folder, struct dirent ***names, int (*wanted)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **)) {
  if (strcmp(folder, "/dev") != 0) {
    int (*true_scandir)(const char *, struct dirent ***, int (*)(const struct dirent *),
                        int (*)(const struct dirent **, const struct dirent **));
    *(void **)&true_scandir = next("scandir");
    return true_scandir(folder, names, wanted, order);
  }
  *names = malloc(sizeof **names);
  **names = calloc(1, sizeof ***names);
  snprintf((**names)->d_name, sizeof(**names)->d_name, "gpiochip0");
  return 1;
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  int (*true_open)(const char *, int, ...);
  *(void **)&true_open = next("open");
  if (strcmp(path, PATH) != 0)
    return true_open(path, flags, mode);
  return the_chip = true_open("/dev/null", flags & ~O_CREAT);
}

int ioctl(int file, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  if (file == the_chip && request == GPIO_GET_CHIPINFO_IOCTL) {
    struct gpiochip_info info = {.name = "gpiochip0", .label = LABEL, .lines = LINES};
    memcpy(argument, &info, sizeof info);
    return 0;
  }
  if (file == the_chip && request == GPIO_V2_GET_LINEINFO_IOCTL) {
    struct gpio_v2_line_info *info = argument;
    info->flags = info->offset < LINES ? GPIO_V2_LINE_FLAG_INPUT : 0;
    info->consumer[0] = '\0';
    return 0;
  }
  int (*true_ioctl)(int, unsigned long, ...);
  *(void **)&true_ioctl = next("ioctl");
  return true_ioctl(file, request, argument);
}

static char chip_of_ours, line_of_ours;

struct gpiod_chip *gpiod_chip_open(const char *path) {
  if (strcmp(path, PATH) == 0)
    return (struct gpiod_chip *)&chip_of_ours;
  errno = ENOENT;
  return NULL;
}

void gpiod_chip_close(struct gpiod_chip *chip) { (void)chip; }

#ifdef GPIOD_LINE_BULK_MAX_LINES

const char *gpiod_chip_label(struct gpiod_chip *chip) { return chip ? LABEL : NULL; }

unsigned gpiod_chip_num_lines(struct gpiod_chip *chip) { return chip ? LINES : 0; }

struct gpiod_line *gpiod_chip_get_line(struct gpiod_chip *chip, unsigned offset) {
  return chip && offset < LINES ? (struct gpiod_line *)&line_of_ours : NULL;
}

int gpiod_chip_get_lines(struct gpiod_chip *chip, unsigned *offsets, unsigned count, struct gpiod_line_bulk *bulk) {
  bulk->num_lines = count;
  for (unsigned i = 0; i < count; i++)
    if (!(bulk->lines[i] = gpiod_chip_get_line(chip, offsets[i])))
      return -1;
  return 0;
}

bool gpiod_line_is_used(struct gpiod_line *line) { return !line; }

const char *gpiod_line_consumer(struct gpiod_line *line) { return line ? NULL : ""; }

int gpiod_line_request_bulk_output_flags(struct gpiod_line_bulk *bulk, const char *consumer, int flags,
                                         const int *values) {
  return bulk->num_lines > 0 && consumer && flags >= 0 && values ? 0 : -1;
}

int gpiod_line_set_value_bulk(struct gpiod_line_bulk *bulk, const int *values) {
  return bulk->num_lines > 0 && values ? 0 : -1;
}

#else

struct gpiod_chip_info *gpiod_chip_get_info(struct gpiod_chip *chip) {
  return (struct gpiod_chip_info *)chip;
}

void gpiod_chip_info_free(struct gpiod_chip_info *info) { (void)info; }

const char *gpiod_chip_info_get_label(struct gpiod_chip_info *info) { return info ? LABEL : NULL; }

size_t gpiod_chip_info_get_num_lines(struct gpiod_chip_info *info) { return info ? LINES : 0; }

struct gpiod_line_info *gpiod_chip_get_line_info(struct gpiod_chip *chip, unsigned offset) {
  return chip && offset < LINES ? (struct gpiod_line_info *)&line_of_ours : NULL;
}

void gpiod_line_info_free(struct gpiod_line_info *info) { (void)info; }

bool gpiod_line_info_is_used(struct gpiod_line_info *info) { return !info; }

const char *gpiod_line_info_get_consumer(struct gpiod_line_info *info) { return info ? NULL : ""; }

struct gpiod_line_request *gpiod_chip_request_lines(struct gpiod_chip *chip, struct gpiod_request_config *name,
                                                    struct gpiod_line_config *lines) {
  return chip && name && lines ? (struct gpiod_line_request *)&line_of_ours : NULL;
}

int gpiod_line_request_set_values(struct gpiod_line_request *request, const enum gpiod_line_value *values) {
  return request && values ? 0 : -1;
}

void gpiod_line_request_release(struct gpiod_line_request *request) { (void)request; }

#endif
