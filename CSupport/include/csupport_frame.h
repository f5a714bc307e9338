// The kernel's frame buffer of an LED matrix. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_FRAME_H
#define CSUPPORT_FRAME_H

#include <stddef.h>
#include <stdint.h>

// Opens the frame buffer called `name`, which `classes`/fbN/name has: `devices`/fbN, with N from 0 to 31 in `number`.
// Returns the descriptor or -errno; -ENODEV, with -1 in `number`, if no frame buffer has that name.
int csupport_frame_open(const char *classes, const char *devices, const char *name, int32_t *number);

#endif
