#define _GNU_SOURCE // O_CLOEXEC

#include "csupport_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum csupport_meaning csupport_meaning(int code) {
  switch (code) {
  case EREMOTEIO:
  case ENXIO:
  case ENODEV:
    return CSUPPORT_NO_ACKNOWLEDGE;
  case ETIMEDOUT:
    return CSUPPORT_TIMED_OUT;
  case EAGAIN:
    return CSUPPORT_ARBITRATION_LOST;
  case EOPNOTSUPP:
    return CSUPPORT_UNSUPPORTED;
  case EACCES:
  case EPERM:
    return CSUPPORT_NOT_PERMITTED;
  case EBUSY:
    return CSUPPORT_BUSY;
  case ENOENT:
  case EBADF:
    return CSUPPORT_UNAVAILABLE;
  case EINTR:
    return CSUPPORT_INTERRUPTED;
  case ENOTTY:
  case EISDIR:
  case EINVAL:
  case ENOTDIR:
    return CSUPPORT_NOT_SUCH;
  default:
    return CSUPPORT_OTHER;
  }
}

uint32_t csupport_i2c_frequency(const char *path) {
  static const char prefix[] = "/dev/i2c-";
  char name[96];
  // One byte more than there may be: a longer property is another one.
  unsigned char cell[5];
  const char *number = path + strlen(prefix);
  if (strncmp(path, prefix, strlen(prefix)) != 0 || *number == '\0' || strspn(number, "0123456789") != strlen(number))
    return 0;
  int length = snprintf(name, sizeof name, "/sys/class/i2c-adapter/i2c-%s/of_node/clock-frequency", number);
  if (length < 0 || (size_t)length >= sizeof name)
    return 0;
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t count = read(file, cell, sizeof cell);
  close(file);
  return count == 4 ? (uint32_t)cell[0] << 24 | (uint32_t)cell[1] << 16 | (uint32_t)cell[2] << 8 | cell[3] : 0;
}
