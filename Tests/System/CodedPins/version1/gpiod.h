// The parts of libgpiod 1 that the reader uses, on simulated wires.
#include "../wires.h"

#define GPIOD_LINE_BULK_MAX_LINES 64

struct gpiod_chip {
  int unused;
};
struct gpiod_line_bulk {
  unsigned count;
};

static inline struct gpiod_chip *gpiod_chip_open(const char *path) {
  static struct gpiod_chip chip;
  errno = ENOENT;
  return strcmp(path, "wires") == 0 ? &chip : NULL;
}

static inline int gpiod_chip_get_lines(struct gpiod_chip *chip, unsigned *offsets, unsigned count,
                                       struct gpiod_line_bulk *bulk) {
  bulk->count = count;
  return chip && offsets[0] == 17 ? 0 : -1;
}

static inline int gpiod_line_request_bulk_input(struct gpiod_line_bulk *bulk, const char *consumer) {
  return bulk->count > 0 && consumer ? 0 : -1;
}

static inline int gpiod_line_get_value_bulk(struct gpiod_line_bulk *bulk, int *values) {
  const char *word = wires_next(bulk->count);
  for (unsigned i = 0; word && i < bulk->count; i++)
    values[i] = word[i] == '1';
  return word ? 0 : -1;
}
