// What the preloaded library (Preload, C) needs from the emulated bus (Bridge, Swift). The requests and structures are
// the kernel's.
//
// One call at a time: the caller holds a lock, as the kernel does for an adapter.
#ifndef PLUMB_BRIDGE_H
#define PLUMB_BRIDGE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The size limit of one message in i2c-dev, which truncates a longer read() or write() and refuses a longer I2C_RDWR.
enum { PLUMB_BRIDGE_LONGEST_MESSAGE = 8192 };

// Creates the bus, once per process; later calls do nothing.
//
// `description` lists the sensors and what they measure (see BusDescription.swift); NULL if it is not given. `journal`
// is a file through which several processes share one bus, or NULL for a bus of only this process. `adapter` names the
// adapter to imitate (see AdapterKind in Adapter.swift), or is NULL for the usual one. Returns 0, or -ENODEV after an
// error message on standard error.
int plumb_bridge_start(const char *description, const char *journal, const char *adapter);

// Handles an ioctl request on an open file whose target address is `*address` as i2c-dev would on a Raspberry Pi.
// Returns a value or -errno; -ENOTTY for a request that is not for I2C.
int plumb_bridge_control(uint16_t *address, unsigned long request, void *argument);

// Reads from the target at `address`; returns the number of bytes or -errno.
//
//     S | addr+R | r0 ... rm | P
ssize_t plumb_bridge_read(uint16_t address, void *buffer, size_t count);

// Writes to the target at `address`; returns the number of bytes or -errno.
//
//     S | addr+W | b0 ... bn | P
ssize_t plumb_bridge_write(uint16_t address, const void *bytes, size_t count);

// Locks or unlocks bytes of the bus for this process, as fcntl's F_SETLK does; with `asks`, as its F_GETLK does.
// Processes with the same journal see each other's locks; without one there are no others. Returns 0 or -errno.
int plumb_bridge_lock(bool asks, struct flock *lock);

// Unlocks all bytes of the bus that this process has locked.
void plumb_bridge_unlock(void);

#endif
