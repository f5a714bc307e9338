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

// How often a call that a signal interrupts is tried, in all. A transaction takes milliseconds, so not even a stream of
// signals interrupts so many in a row; an adapter that always answers EINTR is a fault.
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

// Who has made a sensor its own.
struct csupport_i2c_owner {
  bool is_other;   // whether another handle owns it; false too where a kernel driver has it
  int32_t process; // 0 where that is not known: the process runs in another container
  char name[32];   // the program's name, of a plumb with its command; printable ASCII; empty where it is not known
};

// Claims `address` and makes the sensor there this handle's own, until the handle is closed or the process ends. The
// lock lies on the device node, where it needs no file and no permission that the bus does not need: an open file
// description lock on byte `address`, and on byte 128 + `address` one of the process, which names it to others. Both
// are advisory: transactions do not look at them.
//
// Returns 0, or -errno: -EBUSY if a kernel driver is bound to the address, or another handle owns it, which `owner`
// then says, and whose it is. A node that takes no locks is not locked, and that is no error.
int csupport_i2c_own(struct csupport_i2c *bus, uint8_t address, struct csupport_i2c_owner *owner);

// Writes `count` bytes in one transaction, in one system call. Returns 0 or -errno.
int csupport_i2c_write(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count);

// Writes `count` bytes, then reads `capacity` bytes after a repeated start, in one system call.
// Returns the number of bytes read, which may be fewer than `capacity` on an SMBus adapter, or -errno.
int csupport_i2c_write_read(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                            uint8_t *buffer, size_t capacity);

// How many reads of `length` bytes the adapter joins to one transaction, as far as is known: 1 to 21, as the kernel
// takes 42 messages. An adapter that cannot, such as the BCM2835's, is known only once it has refused.
size_t csupport_i2c_joined_reads(const struct csupport_i2c *bus);

// `reads` times: writes `count` bytes, then reads `length` bytes after a repeated start; all in one transaction and one
// system call, one read behind the other in `buffer`. Returns 0 or -errno: -EOPNOTSUPP, before anything is transferred,
// if the adapter cannot; csupport_i2c_joined_reads is 1 from then on.
int csupport_i2c_write_reads(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                             uint8_t *buffer, size_t length, size_t reads);

#endif
