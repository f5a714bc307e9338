#define _GNU_SOURCE // O_CLOEXEC

#include "csupport_i2c.h"
#include "csupport_view.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert(CSUPPORT_VIEW_NAME == GPIO_MAX_NAME_SIZE, "names of the kernel have another size");

static int open_file(const char *path, int flags) {
  int file = 0, tries = 0;
  do
    file = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  while (file < 0 && errno == EINTR && ++tries < CSUPPORT_I2C_MOST_TRIES);
  return file < 0 ? -errno : file;
}

int csupport_view_read(const char *path, void *buffer, size_t size) {
  int file = open_file(path, O_RDONLY);
  if (file < 0)
    return file;
  size_t count = 0;
  ssize_t got = 0;
  do {
    got = read(file, (char *)buffer + count, size - count);
    if (got > 0)
      count += (size_t)got;
  } while (count < size && (got > 0 || (got < 0 && errno == EINTR)));
  int result = got < 0 ? -errno : (int)count;
  close(file);
  return result;
}

int csupport_view_open(const char *path) {
  int file = open_file(path, O_RDWR);
  if (file >= 0)
    close(file);
  return file < 0 ? file : 0;
}

// A file read line by line, without the heap.
struct lines {
  int file;
  char buffer[1024];
  size_t position, count;
};

// Copies the next line, cut to `size` with its NUL. Returns false after the last one.
static bool next_line(struct lines *lines, char *line, size_t size) {
  size_t length = 0;
  bool any = false;
  for (;;) {
    if (lines->position == lines->count) {
      ssize_t got = read(lines->file, lines->buffer, sizeof lines->buffer);
      if (got <= 0)
        break;
      lines->position = 0;
      lines->count = (size_t)got;
    }
    char c = lines->buffer[lines->position++];
    any = true;
    if (c == '\n')
      break;
    if (length + 1 < size)
      line[length++] = c;
  }
  line[length] = '\0';
  return any;
}

// Field `index` of a line with colons as separators, cut at its end: the line is changed. NULL if there is none.
static char *field(char *line, int index) {
  char *start = line;
  for (int i = 0; i < index && start; i++)
    start = (start = strchr(start, ':')) ? start + 1 : NULL;
  if (start)
    start[strcspn(start, ":")] = '\0';
  return start;
}

// The name of the user who started the process, and the ID of that user's own group.
static bool find_user(char *name, size_t size, unsigned long *group) {
  struct lines lines = {.file = open_file("/etc/passwd", O_RDONLY)};
  char line[512], copy[512];
  bool found = false;
  while (lines.file >= 0 && !found && next_line(&lines, line, sizeof line)) {
    memcpy(copy, line, sizeof copy);
    const char *number = field(copy, 2);
    found = number && strtoul(number, NULL, 10) == getuid();
    if (!found)
      continue;
    memcpy(copy, line, sizeof copy);
    number = field(copy, 3);
    *group = number ? strtoul(number, NULL, 10) : 0;
    snprintf(name, size, "%s", field(line, 0));
  }
  if (lines.file >= 0)
    close(lines.file);
  return found;
}

static bool process_has(unsigned long group) {
  gid_t groups[1024];
  int count = getgroups(sizeof groups / sizeof groups[0], groups);
  for (int i = 0; i < count; i++)
    if (groups[i] == group)
      return true;
  return getegid() == group;
}

// Whether `name` is one of the comma-separated names in `list`.
static bool lists(const char *list, const char *name) {
  size_t length = strlen(name);
  while (list && *list) {
    size_t here = strcspn(list, ",");
    if (here == length && strncmp(list, name, length) == 0)
      return true;
    list += here + (list[here] == ',');
  }
  return false;
}

enum csupport_membership csupport_view_group(const char *name) {
  struct lines lines = {.file = open_file("/etc/group", O_RDONLY)};
  char line[4096], user[64] = "";
  unsigned long own = 0;
  enum csupport_membership result = CSUPPORT_NO_SUCH_GROUP;
  bool has_user = find_user(user, sizeof user, &own);
  size_t length = strlen(name);
  while (lines.file >= 0 && result == CSUPPORT_NO_SUCH_GROUP && next_line(&lines, line, sizeof line)) {
    if (strncmp(line, name, length) != 0 || line[length] != ':')
      continue;
    const char *number = strchr(line + length + 1, ':');
    const char *members = number ? strchr(number + 1, ':') : NULL;
    unsigned long group = number ? strtoul(number + 1, NULL, 10) : 0;
    bool is_member = has_user && (own == group || lists(members ? members + 1 : NULL, user));
    result = process_has(group) ? CSUPPORT_MEMBER : is_member ? CSUPPORT_MEMBER_AT_NEXT_LOGIN : CSUPPORT_NO_MEMBER;
  }
  if (lines.file >= 0)
    close(lines.file);
  return result;
}

static int open_chip(int number) {
  char path[32];
  snprintf(path, sizeof path, "/dev/gpiochip%d", number);
  return open_file(path, O_RDWR);
}

int csupport_view_chip(int number, char *label, uint32_t *lines) {
  struct gpiochip_info info = {.lines = 0};
  int chip = open_chip(number);
  if (chip < 0)
    return chip;
  int result = ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) < 0 ? -errno : 0;
  close(chip);
  snprintf(label, CSUPPORT_VIEW_NAME, "%.*s", CSUPPORT_VIEW_NAME - 1, info.label);
  *lines = info.lines;
  return result;
}

int csupport_view_line(int number, uint32_t offset, char *holder) {
  struct gpio_v2_line_info info = {.offset = offset};
  int chip = open_chip(number);
  if (chip < 0)
    return chip;
  int result = ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0 ? -errno : 0;
  close(chip);
  snprintf(holder, CSUPPORT_VIEW_NAME, "%.*s", CSUPPORT_VIEW_NAME - 1, info.consumer);
  return result < 0 ? result : (info.flags & GPIO_V2_LINE_FLAG_USED) != 0;
}
