// The serial line of a board with Plumb's firmware, opened without ever blocking. csupport_socket.h receives, sends and
// closes.
#ifndef CSUPPORT_SERIAL_H
#define CSUPPORT_SERIAL_H

#include <stddef.h>

// Writes the path of the board with this index, from 0, among the serial devices that the system lists by what they
// are: in /dev/serial/by-id, or in the folder that PLUMB_SERIAL in the environment names. Opens none of them. Returns
// the length of the path, or 0 if there is no such board.
int csupport_serial_board(int index, char *path, size_t size);

// Opens the device `path`, or the only board if that is empty, for this program alone: 115,200 baud, 8N1, raw. Its DTR
// falls when it is closed. Returns a descriptor or -errno: EBUSY if another program uses it, ENOTTY if it is no serial
// device, ENOENT if there is none, ENOTUNIQ if there are several boards; csupport_connect_trouble knows them.
int csupport_serial_open(const char *path);

#endif
