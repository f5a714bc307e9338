// The meaning of an errno and its text. In C because Embedded Swift has no errno.
#ifndef CSUPPORT_ERRORS_H
#define CSUPPORT_ERRORS_H

// The meaning of an errno of a transaction or of opening a device.
enum csupport_meaning {
  CSUPPORT_OTHER = 0,
  CSUPPORT_NO_ACKNOWLEDGE = 1,   // EREMOTEIO (both Raspberry Pi controllers), ENXIO (bit-banged), ENODEV (i2c-stub)
  CSUPPORT_TIMED_OUT = 2,        // ETIMEDOUT
  CSUPPORT_ARBITRATION_LOST = 3, // EAGAIN
  CSUPPORT_UNSUPPORTED = 4,      // EOPNOTSUPP
  CSUPPORT_NOT_PERMITTED = 5,    // EACCES, EPERM
  CSUPPORT_BUSY = 6,             // EBUSY
  CSUPPORT_UNAVAILABLE = 7,      // ENOENT, EBADF
  CSUPPORT_NOT_SUCH = 8,         // ENOTTY, EISDIR, EINVAL, ENOTDIR: something other than requested
};

// The meaning of `code`, an errno.
enum csupport_meaning csupport_meaning(int code);

// The system's English text for `code`, an errno; never NULL.
const char *csupport_error_text(int code);

#endif
