// The kernel's frame buffer of an LED matrix. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_FRAME_H
#define CSUPPORT_FRAME_H

#include <stddef.h>
#include <stdint.h>

// Opens the frame buffer called `name`, which `classes`/fbN/name has: `devices`/fbN, with N from 0 to 31 in `number`.
// Returns the descriptor or -errno; -ENODEV, with -1 in `number`, if no frame buffer has that name.
int csupport_frame_open(const char *classes, const char *devices, const char *name, int32_t *number);

// Replaces the first `count` bytes of the frame in one call. Returns 0 or -errno; -EIO if only some were taken.
int csupport_frame_write(int frame, const void *bytes, size_t count);

// Closes the frame buffer.
void csupport_frame_close(int frame);

#endif
