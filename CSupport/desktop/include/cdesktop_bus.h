// net.hadess.SensorProxy on the system bus, over libdbus-1: the protocol and who has claimed; what the values are is
// the caller's. One provider for each process. Nothing blocks, except connect(2) to the bus's socket, and whatever a
// client sends or does not read, the memory is bounded.
#ifndef CDESKTOP_BUS_H
#define CDESKTOP_BUS_H

#include <stdbool.h>

// Connects to the bus at DBUS_SYSTEM_BUS_ADDRESS, or the system's, and requests the name, which it gives up to any
// program that asks to replace it. Returns NULL, or why there is no bus; valid until the next call.
const char *cdesktop_bus_open(void);

// Gives up the name and ends the connection, if there is one.
void cdesktop_bus_close(void);

// A descriptor that is readable when something has arrived; -1 without a connection. Do not read or close it.
int cdesktop_bus_descriptor(void);

// What has happened to the name.
enum cdesktop_bus_news {
  CDESKTOP_BUS_NOTHING = 0,
  CDESKTOP_BUS_OWNED = 1,  // this program has it now
  CDESKTOP_BUS_TAKEN = 2,  // another program has it; CDESKTOP_BUS_OWNED follows when that ends
  CDESKTOP_BUS_DENIED = 3, // the bus does not let this user own it
  CDESKTOP_BUS_CLOSED = 4, // the connection has ended: cdesktop_bus_close it
};

// The result of a turn.
struct cdesktop_bus_turn {
  enum cdesktop_bus_news news;
  int claims;       // of the accelerometer, with or without a reply yet
  bool has_arrived; // more has arrived, which the descriptor need not show: take the next turn at once
  bool is_waiting;  // the bus does not take what is to be sent: take the next turn soon
};

// Sends and receives, replies to calls, and sends the two values to each client that has claimed the accelerometer and
// does not know them. Values are numbers of undefined (0); normal, bottom-up, left-up, right-up; face-down,
// tilted-down, vertical, tilted-up, face-up. A claim has its reply once something has been measured.
struct cdesktop_bus_turn cdesktop_bus_turn(unsigned orientation, unsigned tilt, bool is_measured);

#endif
