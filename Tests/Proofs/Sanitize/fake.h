// A kernel for the C shim under sanitizers: three GPIO chips, an I2C adapter, uinput, users and groups. The linker
// redirects the shim's calls of open, ioctl and scandir here (--wrap), so that the sanitizers' own versions stay in
// place.
#ifndef FAKE_H
#define FAKE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The line that another program uses.
enum { FAKE_USED = 7 };

// The result of the next request or setting of lines: 0, or an errno.
extern int fake_trouble;
// The levels set last, and the consumer's name.
extern uint32_t fake_levels;
extern char fake_name[64];
extern bool fake_is_low;
// The folder of /etc/passwd and /etc/group.
extern char fake_folder[64];
// How many more requests uinput accepts; below 0 all.
extern int fake_left;

// Whether `path` is a chip that may be opened; sets errno if not.
bool fake_opens(const char *path);
const char *fake_label(const char *path);
const char *fake_consumer(unsigned offset);
bool fake_has(unsigned lines, const unsigned *offsets, unsigned count);
bool fake_request(unsigned count, const char *consumer, bool is_low, const int *values);
bool fake_set(unsigned count, const int *values);

#endif
