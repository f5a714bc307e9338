// Files of one line: tokens, passwords, the number of a computer. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_FILE_H
#define CSUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads the first line of a file, at most `size` bytes, without the blanks around it. Returns its length or -errno;
// -EFBIG if it is longer.
int csupport_file_first_line(const char *path, void *bytes, size_t size);

// Whether `code` is EFBIG: the line is longer than there was room for.
bool csupport_file_is_too_long(int code);

#endif
