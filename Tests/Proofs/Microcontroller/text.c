#include "text.h"

static void append(line_t *line, char byte) {
  // Two are reserved for the line feed and the zero.
  if (line->length < sizeof line->bytes - 2) {
    line->bytes[line->length++] = byte;
  }
}

void line_text(line_t *line, const char *text) {
  while (*text) {
    append(line, *text++);
  }
}

void line_number(line_t *line, uint32_t value) {
  char digits[10];
  uint32_t count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  append(line, ' ');
  while (count) {
    append(line, digits[--count]);
  }
}

void line_hash(line_t *line, uint64_t value) {
  append(line, ' ');
  for (int shift = 60; shift >= 0; shift -= 4) {
    append(line, "0123456789abcdef"[(value >> shift) & 15]);
  }
}

const char *line_end(line_t *line) {
  line->bytes[line->length] = '\n';
  line->bytes[line->length + 1] = 0;
  return line->bytes;
}
