// What Linux says of buses, in a form that Embedded Swift can take: it has no errno, and opens no files.
#ifndef CSUPPORT_SYSTEM_H
#define CSUPPORT_SYSTEM_H

#include <stdint.h>

// What an errno means, of a transaction or of something that could not be opened.
enum csupport_meaning {
  CSUPPORT_OTHER = 0,
  CSUPPORT_NO_ACKNOWLEDGE = 1,   // EREMOTEIO (both Raspberry Pi controllers), ENXIO (bit-banged), ENODEV (i2c-stub)
  CSUPPORT_TIMED_OUT = 2,        // ETIMEDOUT
  CSUPPORT_ARBITRATION_LOST = 3, // EAGAIN
  CSUPPORT_UNSUPPORTED = 4,      // EOPNOTSUPP
  CSUPPORT_NOT_PERMITTED = 5,    // EACCES, EPERM
  CSUPPORT_BUSY = 6,             // EBUSY
  CSUPPORT_UNAVAILABLE = 7,      // ENOENT, EBADF
  CSUPPORT_INTERRUPTED = 9,      // EINTR
  CSUPPORT_NOT_SUCH = 8,         // ENOTTY, EISDIR, EINVAL, ENOTDIR: something else than what was asked for
};

// The meaning of `code`, an errno.
enum csupport_meaning csupport_meaning(int code);

// The clock frequency in hertz that the device tree gives the I2C adapter of `path`, which is "/dev/i2c-" and a number;
// 0 where it gives none.
uint32_t csupport_i2c_frequency(const char *path);

#endif
