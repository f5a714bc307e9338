// The serial line of a board with Plumb's firmware, opened without ever blocking. csupport_socket.h receives, sends and
// closes.
#ifndef CSUPPORT_SERIAL_H
#define CSUPPORT_SERIAL_H

#include <stddef.h>

// Writes the name of the board with this index, from 0, among the serial devices that the system lists by what they
// are, and a zero. Opens none of them. Returns the length of the name, or 0 if there is no such board.
int csupport_serial_name(int index, char *name, size_t size);

// The folder with those names: /dev/serial/by-id, or the one that PLUMB_SERIAL in the environment names.
const char *csupport_serial_folder(void);

// Opens the device `path`, or the only board if that is empty, for this program alone: 115,200 baud, 8N1, raw. Its DTR
// falls when it is closed. Returns a descriptor or -errno: EBUSY if another program uses it, ENOTTY if it is no serial
// device, ENOENT if there is none, ENOTUNIQ if there are several boards.
int csupport_serial_open(const char *path);

// Why a serial line cannot be opened; each cause needs a different remedy.
enum csupport_serial_trouble {
  CSUPPORT_SERIAL_OTHER = 0,
  CSUPPORT_SERIAL_ABSENT = 1,        // ENOENT, ENOTDIR, ENXIO, ENODEV, EIO: not plugged in
  CSUPPORT_SERIAL_SEVERAL = 2,       // ENOTUNIQ
  CSUPPORT_SERIAL_IN_USE = 3,        // EBUSY
  CSUPPORT_SERIAL_NOT_PERMITTED = 4, // EACCES, EPERM
  CSUPPORT_SERIAL_NOT_A_LINE = 5,    // ENOTTY
};
enum csupport_serial_trouble csupport_serial_trouble(int code);

#endif
