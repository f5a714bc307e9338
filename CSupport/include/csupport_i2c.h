// I2C transactions through Linux's i2c-dev. Swift needs this because ioctl is variadic and because a combined
// write-then-read is either one I2C_RDWR ioctl or, where the adapter cannot do that, an SMBus call of libi2c.
#ifndef CSUPPORT_I2C_H
#define CSUPPORT_I2C_H

#include <stddef.h>
#include <stdint.h>

// The calls below this shim. A table of them, so that tests can stand in for the kernel; see csupport_i2c_open_with.
// `control` is ioctl with its error folded in (a value or -errno); the others have libi2c's own signatures.
struct csupport_i2c_calls {
  int (*control)(int fd, unsigned long request, void *argument);
  int (*read_block)(int fd, uint8_t command, uint8_t length, uint8_t *values);
  int (*write_block)(int fd, uint8_t command, uint8_t length, const uint8_t *values);
  int (*write_byte)(int fd, uint8_t value);
};

// One open bus. Held by value: nothing is allocated.
struct csupport_i2c {
  int fd;                                 // -1 when closed
  uint32_t functions;                     // the adapter's I2C_FUNC_… bits
  int32_t address;                        // the target that the handle is set to, -1 for none yet
  const struct csupport_i2c_calls *calls; // the system's
};

// How one transaction can be done on an adapter.
enum csupport_i2c_way {
  CSUPPORT_I2C_COMBINED = 1, // I2C_RDWR: what the adapter does natively
  CSUPPORT_I2C_SMBUS = 2,    // a libi2c call with the same bytes on the wire
};

// The way to write `written` bytes and then read `received` (0: a mere write), or -EINVAL, -EOPNOTSUPP.
// A function of its own because the choice depends on numbers alone, and so can be tested without a bus.
int csupport_i2c_way(uint32_t functions, size_t written, size_t received);

// Opens a bus and asks what its adapter can do. Returns 0 or -errno; -ENOTTY where `path` is no I2C bus.
// On failure the handle is closed.
int csupport_i2c_open(struct csupport_i2c *bus, const char *path);

// The same on a descriptor that is open already and on calls that the caller supplies: the seam for tests.
int csupport_i2c_open_with(struct csupport_i2c *bus, int fd, const struct csupport_i2c_calls *calls);

// Closes the bus; may be called twice.
void csupport_i2c_close(struct csupport_i2c *bus);

// Sets the handle to a target. Returns -EBUSY when a kernel driver is bound to the address: I2C_RDWR does not look.
// Costs a system call only when the address changes; the functions below call it themselves.
int csupport_i2c_claim(struct csupport_i2c *bus, uint8_t address);

// Writes `count` bytes in one transaction, in one system call. Returns 0 or -errno.
int csupport_i2c_write(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count);

// Writes `count` bytes, then reads `capacity` bytes after a repeated start, in one system call.
// Returns the number of bytes read, which may be short of `capacity` on an SMBus adapter, or -errno.
int csupport_i2c_write_read(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                            uint8_t *buffer, size_t capacity);

#endif
