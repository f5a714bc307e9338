#define _GNU_SOURCE // O_CLOEXEC under -std=c11

#include "cdesktop.h"
#include "csupport_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { most_codes = 8, units_per_g = 2048, units_per_dps = 16 };
enum { X = CDESKTOP_ABS_X, Y, Z, RX, RY, RZ, MOUSE_X = EV_REL << 16 | REL_X, MOUSE_Y, LEFT = EV_KEY << 16 | BTN_LEFT };

// What each device is about, up to a 0.
static const struct {
  const char *name;
  unsigned codes[most_codes];
} kinds[] = {
    [CDESKTOP_INPUT_WHEEL] = {"Plumb wheel", {X, Y, CDESKTOP_BTN_TRIGGER, CDESKTOP_BTN_THUMB}},
    // libinput takes wheels from mice only. What makes it a mouse is never sent.
    [CDESKTOP_INPUT_SCROLL] = {"Plumb scroll",
                               {LEFT, MOUSE_X, MOUSE_Y, CDESKTOP_REL_WHEEL, CDESKTOP_REL_HWHEEL,
                                CDESKTOP_REL_WHEEL_HI_RES, CDESKTOP_REL_HWHEEL_HI_RES}},
    [CDESKTOP_INPUT_FORCE] = {"Plumb motion", {X, Y, Z, CDESKTOP_MSC_TIMESTAMP}},
    [CDESKTOP_INPUT_MOTION] = {"Plumb motion", {X, Y, Z, RX, RY, RZ, CDESKTOP_MSC_TIMESTAMP}},
};

int cdesktop_input_create(const char *path, enum cdesktop_input_kind kind) {
  int device = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (device < 0 || kind == CDESKTOP_INPUT_NONE)
    return device < 0 ? -errno : device;
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL, .product = (uint16_t)kind, .version = 1}};
  struct uinput_abs_setup range = {.absinfo = {.minimum = -CDESKTOP_INPUT_END, .maximum = CDESKTOP_INPUT_END}};
  bool is_motion = kind >= CDESKTOP_INPUT_FORCE;
  bool failed = is_motion && ioctl(device, UI_SET_PROPBIT, INPUT_PROP_ACCELEROMETER) < 0;
  strcpy(setup.name, kinds[kind].name);
  for (const unsigned *about = kinds[kind].codes; !failed && *about != 0; about++) {
    unsigned type = *about >> 16;
    range.code = (uint16_t)*about;
    range.absinfo.resolution = !is_motion ? 0 : range.code < ABS_RX ? units_per_g : units_per_dps;
    // The requests that declare codes are numbered as the types, from the one that declares a type on.
    failed = ioctl(device, UI_SET_EVBIT, type) < 0 || ioctl(device, UI_SET_EVBIT + type, range.code) < 0 ||
             (type == EV_ABS && ioctl(device, UI_ABS_SETUP, &range) < 0);
  }
  if (!failed && ioctl(device, UI_DEV_SETUP, &setup) == 0 && ioctl(device, UI_DEV_CREATE) == 0)
    return device;
  int code = errno;
  close(device);
  return -code;
}

int cdesktop_input_send(int device, const struct cdesktop_input_event *events, size_t count) {
  // The kernel sets the time, and SYN_REPORT is all zeros.
  struct input_event sent[CDESKTOP_INPUT_MOST_EVENTS + 1] = {0};
  if (count > CDESKTOP_INPUT_MOST_EVENTS)
    return -EINVAL;
  for (size_t index = 0; index < count; index++) {
    sent[index].type = (uint16_t)(events[index].about >> 16);
    sent[index].code = (uint16_t)events[index].about;
    sent[index].value = events[index].value;
  }
  return csupport_file_write(device, sent, (count + 1) * sizeof *sent, false);
}
