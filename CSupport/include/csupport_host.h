// Names and secrets of the computer. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_HOST_H
#define CSUPPORT_HOST_H

#include <stdbool.h>
#include <stddef.h>

// The name of this computer, cut to `size` bytes with its NUL. Returns its length or -errno.
int csupport_host_name(char *name, size_t size);

// Writes the path of a secret that the service manager has passed on: the file in $CREDENTIALS_DIRECTORY with the last
// part of `path` as its name, in `size` bytes with its NUL. Returns its length; 0 if there is no such file, or its
// first line is empty (which the unit passes on for a missing file); or -ENAMETOOLONG.
int csupport_host_credential(const char *path, char *credential, size_t size);

// Whether every user of this computer may read the file at `path`.
bool csupport_host_is_public(const char *path);

#endif
