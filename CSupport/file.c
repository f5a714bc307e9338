#define _GNU_SOURCE // O_CLOEXEC and pwrite under -std=c11

#include "csupport_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int csupport_file_first_line(const char *path, void *bytes, size_t size) {
  char text[512];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return -errno;
  ssize_t count = read(file, text, sizeof text);
  int code = errno;
  close(file);
  if (count < 0)
    return -code;
  const char *end = memchr(text, '\n', (size_t)count);
  const char *start = text;
  if (end == NULL)
    end = text + count;
  while (start < end && is_blank(*start))
    start++;
  while (end > start && is_blank(end[-1]))
    end--;
  size_t length = (size_t)(end - start);
  if (length > size)
    return -EFBIG;
  memcpy(bytes, start, length);
  return (int)length;
}

int csupport_file_write(int descriptor, const void *bytes, size_t count, bool at_start) {
  enum { most_tries = 8 };
  ssize_t written = 0;
  int tries = 0;
  do
    written = at_start ? pwrite(descriptor, bytes, count, 0) : write(descriptor, bytes, count);
  while (written < 0 && errno == EINTR && ++tries < most_tries);
  if (written < 0)
    return -errno;
  return (size_t)written == count ? 0 : -EIO;
}

void csupport_file_close(int descriptor) { close(descriptor); }

bool csupport_file_is_too_long(int code) { return code == EFBIG; }
