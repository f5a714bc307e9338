#define _GNU_SOURCE // O_CLOEXEC under -std=c11

#include "cdesktop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { most_codes = 7, most_tries = 8, units_per_g = 2048, units_per_dps = 16 };

static const struct {
  const char *name;
  unsigned long request; // what declares the codes that are not axes
  int type;
  uint16_t codes[most_codes];
  int axes; // from ABS_X on
} kinds[] = {
    [CDESKTOP_INPUT_WHEEL] = {"Plumb wheel", UI_SET_KEYBIT, EV_KEY, {BTN_TRIGGER, BTN_THUMB}, 2},
    // libinput takes wheels from mice only. What makes it a mouse is never sent.
    [CDESKTOP_INPUT_SCROLL] = {"Plumb scroll",
                               UI_SET_RELBIT,
                               EV_REL,
                               {REL_X, REL_Y, REL_WHEEL, REL_HWHEEL, REL_WHEEL_HI_RES, REL_HWHEEL_HI_RES},
                               0},
    [CDESKTOP_INPUT_FORCE] = {"Plumb motion", UI_SET_MSCBIT, EV_MSC, {MSC_TIMESTAMP}, 3},
    [CDESKTOP_INPUT_MOTION] = {"Plumb motion", UI_SET_MSCBIT, EV_MSC, {MSC_TIMESTAMP}, 6},
};

void cdesktop_input_add(struct cdesktop_input_report *report, uint32_t about, int32_t value) {
  if (report->count < CDESKTOP_INPUT_MOST_EVENTS)
    report->events[report->count++] = (struct cdesktop_input_event){about, value};
}

void cdesktop_input_close(int device) { close(device); }

// Returns 0 or -errno.
static int create(int device, enum cdesktop_input_kind kind) {
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL, .product = (uint16_t)kind, .version = 1}};
  bool is_motion = kind >= CDESKTOP_INPUT_FORCE;
  strcpy(setup.name, kinds[kind].name);
  bool failed = ioctl(device, UI_SET_EVBIT, kinds[kind].type) < 0;
  // Code 0 is one only at the beginning, and ends the list elsewhere.
  for (int index = 0; !failed && (index == 0 || kinds[kind].codes[index]); index++)
    failed = ioctl(device, kinds[kind].request, kinds[kind].codes[index]) < 0;
  if (!failed && kind == CDESKTOP_INPUT_SCROLL)
    failed = ioctl(device, UI_SET_EVBIT, EV_KEY) < 0 || ioctl(device, UI_SET_KEYBIT, BTN_LEFT) < 0;
  for (int axis = 0; !failed && axis < kinds[kind].axes; axis++) {
    struct uinput_abs_setup range = {
        .code = (uint16_t)(ABS_X + axis),
        .absinfo = {.minimum = -CDESKTOP_INPUT_END,
                    .maximum = CDESKTOP_INPUT_END,
                    .resolution = is_motion ? axis < 3 ? units_per_g : units_per_dps : 0},
    };
    failed = ioctl(device, UI_SET_EVBIT, EV_ABS) < 0 || ioctl(device, UI_SET_ABSBIT, range.code) < 0 ||
             ioctl(device, UI_ABS_SETUP, &range) < 0;
  }
  if (failed || (is_motion && ioctl(device, UI_SET_PROPBIT, INPUT_PROP_ACCELEROMETER) < 0) ||
      ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0)
    return -errno;
  return 0;
}

int cdesktop_input_create(const char *path, enum cdesktop_input_kind kind) {
  int device = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (device < 0)
    return -errno;
  int code = kind == CDESKTOP_INPUT_NONE ? 0 : create(device, kind);
  if (code < 0)
    close(device);
  return code < 0 ? code : device;
}

int cdesktop_input_send(int device, const struct cdesktop_input_report *report) {
  // The kernel sets the time.
  struct input_event events[CDESKTOP_INPUT_MOST_EVENTS + 1] = {0};
  for (uint32_t index = 0; index < report->count; index++) {
    events[index].type = (uint16_t)(report->events[index].about >> 16);
    events[index].code = (uint16_t)report->events[index].about;
    events[index].value = report->events[index].value;
  }
  // SYN_REPORT is all zeros.
  size_t size = (report->count + 1) * sizeof *events;
  ssize_t written = 0;
  int tries = 0;
  do
    written = write(device, events, size);
  while (written < 0 && errno == EINTR && ++tries < most_tries);
  return written < 0 ? -errno : (size_t)written == size ? 0 : -EIO;
}
