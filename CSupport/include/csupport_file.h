// Single-line files: tokens, passwords, the ID of a computer. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_FILE_H
#define CSUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads the first line of a file, at most `size` bytes, without surrounding blanks. Returns its length or -errno;
// -EFBIG if it is longer.
int csupport_file_first_line(const char *path, void *bytes, size_t size);

// Whether `code` is EFBIG: the line is longer than the buffer.
bool csupport_file_is_too_long(int code);

#endif
