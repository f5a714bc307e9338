#define _GNU_SOURCE // getdents64, cfmakeraw, O_CLOEXEC

#include "csupport_serial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

// Without opendir, which has a heap.
int csupport_serial_board(int index, char *path, size_t size) {
  static const char maker[] = "usb-Plumb_";
  _Alignas(struct dirent64) char entries[1024];
  const char *place = getenv("PLUMB_SERIAL");
  if (!place || !*place)
    place = "/dev/serial/by-id";
  int folder = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int length = 0;
  ssize_t count = 0;
  while (folder >= 0 && length == 0 && (count = getdents64(folder, entries, sizeof entries)) > 0) {
    for (ssize_t at = 0; at < count && length == 0;) {
      const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
      at += entry->d_reclen;
      if (strncmp(entry->d_name, maker, sizeof maker - 1) == 0 && index-- == 0)
        length = snprintf(path, size, "%s/%s", place, entry->d_name);
    }
  }
  if (folder >= 0)
    close(folder);
  return (size_t)length < size ? length : 0;
}

// Makes an open device a raw line of this program alone. Returns 0 or an errno.
static int prepare(int line, dev_t device) {
  struct termios settings;
  int is_taken = 0;
  if (tcgetattr(line, &settings) < 0)
    return ENOTTY;
  if (flock(line, LOCK_EX | LOCK_NB) < 0)
    return errno == EWOULDBLOCK ? EBUSY : errno;
  // Root may open what another program has for itself.
  if (ioctl(line, TIOCGEXCL, &is_taken) == 0 && is_taken)
    return EBUSY;
  // A pseudo-terminal (major 136 to 143) would stay so after this program has ended; there the lock must do.
  unsigned kind = major(device);
  if ((kind < 136 || kind > 143) && ioctl(line, TIOCEXCL) < 0)
    return errno;
  cfmakeraw(&settings);
  settings.c_iflag &= ~(tcflag_t)(IXOFF | IXANY);
  settings.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
  settings.c_cflag |= CREAD | CLOCAL | HUPCL;
  // With 0, nothing at present would look like the end.
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  cfsetspeed(&settings, B115200);
  if (tcsetattr(line, TCSANOW, &settings) < 0)
    return errno;
  // What came before is not the present.
  return tcflush(line, TCIOFLUSH) < 0 ? errno : 0;
}

int csupport_serial_open(const char *path) {
  char found[512], other[512];
  if (!*path) {
    if (csupport_serial_board(0, found, sizeof found) == 0)
      return -ENOENT;
    if (csupport_serial_board(1, other, sizeof other) > 0)
      return -ENOTUNIQ;
    path = found;
  }
  struct stat status;
  if (stat(path, &status) < 0)
    return -errno;
  if (!S_ISCHR(status.st_mode))
    return -ENOTTY;
  int line = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (line < 0)
    return -errno;
  int code = prepare(line, status.st_rdev);
  if (code == 0)
    return line;
  close(line);
  return -code;
}
