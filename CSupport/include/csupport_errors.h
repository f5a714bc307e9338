// What an errno means and what the system calls it: here, because Embedded Swift knows no errno.
#ifndef CSUPPORT_ERRORS_H
#define CSUPPORT_ERRORS_H

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
  CSUPPORT_NOT_SUCH = 8,         // ENOTTY, EISDIR, EINVAL, ENOTDIR: something else than what was asked for
};

// The meaning of `code`, an errno.
enum csupport_meaning csupport_meaning(int code);

// What `code`, an errno, means, in the system's English words; never NULL.
const char *csupport_error_text(int code);

#endif
