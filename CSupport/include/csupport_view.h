// What a diagnosis needs from Linux. In C because Embedded Swift has no libc, and because GPIO chips are queried by
// ioctl. Nothing here changes the system or allocates memory.
#ifndef CSUPPORT_VIEW_H
#define CSUPPORT_VIEW_H

#include <stddef.h>
#include <stdint.h>

// Reads the first `size` bytes of the file at `path`. Returns how many were read, or -errno.
int csupport_view_read(const char *path, void *buffer, size_t size);

// Opens the device at `path` for reading and writing, and closes it. Returns 0 or -errno.
int csupport_view_open(const char *path);

// The relation of a user to a group.
enum csupport_membership {
  CSUPPORT_NO_SUCH_GROUP = 0,
  CSUPPORT_NO_MEMBER = 1,
  // A member in /etc/group, but this process is older and does not have the group.
  CSUPPORT_MEMBER_AT_NEXT_LOGIN = 2,
  CSUPPORT_MEMBER = 3,
};

// The relation of this process to the group `name`. Reads /etc/group and /etc/passwd directly, because a static program
// must not use the name service.
enum csupport_membership csupport_view_group(const char *name);

// The size in bytes of the kernel's chip and consumer names, including NUL.
enum { CSUPPORT_VIEW_NAME = 32 };

// The label of /dev/gpiochip`number` in `label`, of CSUPPORT_VIEW_NAME bytes, and its number of lines.
// Returns 0 or -errno; -ENOENT if there is no such chip.
int csupport_view_chip(int number, char *label, uint32_t *lines);

// Whether a line of /dev/gpiochip`number` is in use, with its user's name in `holder`, of CSUPPORT_VIEW_NAME bytes,
// empty if it has none. Returns 1 if it is in use, 0 if it is free, or -errno.
int csupport_view_line(int number, uint32_t offset, char *holder);

#endif
