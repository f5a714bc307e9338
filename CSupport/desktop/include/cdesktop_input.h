// Virtual input devices, through /dev/uinput. In C because Embedded Swift has no libc.
#ifndef CDESKTOP_INPUT_H
#define CDESKTOP_INPUT_H

#include <stdint.h>

// The devices. They disappear with their descriptors, even if the process is killed.
enum cdesktop_input_kind {
  CDESKTOP_INPUT_NONE = 0,
  CDESKTOP_INPUT_WHEEL = 1,  // a joystick: ABS_X and ABS_Y, two buttons
  CDESKTOP_INPUT_SCROLL = 2, // wheels, on what is otherwise a mouse
  CDESKTOP_INPUT_FORCE = 3,  // an accelerometer: ABS_X to ABS_Z
  CDESKTOP_INPUT_MOTION = 4, // the same with a gyroscope: ABS_RX to ABS_RZ
};

enum {
  CDESKTOP_INPUT_END = 32767, // the greatest value of an axis
  CDESKTOP_INPUT_MOST_EVENTS = 8,
};

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

// Events that readers receive together.
struct cdesktop_input_report {
  uint32_t count;
  struct cdesktop_input_event {
    uint32_t about;
    int32_t value;
  } events[CDESKTOP_INPUT_MOST_EVENTS];
};

// Adds an event, unless the report is full.
void cdesktop_input_add(struct cdesktop_input_report *report, uint32_t about, int32_t value);

// Creates the device through uinput, which is at `path`; for CDESKTOP_INPUT_NONE, only opens that. Returns a
// descriptor or -errno.
int cdesktop_input_create(const char *path, enum cdesktop_input_kind kind);

// Sends a report, and SYN_REPORT after it, in one system call. Returns 0 or -errno.
int cdesktop_input_send(int device, const struct cdesktop_input_report *report);

void cdesktop_input_close(int device);

#endif
