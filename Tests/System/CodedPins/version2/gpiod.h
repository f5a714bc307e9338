// The parts of libgpiod 2 that the reader uses, on simulated wires.
#include "../wires.h"

enum gpiod_line_value { GPIOD_LINE_VALUE_INACTIVE, GPIOD_LINE_VALUE_ACTIVE };
enum gpiod_line_direction { GPIOD_LINE_DIRECTION_INPUT = 2 };

struct gpiod_chip {
  int unused;
};
struct gpiod_line_settings {
  int direction;
};
struct gpiod_line_config {
  size_t count;
};
struct gpiod_line_request {
  size_t count;
};
struct gpiod_request_config;

static inline struct gpiod_chip *gpiod_chip_open(const char *path) {
  static struct gpiod_chip chip;
  errno = ENOENT;
  return strcmp(path, "wires") == 0 ? &chip : NULL;
}

static inline struct gpiod_line_settings *gpiod_line_settings_new(void) {
  static struct gpiod_line_settings settings;
  return &settings;
}

static inline int gpiod_line_settings_set_direction(struct gpiod_line_settings *settings,
                                                    enum gpiod_line_direction direction) {
  settings->direction = direction;
  return 0;
}

static inline struct gpiod_line_config *gpiod_line_config_new(void) {
  static struct gpiod_line_config config;
  return &config;
}

static inline int gpiod_line_config_add_line_settings(struct gpiod_line_config *config, const unsigned *offsets,
                                                      size_t count, struct gpiod_line_settings *settings) {
  config->count = count;
  return offsets[0] == 17 && settings->direction == GPIOD_LINE_DIRECTION_INPUT ? 0 : -1;
}

static inline struct gpiod_line_request *
gpiod_chip_request_lines(struct gpiod_chip *chip, struct gpiod_request_config *name, struct gpiod_line_config *config) {
  static struct gpiod_line_request request;
  request.count = config->count;
  return chip && !name ? &request : NULL;
}

static inline int gpiod_line_request_get_values(struct gpiod_line_request *request, enum gpiod_line_value *values) {
  const char *word = wires_next((unsigned)request->count);
  for (size_t i = 0; word && i < request->count; i++)
    values[i] = word[i] == '1' ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return word ? 0 : -1;
}
