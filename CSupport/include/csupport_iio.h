// The files of the kernel's industrial I/O. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_IIO_H
#define CSUPPORT_IIO_H

#include <stdbool.h>
#include <stddef.h>

// Writes `count` bytes to an existing file. Returns 0 or -errno.
int csupport_iio_write(const char *path, const void *bytes, size_t count);

// Finds entry `index` of a folder, from 0, among those whose names end in `_en`: puts the rest of the name, at most
// `size` bytes, into `name`. Returns its length; 0 if there are not so many, or -errno.
int csupport_iio_element(const char *folder, int index, void *name, size_t size);

// Opens the character device of a buffer, without waiting for data. Returns the descriptor or -errno.
int csupport_iio_open(const char *path);

// Reads what waits in the buffer, at most `size` bytes. Returns how many; 0 if nothing waits, or -errno; -ENODEV if
// nothing will ever come.
int csupport_iio_take(int buffer, void *bytes, size_t size);

// Whether there is a file, without reading it.
bool csupport_iio_exists(const char *path);

// Makes a folder of configfs; one that exists is as good. Returns 0 or -errno.
int csupport_iio_make(const char *path);

// Removes it.
void csupport_iio_remove(const char *path);

// What an errno of these files means.
enum csupport_iio_meaning {
  CSUPPORT_IIO_OTHER = 0,
  CSUPPORT_IIO_ABSENT = 1,        // ENOENT, ENOTDIR
  CSUPPORT_IIO_GONE = 2,          // ENODEV, ENXIO
  CSUPPORT_IIO_BUSY = 3,          // EBUSY
  CSUPPORT_IIO_NOT_PERMITTED = 4, // EACCES, EPERM, EROFS
};

enum csupport_iio_meaning csupport_iio_meaning(int code);

#endif
