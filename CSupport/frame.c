#define _GNU_SOURCE // O_CLOEXEC under -std=c11

#include "csupport_file.h"
#include "csupport_frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The kernel's limit (FB_MAX).
enum { most_frames = 32 };

int csupport_frame_open(const char *classes, const char *devices, const char *name, int32_t *number) {
  char path[128], found[64];
  for (int index = 0; index < most_frames; index++) {
    snprintf(path, sizeof path, "%s/fb%d/name", classes, index);
    int length = csupport_file_first_line(path, found, sizeof found);
    if (length < 0 || (size_t)length != strlen(name) || memcmp(found, name, (size_t)length) != 0)
      continue;
    *number = index;
    snprintf(path, sizeof path, "%s/fb%d", devices, index);
    int frame = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    return frame < 0 ? -errno : frame;
  }
  *number = -1;
  return -ENODEV;
}
