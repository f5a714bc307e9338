#define _GNU_SOURCE // getdents64, O_CLOEXEC

#include "csupport_iio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// More than any folder of the kernel has.
enum { most_entries = 512, most_tries = 16 };

int csupport_iio_write(const char *path, const void *bytes, size_t count) {
  int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return -errno;
  ssize_t written = 0;
  int tries = 0;
  do
    written = write(file, bytes, count);
  while (written < 0 && errno == EINTR && ++tries < most_tries);
  int code = errno;
  close(file);
  if (written < 0)
    return -code;
  return (size_t)written == count ? 0 : -EIO;
}

// The length of `name` without `_en`; 0 if it does not end so.
static size_t stem(const char *name) {
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, "_en") == 0 ? length - 3 : 0;
}

// Without opendir, which has a heap.
int csupport_iio_element(const char *folder, int index, void *name, size_t size) {
  _Alignas(struct dirent64) char entries[1024];
  int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place < 0)
    return -errno;
  int seen = 0, result = 0;
  ssize_t count;
  while (result == 0 && seen < most_entries && (count = getdents64(place, entries, sizeof entries)) != 0) {
    if (count < 0) {
      result = -errno;
      break;
    }
    for (ssize_t at = 0; at < count && result == 0;) {
      const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
      size_t length = stem(entry->d_name);
      at += entry->d_reclen;
      seen++;
      if (length == 0 || index-- > 0)
        continue;
      result = length > size ? -ENAMETOOLONG : (int)length;
      if (result > 0)
        memcpy(name, entry->d_name, length);
    }
  }
  close(place);
  return result;
}

int csupport_iio_open(const char *path) {
  int buffer = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return buffer < 0 ? -errno : buffer;
}

int csupport_iio_take(int buffer, void *bytes, size_t size) {
  ssize_t count = 0;
  int tries = 0;
  do
    count = read(buffer, bytes, size);
  while (count < 0 && errno == EINTR && ++tries < most_tries);
  if (count < 0)
    return errno == EAGAIN ? 0 : -errno;
  return count == 0 ? -ENODEV : (int)count;
}

bool csupport_iio_exists(const char *path) { return access(path, F_OK) == 0; }

int csupport_iio_make(const char *path) { return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0; }

void csupport_iio_remove(const char *path) { rmdir(path); }

enum csupport_iio_meaning csupport_iio_meaning(int code) {
  switch (code) {
  case ENOENT:
  case ENOTDIR:
    return CSUPPORT_IIO_ABSENT;
  case ENODEV:
  case ENXIO:
    return CSUPPORT_IIO_GONE;
  case EBUSY:
    return CSUPPORT_IIO_BUSY;
  case EACCES:
  case EPERM:
  case EROFS:
    return CSUPPORT_IIO_NOT_PERMITTED;
  default:
    return CSUPPORT_IIO_OTHER;
  }
}
