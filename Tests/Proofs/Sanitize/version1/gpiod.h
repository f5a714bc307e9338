// The parts of libgpiod 1 that CSupport/gpio_v1.c uses, on the chip of fake.h: each structure and array is used to
// its end.
#ifndef FAKE_GPIOD_H
#define FAKE_GPIOD_H

#include "../fake.h"

#define GPIOD_LINE_BULK_MAX_LINES 64
#define GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW 4

struct gpiod_chip {
  char label[32];
};
struct gpiod_line {
  unsigned offset;
};
struct gpiod_line_bulk {
  unsigned offsets[GPIOD_LINE_BULK_MAX_LINES];
  unsigned num_lines;
};

static inline struct gpiod_chip *gpiod_chip_open(const char *path) {
  struct gpiod_chip *chip = fake_opens(path) ? malloc(sizeof *chip) : NULL;
  if (chip)
    strcpy(chip->label, fake_label(path));
  return chip;
}

static inline void gpiod_chip_close(struct gpiod_chip *chip) { free(chip); }

static inline const char *gpiod_chip_label(struct gpiod_chip *chip) { return chip->label; }

static inline unsigned gpiod_chip_num_lines(struct gpiod_chip *chip) { return chip->label[0] ? 54 : 0; }

static inline int gpiod_chip_get_lines(struct gpiod_chip *chip, unsigned *offsets, unsigned count,
                                       struct gpiod_line_bulk *bulk) {
  bulk->num_lines = count;
  for (unsigned i = 0; i < count; i++)
    bulk->offsets[i] = offsets[i];
  errno = EINVAL;
  return fake_has(gpiod_chip_num_lines(chip), offsets, count) ? 0 : -1;
}

static inline int gpiod_line_request_bulk_output_flags(struct gpiod_line_bulk *bulk, const char *consumer, int flags,
                                                       const int *values) {
  errno = EBUSY;
  return fake_request(bulk->num_lines, consumer, flags == GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW, values) ? 0 : -1;
}

static inline unsigned gpiod_line_bulk_num_lines(struct gpiod_line_bulk *bulk) { return bulk->num_lines; }

static inline int gpiod_line_set_value_bulk(struct gpiod_line_bulk *bulk, const int *values) {
  return fake_set(bulk->num_lines, values) ? 0 : -1;
}

static inline struct gpiod_line *gpiod_chip_get_line(struct gpiod_chip *chip, unsigned offset) {
  static struct gpiod_line line;
  line.offset = offset;
  return offset < gpiod_chip_num_lines(chip) ? &line : NULL;
}

static inline bool gpiod_line_is_used(struct gpiod_line *line) { return line->offset == FAKE_USED; }

static inline const char *gpiod_line_consumer(struct gpiod_line *line) { return fake_consumer(line->offset); }

#endif
