// The parts of libgpiod 2 that CSupport/gpio_v2.c uses, on the chip of fake.h: each structure and array is used to
// its end.
#ifndef FAKE_GPIOD_H
#define FAKE_GPIOD_H

#include "../fake.h"

enum gpiod_line_value { GPIOD_LINE_VALUE_INACTIVE, GPIOD_LINE_VALUE_ACTIVE };
enum gpiod_line_direction { GPIOD_LINE_DIRECTION_OUTPUT = 3 };

struct gpiod_chip {
  char label[32];
};
struct gpiod_chip_info {
  struct gpiod_chip chip;
};
struct gpiod_line_info {
  unsigned offset;
};
struct gpiod_line_settings {
  bool is_low, is_output;
};
struct gpiod_line_config {
  size_t count;
  bool is_low;
  int *values;
};
struct gpiod_request_config {
  const char *consumer;
};
struct gpiod_line_request {
  unsigned count;
};

static inline struct gpiod_chip *gpiod_chip_open(const char *path) {
  struct gpiod_chip *chip = fake_opens(path) ? malloc(sizeof *chip) : NULL;
  if (chip)
    strcpy(chip->label, fake_label(path));
  return chip;
}

static inline void gpiod_chip_close(struct gpiod_chip *chip) { free(chip); }

static inline struct gpiod_chip_info *gpiod_chip_get_info(struct gpiod_chip *chip) {
  struct gpiod_chip_info *info = malloc(sizeof *info);
  info->chip = *chip;
  return info;
}

static inline void gpiod_chip_info_free(struct gpiod_chip_info *info) { free(info); }

static inline const char *gpiod_chip_info_get_label(struct gpiod_chip_info *info) { return info->chip.label; }

static inline size_t gpiod_chip_info_get_num_lines(struct gpiod_chip_info *info) {
  return info->chip.label[0] ? 54 : 0;
}

static inline struct gpiod_line_settings *gpiod_line_settings_new(void) {
  return calloc(1, sizeof(struct gpiod_line_settings));
}

static inline void gpiod_line_settings_free(struct gpiod_line_settings *settings) { free(settings); }

static inline void gpiod_line_settings_set_active_low(struct gpiod_line_settings *settings, bool is_low) {
  settings->is_low = is_low;
}

static inline int gpiod_line_settings_set_direction(struct gpiod_line_settings *settings,
                                                    enum gpiod_line_direction direction) {
  settings->is_output = direction == GPIOD_LINE_DIRECTION_OUTPUT;
  return settings->is_output ? 0 : -1;
}

static inline struct gpiod_line_config *gpiod_line_config_new(void) {
  return calloc(1, sizeof(struct gpiod_line_config));
}

static inline void gpiod_line_config_free(struct gpiod_line_config *config) {
  if (config)
    free(config->values);
  free(config);
}

static inline int gpiod_line_config_add_line_settings(struct gpiod_line_config *config, const unsigned *offsets,
                                                      size_t count, struct gpiod_line_settings *settings) {
  config->count = count;
  config->is_low = settings->is_low;
  errno = EINVAL;
  return fake_has(54, offsets, (unsigned)count) ? 0 : -1;
}

static inline int gpiod_line_config_set_output_values(struct gpiod_line_config *config,
                                                      const enum gpiod_line_value *values, size_t count) {
  config->values = malloc(count * sizeof *config->values);
  for (size_t i = 0; i < count; i++)
    config->values[i] = (int)values[i];
  return config->count == count ? 0 : -1;
}

static inline struct gpiod_request_config *gpiod_request_config_new(void) {
  return calloc(1, sizeof(struct gpiod_request_config));
}

static inline void gpiod_request_config_free(struct gpiod_request_config *config) { free(config); }

static inline void gpiod_request_config_set_consumer(struct gpiod_request_config *config, const char *consumer) {
  config->consumer = consumer;
}

static inline struct gpiod_line_request *
gpiod_chip_request_lines(struct gpiod_chip *chip, struct gpiod_request_config *name, struct gpiod_line_config *config) {
  struct gpiod_line_request *request = NULL;
  errno = EBUSY;
  if (chip && fake_request((unsigned)config->count, name->consumer, config->is_low, config->values)) {
    request = malloc(sizeof *request);
    request->count = (unsigned)config->count;
  }
  return request;
}

static inline int gpiod_line_request_set_values(struct gpiod_line_request *request,
                                                const enum gpiod_line_value *values) {
  int numbers[64];
  for (unsigned i = 0; i < request->count; i++)
    numbers[i] = (int)values[i];
  return fake_set(request->count, numbers) ? 0 : -1;
}

static inline void gpiod_line_request_release(struct gpiod_line_request *request) { free(request); }

static inline struct gpiod_line_info *gpiod_chip_get_line_info(struct gpiod_chip *chip, unsigned offset) {
  struct gpiod_line_info *info = chip && offset < 54 ? malloc(sizeof *info) : NULL;
  if (info)
    info->offset = offset;
  return info;
}

static inline void gpiod_line_info_free(struct gpiod_line_info *info) { free(info); }

static inline bool gpiod_line_info_is_used(struct gpiod_line_info *info) { return info->offset == FAKE_USED; }

static inline const char *gpiod_line_info_get_consumer(struct gpiod_line_info *info) {
  return fake_consumer(info->offset);
}

#endif
