// What a desktop needs in C: the system bus over libdbus, input devices through /dev/uinput, and the tool of a
// compositor. Every function is prefixed cdesktop_, and returns a value or -errno. None blocks unless stated otherwise;
// nothing is for more than one thread.
#ifndef CDESKTOP_H
#define CDESKTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- bus.c: net.hadess.SensorProxy on the system bus, over libdbus-1: the protocol and who has claimed; what the
// values are is the caller's. One provider for each process. Nothing blocks, except connect(2) to the bus's socket, and
// whatever a client sends or does not read, the memory is bounded.

// Connects to the bus at DBUS_SYSTEM_BUS_ADDRESS, or the system's, and requests the name, which it gives up to any
// program that asks to replace it. Returns NULL, or a sentence why there is no bus; valid until the next call.
const char *cdesktop_bus_open(void);

// Gives up the name and ends the connection, if there is one.
void cdesktop_bus_close(void);

// The result of a turn.
struct cdesktop_bus_turn {
  const char *news; // a line for people on what has happened to the name or to the connection; NULL for nothing
  bool is_owned;    // the news is that this program has the name now; any other is trouble
  int claims;       // of the accelerometer, with or without a reply yet
  int descriptor;   // readable when something has arrived; -1 without a connection. Do not read or close it
  int wait;         // microseconds until the next turn: 0 if more has arrived, which the descriptor need not show;
                    // below 0, not before that is readable
};

// Connects if there is no connection, sends and receives, replies to calls, and sends the two values to each client
// that has claimed the accelerometer and does not know them. Closes the connection if the bus has ended it or denies
// the name. Values are numbers of undefined (0); normal, bottom-up, left-up, right-up; face-down, tilted-down,
// vertical, tilted-up, face-up. A claim has its reply once something has been measured.
struct cdesktop_bus_turn cdesktop_bus_turn(unsigned orientation, unsigned tilt, bool is_measured);

// ---- input.c: virtual input devices, through /dev/uinput.

// The devices. They disappear with their descriptors, even if the process is killed.
enum cdesktop_input_kind {
  CDESKTOP_INPUT_NONE = 0,
  CDESKTOP_INPUT_WHEEL = 1,  // a joystick: ABS_X and ABS_Y, two buttons
  CDESKTOP_INPUT_SCROLL = 2, // wheels, on what is otherwise a mouse
  CDESKTOP_INPUT_FORCE = 3,  // an accelerometer: ABS_X to ABS_Z
  CDESKTOP_INPUT_MOTION = 4, // the same with a gyroscope: ABS_RX to ABS_RZ
};

// The greatest value of an axis, and the most events that readers receive together.
enum { CDESKTOP_INPUT_END = 32767, CDESKTOP_INPUT_MOST_EVENTS = 8 };

// What an event is about: type and code of <linux/input-event-codes.h>, which Embedded Swift's compiler does not find.
enum {
  CDESKTOP_BTN_TRIGGER = 0x10120,
  CDESKTOP_BTN_THUMB = 0x10121,
  CDESKTOP_REL_HWHEEL = 0x20006,
  CDESKTOP_REL_WHEEL = 0x20008,
  CDESKTOP_REL_WHEEL_HI_RES = 0x2000b,
  CDESKTOP_REL_HWHEEL_HI_RES = 0x2000c,
  CDESKTOP_ABS_X = 0x30000, // then Y, Z, RX, RY and RZ
  CDESKTOP_MSC_TIMESTAMP = 0x40005,
};

struct cdesktop_input_event {
  uint32_t about;
  int32_t value;
};

// Creates the device through uinput, which is at `path`; for CDESKTOP_INPUT_NONE, only opens that. Returns a
// descriptor (csupport_file.h) or -errno.
int cdesktop_input_create(const char *path, enum cdesktop_input_kind kind);

// Sends events, and SYN_REPORT after them, in one system call. Returns 0 or -errno.
int cdesktop_input_send(int device, const struct cdesktop_input_event *events, size_t count);

// ---- screen.c: screens, through the tools of a compositor or of an X server; one output follows the board. Each
// function that runs tools blocks for as long as one takes, but at most 5 s for each. A transform is by how many
// quarter turns the content is turned counter-clockwise, 0 to 3; 4 more if Wayland mirrors it before.

// Finds the session, and its outputs that are on, at most 8. A compositor that was started again may have other sockets
// than the environment says; then those found in XDG_RUNTIME_DIR are used. Returns 0 or -1.
int cdesktop_screens_find(void);

// A sentence for people: what is wrong, after a function has returned -1; or what cdesktop_screens_follow has done.
const char *cdesktop_screens_line(void);

// Finds the outputs, and gives one a transform; below 0 leaves it as it is: the one called `wanted`; if that is empty,
// the last one, else the one that is built in, else the only one. Touch screens follow it. Returns 1 if it was turned,
// 0 if there is nothing new to say, or -1: what is wrong now, said once.
int cdesktop_screens_follow(const char *wanted, int transform);

// Gives the output that was turned the transform that it had before, if it is still there.
void cdesktop_screens_restore(void);

// Writes to a descriptor, in lines for people, what there is for turning the output, and what is missing; turns
// nothing. Returns whether nothing is missing.
bool cdesktop_screens_check(const char *wanted, int file);

#endif
