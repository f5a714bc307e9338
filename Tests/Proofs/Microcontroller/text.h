// Text without a C library: one line at a time, built in place.
#pragma once

#include <stdint.h>

/// A line under construction; what does not fit is dropped.
typedef struct {
  char bytes[120];
  uint32_t length;
} line_t;

/// Appends a word.
void line_text(line_t *line, const char *text);

/// Appends a blank and a decimal number.
void line_number(line_t *line, uint32_t value);

/// Appends a blank and 16 hexadecimal digits.
void line_hash(line_t *line, uint64_t value);

/// Ends the line and returns it, with its line feed, as a C string.
const char *line_end(line_t *line);
