#define _GNU_SOURCE

#include "fake.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/uinput.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int fake_trouble;
uint32_t fake_levels;
char fake_name[64];
bool fake_is_low;
char fake_folder[64];
int fake_left = -1;

int __real_open(const char *path, int flags, ...);
int __real_ioctl(int file, unsigned long request, void *argument);
int __real_scandir(const char *path, struct dirent ***entries, int (*is_chosen)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **));
int __wrap_open(const char *path, int flags, ...);
static int uinput_ioctl(unsigned long request, void *argument) {
  if (fake_left == 0) {
    errno = EPERM;
    return -1;
  }
  fake_left -= fake_left > 0;
  if (request == UI_DEV_SETUP)
    snprintf(fake_name, sizeof fake_name, "%.60s", ((struct uinput_setup *)argument)->name);
  return 0;
}

int __wrap_ioctl(int file, unsigned long request, void *argument);
int __wrap_scandir(const char *path, struct dirent ***entries, int (*is_chosen)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **));

// The device of a descriptor; 0 for none.
static char devices[1024];

bool fake_opens(const char *path) {
  errno = fake_trouble ? fake_trouble : ENOENT;
  return !fake_trouble && strncmp(path, "/dev/gpiochip", 13) == 0 && path[13] >= '0' && path[13] <= '2';
}

const char *fake_label(const char *path) {
  static const char *const labels[] = {"other", "pinctrl-bcm2711", "a-label-of-31-bytes-------------"};
  static char label[32];
  snprintf(label, sizeof label, "%s", labels[(path[13] - '0') % 3]);
  return label;
}

const char *fake_consumer(unsigned offset) { return offset == FAKE_USED ? "another program with a long name" : NULL; }

bool fake_has(unsigned lines, const unsigned *offsets, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (offsets[i] >= lines)
      return false;
  return true;
}

bool fake_set(unsigned count, const int *values) {
  fake_levels = 0;
  for (unsigned i = 0; i < count; i++)
    fake_levels |= (uint32_t)(values[i] != 0) << i;
  errno = fake_trouble;
  return !fake_trouble;
}

bool fake_request(unsigned count, const char *consumer, bool is_low, const int *values) {
  snprintf(fake_name, sizeof fake_name, "%s", consumer);
  fake_is_low = is_low;
  return fake_set(count, values);
}

int __wrap_open(const char *path, int flags, ...) {
  char place[128];
  int interrupted = EINTR;
  if (fake_trouble == interrupted) {
    fake_trouble = 0; // once
    errno = EINTR;
    return -1;
  }
  if (strcmp(path, "/etc/passwd") == 0 || strcmp(path, "/etc/group") == 0) {
    snprintf(place, sizeof place, "%s%s", fake_folder, path + 4);
    return __real_open(place, flags);
  }
  bool is_chip = strncmp(path, "/dev/gpiochip", 13) == 0;
  bool is_bus = strcmp(path, "/dev/i2c-1") == 0;
  bool is_uinput = strcmp(path, "/dev/uinput") == 0;
  if (!is_chip && !is_bus && !is_uinput)
    return __real_open(path, flags);
  if (is_chip && !fake_opens(path))
    return -1;
  int file = __real_open("/dev/null", O_RDWR | O_CLOEXEC);
  if (file >= 0)
    devices[file] = is_bus ? 'i' : is_uinput ? 'u' : path[13];
  return file;
}

// A line whose events come from a socket: `fake_levels` of them are waiting.
static int line_of_events(void) {
  int ends[2];
  struct gpio_v2_line_event event = {.offset = 4};
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
    return -1;
  for (uint32_t i = 0; i < fake_levels; i++)
    if (write(ends[1], &event, sizeof event) < 0)
      break;
  devices[ends[0]] = 0;
  return ends[0];
}

static int bus_ioctl(unsigned long request, void *argument) {
  struct i2c_rdwr_ioctl_data *data = argument;
  unsigned long functions = I2C_FUNC_I2C;
  if (fake_trouble) {
    errno = fake_trouble;
    return -1;
  }
  if (request == I2C_FUNCS)
    memcpy(argument, &functions, sizeof functions);
  if (request != I2C_RDWR)
    return 0;
  for (uint32_t i = 0; i < data->nmsgs; i++) {
    volatile uint8_t sum = 0;
    for (uint16_t k = 0; k < data->msgs[i].len; k++)
      if (data->msgs[i].flags & I2C_M_RD)
        data->msgs[i].buf[k] = (uint8_t)k;
      else
        sum = (uint8_t)(sum + data->msgs[i].buf[k]);
  }
  return (int)data->nmsgs;
}

int __wrap_ioctl(int file, unsigned long request, void *argument) {
  char path[] = "/dev/gpiochip0";
  char device = file >= 0 && file < (int)sizeof devices ? devices[file] : 0;
  if (device == 0)
    return __real_ioctl(file, request, argument);
  if (device == 'i')
    return bus_ioctl(request, argument);
  if (device == 'u')
    return uinput_ioctl(request, argument);
  path[13] = device;
  if (request == GPIO_GET_CHIPINFO_IOCTL) {
    struct gpiochip_info *info = argument;
    memset(info->label, 'x', sizeof info->label);
    memcpy(info->label, fake_label(path), strlen(fake_label(path)) + 1);
    info->lines = 54;
    return 0;
  }
  if (request == GPIO_V2_GET_LINEINFO_IOCTL) {
    struct gpio_v2_line_info *info = argument;
    memset(info->consumer, 'x', sizeof info->consumer); // the kernel terminates it; the shim does not rely on that
    info->flags = info->offset == FAKE_USED ? GPIO_V2_LINE_FLAG_USED : 0;
    errno = EINVAL;
    return info->offset < 54 ? 0 : -1;
  }
  if (request == GPIO_V2_GET_LINE_IOCTL) {
    struct gpio_v2_line_request *wanted = argument;
    errno = wanted->offsets[0] == 5 ? ENXIO : EBUSY;
    wanted->fd = wanted->offsets[0] == 4 ? line_of_events() : -1;
    return wanted->fd < 0 ? -1 : 0;
  }
  errno = ENOTTY;
  return -1;
}

int __wrap_scandir(const char *path, struct dirent ***entries, int (*is_chosen)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **)) {
  static const char *const names[] = {"gpiochip0", "null", "gpiochip1", "gpiochip2", "gpiochipx"};
  if (strcmp(path, "/dev") != 0)
    return __real_scandir(path, entries, is_chosen, compare);
  *entries = calloc(5, sizeof **entries);
  int count = 0;
  for (int i = 0; i < 5; i++) {
    struct dirent *entry = calloc(1, sizeof *entry);
    snprintf(entry->d_name, sizeof entry->d_name, "%s", names[i]);
    if (is_chosen(entry))
      (*entries)[count++] = entry;
    else
      free(entry);
  }
  return count;
}
