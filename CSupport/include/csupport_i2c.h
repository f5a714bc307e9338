// I2C transactions through Linux's i2c-dev. Swift needs this because ioctl is variadic and because a combined
// write-then-read is either one I2C_RDWR ioctl or, if the adapter cannot do that, an SMBus call of libi2c.
#ifndef CSUPPORT_I2C_H
#define CSUPPORT_I2C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The system calls of this shim, in a table so that tests can replace the kernel; see csupport_i2c_open_with. `control`
// is ioctl, with its result and error in one (a value or -errno); the others have libi2c's signatures.
struct csupport_i2c_calls {
  int (*control)(int fd, unsigned long request, void *argument);
  int (*read_block)(int fd, uint8_t command, uint8_t length, uint8_t *values);
  int (*write_block)(int fd, uint8_t command, uint8_t length, const uint8_t *values);
  int (*write_byte)(int fd, uint8_t value);
};

// An open bus. A value: nothing is allocated.
struct csupport_i2c {
  int fd;                                 // -1 when closed
  uint32_t functions;                     // the adapter's I2C_FUNC_… bits
  int32_t address;                        // the target of the handle, -1 for none yet
  const struct csupport_i2c_calls *calls; // the system's
  bool refuses_joined;                    // whether the adapter has refused several reads in one transaction
};

// The maximum number of attempts for a call that a signal interrupts. A transaction takes milliseconds, so not even a
// stream of signals interrupts that many in a row; an adapter that always returns EINTR is at fault.
enum { CSUPPORT_I2C_MOST_TRIES = 8 };

// The way to do a transaction on an adapter.
enum csupport_i2c_way {
  CSUPPORT_I2C_COMBINED = 1, // I2C_RDWR: native support in the adapter
  CSUPPORT_I2C_SMBUS = 2,    // a libi2c call with the same bytes on the wire
};

// The way to write `written` bytes and then read `received` (0: only write), or -EINVAL, -EOPNOTSUPP.
// A separate function because the choice depends only on numbers, and can be tested without a bus.
int csupport_i2c_way(uint32_t functions, size_t written, size_t received);

// Opens a bus and reads what its adapter supports. Returns 0 or -errno; -ENOTTY if `path` is not an I2C bus.
// After an error the handle is closed.
int csupport_i2c_open(struct csupport_i2c *bus, const char *path);

// The same on an open descriptor and with calls that the caller provides, for tests.
int csupport_i2c_open_with(struct csupport_i2c *bus, int fd, const struct csupport_i2c_calls *calls);

// Closes the bus; may be called twice.
void csupport_i2c_close(struct csupport_i2c *bus);

// Sets the target of the handle. Returns -EBUSY if a kernel driver is bound to the address, which I2C_RDWR does not
// check. Takes a system call only if the address changes; the functions below call it.
int csupport_i2c_claim(struct csupport_i2c *bus, uint8_t address);

// The owner of a sensor.
struct csupport_i2c_owner {
  bool is_other;   // whether another handle owns it; also false if a kernel driver uses it
  int32_t process; // 0 if unknown: the process runs in another container
  char name[32];   // the program's name, for plumb with its command; printable ASCII; empty if unknown
};

// Claims `address` and makes this handle the owner of the sensor there, until the handle is closed or the process ends.
// The lock is on the device node, so it needs no file and no further permission than the bus: an open file description
// lock on byte `address`, and a process lock on byte 128 + `address`, which identifies the owner to others. Both are
// advisory: transactions do not check them.
//
// Returns 0, or -errno: -EBUSY if a kernel driver is bound to the address, or if another handle owns it, which is then
// described in `owner`. A node without support for locks is not locked; this is not an error.
int csupport_i2c_own(struct csupport_i2c *bus, uint8_t address, struct csupport_i2c_owner *owner);

// Writes `count` bytes in one transaction, in one system call. Returns 0 or -errno.
int csupport_i2c_write(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count);

// Writes `count` bytes, then reads `capacity` bytes after a repeated start, in one system call.
// Returns the number of bytes read, which may be fewer than `capacity` on an SMBus adapter, or -errno.
int csupport_i2c_write_read(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                            uint8_t *buffer, size_t capacity);

// How many reads of `length` bytes the adapter can combine in one transaction, as far as is known: 1 to 21, because the
// kernel accepts 42 messages. That an adapter, such as the BCM2835's, cannot combine reads is known only once it has
// refused.
size_t csupport_i2c_joined_reads(const struct csupport_i2c *bus);

// `reads` times: writes `count` bytes, then reads `length` bytes after a repeated start; all in one transaction and one
// system call, with the reads one after the other in `buffer`. Returns 0 or -errno: -EOPNOTSUPP, before anything is
// transferred, if the adapter cannot do this; csupport_i2c_joined_reads is 1 from then on.
int csupport_i2c_write_reads(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                             uint8_t *buffer, size_t length, size_t reads);

#endif
