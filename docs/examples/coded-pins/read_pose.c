// Prints the pose from coded pins (docs/coded-pins.md), on another computer with Linux.
//
//     read_pose CHIP one-hot VALID PORTRAIT UPSIDEDOWN LEFT RIGHT FACEUP FACEDOWN
//     read_pose CHIP binary VALID BIT0 BIT1 BIT2
//
// CHIP is a device such as /dev/gpiochip0; the rest are the lines to which the pins are wired.
//
// Build, with libgpiod 1 or 2 (libgpiod-dev):
//
//     cc docs/examples/coded-pins/read_pose.c -lgpiod -o read_pose
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpiod.h>

// Valid is the first line and bit 0 of what is read.
enum { MOST_LINES = 7, POSES = 6, UNKNOWN = -1, AGAIN = -2, BROKEN = -3 };

// The longest time for three readings: valid is off for at least 5 ms between two poses.
static const long long longest_ns = 4000000;
// Valid is off for some 10 ms while a pose changes; after this many readings, 10 ms apart, the pose is unknown.
static const int patience = 5;

static const char *const names[POSES] = {"portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp",
                                         "faceDown"};

struct reader {
  bool is_binary;
  unsigned count;
  unsigned offsets[MOST_LINES];
#ifdef GPIOD_LINE_BULK_MAX_LINES // libgpiod 1
  struct gpiod_line_bulk lines;
#else
  struct gpiod_line_request *request;
#endif
};

#ifdef GPIOD_LINE_BULK_MAX_LINES

static bool open_lines(struct reader *reader, const char *path) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  return chip && gpiod_chip_get_lines(chip, reader->offsets, reader->count, &reader->lines) == 0 &&
         gpiod_line_request_bulk_input(&reader->lines, "read_pose") == 0;
}

// Each line as a bit, or a negative number.
static int read_lines(struct reader *reader) {
  int values[MOST_LINES] = {0};
  if (gpiod_line_get_value_bulk(&reader->lines, values) < 0)
    return BROKEN;
  int bits = 0;
  for (unsigned i = 0; i < reader->count; i++)
    bits |= (values[i] == 1) << i;
  return bits;
}

#else

static bool open_lines(struct reader *reader, const char *path) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *config = gpiod_line_config_new();
  bool is_ready = chip && settings && config &&
                  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT) == 0 &&
                  gpiod_line_config_add_line_settings(config, reader->offsets, reader->count, settings) == 0;
  // All are kept until the program ends.
  reader->request = is_ready ? gpiod_chip_request_lines(chip, NULL, config) : NULL;
  return reader->request;
}

// Each line as a bit, or a negative number.
static int read_lines(struct reader *reader) {
  enum gpiod_line_value values[MOST_LINES];
  if (gpiod_line_request_get_values(reader->request, values) < 0)
    return BROKEN;
  int bits = 0;
  for (unsigned i = 0; i < reader->count; i++)
    bits |= (values[i] == GPIOD_LINE_VALUE_ACTIVE) << i;
  return bits;
}

#endif

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// The pose of `bits`, without valid.
static int decoded(const struct reader *reader, int bits) {
  if (reader->is_binary)
    return bits < POSES ? bits : AGAIN;
  for (int pose = 0; pose < POSES; pose++)
    if (bits == 1 << pose)
      return pose;
  return AGAIN;
}

// The rule: valid, then the others, then valid again, all within the limit.
static int read_pose(struct reader *reader) {
  long long begin = now_ns();
  int before = read_lines(reader);
  int bits = read_lines(reader);
  int after = read_lines(reader);
  if (before < 0 || bits < 0 || after < 0)
    return BROKEN;
  if (now_ns() - begin > longest_ns)
    return AGAIN;
  if (before & after & 1)
    return decoded(reader, bits >> 1);
  return (before | after) & 1 ? AGAIN : UNKNOWN;
}

static bool parse(struct reader *reader, int argc, char **argv) {
  if (argc < 4)
    return false;
  reader->is_binary = strcmp(argv[2], "binary") == 0;
  reader->count = (unsigned)argc - 3;
  if (reader->count != (reader->is_binary ? 4u : 7u) || (!reader->is_binary && strcmp(argv[2], "one-hot") != 0))
    return false;
  for (unsigned i = 0; i < reader->count; i++) {
    char *end;
    reader->offsets[i] = (unsigned)strtoul(argv[3 + i], &end, 10);
    if (end == argv[3 + i] || *end)
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  struct reader reader = {0};
  if (!parse(&reader, argc, argv)) {
    fputs("usage: read_pose CHIP one-hot VALID PORTRAIT UPSIDEDOWN LEFT RIGHT FACEUP FACEDOWN\n"
          "       read_pose CHIP binary VALID BIT0 BIT1 BIT2\n",
          stderr);
    return 64;
  }
  bool is_open = open_lines(&reader, argv[1]);
  if (!is_open) {
    fprintf(stderr, "read_pose: the lines of %s cannot be had: %s\n", argv[1], strerror(errno));
    return 69;
  }
  int shown = AGAIN, unknown = 0, pose;
  while ((pose = read_pose(&reader)) != BROKEN) {
    unknown = pose == UNKNOWN ? unknown + 1 : 0;
    bool is_news = pose >= 0 || unknown == patience;
    if (is_news && pose != shown) {
      puts(pose < 0 ? "unknown" : names[pose]);
      fflush(stdout);
      shown = pose;
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  fprintf(stderr, "read_pose: the lines cannot be read: %s\n", strerror(errno));
  return 69;
}
