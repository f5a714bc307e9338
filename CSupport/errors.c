#define _GNU_SOURCE // strerrordesc_np

#include "csupport_errors.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

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
  case ENOTTY:
  case EISDIR:
  case EINVAL:
  case ENOTDIR:
    return CSUPPORT_NOT_SUCH;
  default:
    return CSUPPORT_OTHER;
  }
}

const char *csupport_error_text(int code) {
  const char *text = strerrordesc_np(code);
  return text ? text : "an unknown error";
}
