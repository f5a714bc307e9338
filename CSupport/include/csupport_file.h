// Single-line files: tokens, passwords, the ID of a computer; and what all files and devices have in common. In C
// because Embedded Swift has no libc.
#ifndef CSUPPORT_FILE_H
#define CSUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads the first line of a file, at most `size` bytes, without surrounding blanks. Returns its length or -errno;
// -EFBIG if it is longer.
int csupport_file_first_line(const char *path, void *bytes, size_t size);

// Writes `count` bytes in one call, which is repeated if a signal interrupts it, but not without end; `at_start` in
// place of the first ones. Returns 0 or -errno; -EIO if only some were taken.
int csupport_file_write(int descriptor, const void *bytes, size_t count, bool at_start);

// Closes the descriptor of a file or a device.
void csupport_file_close(int descriptor);

// Whether `code` is EFBIG: the line is longer than the buffer.
bool csupport_file_is_too_long(int code);

#endif
