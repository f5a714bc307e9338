// What a diagnosis asks of Linux. In C because Embedded Swift has no libc, and because GPIO chips are queried by
// ioctl. Nothing here changes anything, and nothing allocates.
#ifndef CSUPPORT_VIEW_H
#define CSUPPORT_VIEW_H

#include <stddef.h>
#include <stdint.h>

// Reads the first `size` bytes of the file at `path`. Returns how many there were, or -errno.
int csupport_view_read(const char *path, void *buffer, size_t size);

// Opens the device at `path` for reading and writing, and closes it. Returns 0 or -errno.
int csupport_view_open(const char *path);

// What a user has to do with a group.
enum csupport_membership {
  CSUPPORT_NO_SUCH_GROUP = 0,
  CSUPPORT_NO_MEMBER = 1,
  // A member by /etc/group, which this process does not know of: it is older.
  CSUPPORT_MEMBER_AT_NEXT_LOGIN = 2,
  CSUPPORT_MEMBER = 3,
};

// What this process has to do with the group `name`. Reads /etc/group and /etc/passwd themselves, because a static
// program must not use the name service.
enum csupport_membership csupport_view_group(const char *name);

// As many bytes as the kernel gives names of chips and of holders, their NUL among them.
enum { CSUPPORT_VIEW_NAME = 32 };

// The label of /dev/gpiochip`number` in `label`, of CSUPPORT_VIEW_NAME bytes, and its number of lines.
// Returns 0 or -errno: -ENOENT where there is none of that number.
int csupport_view_chip(int number, char *label, uint32_t *lines);

// Whether a line of /dev/gpiochip`number` is in use, and by whom in `holder`, of CSUPPORT_VIEW_NAME bytes, empty where
// the holder gave no name. Returns 1 where it is, 0 where it is free, or -errno.
int csupport_view_line(int number, uint32_t offset, char *holder);

#endif
