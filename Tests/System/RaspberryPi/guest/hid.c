// An accelerometer on a HID sensor hub, which the kernel's drivers hid-sensor-hub and hid-sensor-accel-3d then use.
//
// Its commands:
//
//     force X Y Z      the specific force, in mg
//     plug, unplug     connects it, so that the kernel makes an IIO device; disconnects it
//     freeze, thaw     its data stop changing; change again
//     hush, speak      it sends no more reports; sends them again
//
// - Source: HID Usage Tables 1.3, chapter 20, Sensors.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The items of a descriptor, with the size of their data.
#define USAGE_PAGE(page) 0x05, page
#define TWO_BYTES(number) 0xFF & (number), 0xFF & ((number) >> 8)
#define USAGE(number) 0x0A, TWO_BYTES(number)
#define COLLECTION(kind) 0xA1, kind
#define END 0xC0
#define REPORT_ID(number) 0x85, number
#define RANGE(low, high) 0x16, TWO_BYTES(low), 0x26, TWO_BYTES(high)
#define FIELD(bits) 0x75, bits, 0x95, 1
#define EXPONENT(power) 0x55, 0x0F & (power)
#define UNIT(number) 0x65, number
#define INPUT(flags) 0x81, flags
#define FEATURE(flags) 0xB1, flags

enum { APPLICATION = 1, PHYSICAL = 0, LOGICAL = 2, ARRAY = 0, VARIABLE = 2, UNIT_G = 0x1A };

// A selector, whose value is the position of one of six usages, from 1.
#define SELECTOR(usage, first)                                                                                         \
  USAGE(usage), RANGE(1, 6), FIELD(8), COLLECTION(LOGICAL), USAGE(first), USAGE((first) + 1), USAGE((first) + 2),      \
      USAGE((first) + 3), USAGE((first) + 4), USAGE((first) + 5)

// Reports have this number. The values are 16 bits wide, in 0.1 mg, so each shares the 32 bits of its place in the
// kernel's buffer with bits of another.
enum { REPORT = 1, COUNTS_PER_MG = 10 };

static const uint8_t descriptor[] = {
    USAGE_PAGE(0x20), // sensors
    USAGE(0x0001),    // sensor
    COLLECTION(APPLICATION),
    REPORT_ID(REPORT),
    USAGE(0x0073), // accelerometer 3D
    COLLECTION(PHYSICAL),
    SELECTOR(0x0316, 0x0840), // reporting state; the second is: all events
    FEATURE(ARRAY),
    END,
    SELECTOR(0x0319, 0x0850), // power state; the second is: D0, full power
    FEATURE(ARRAY),
    END,
    USAGE(0x030E), // report interval, in ms
    RANGE(0, 32767),
    FIELD(32),
    FEATURE(VARIABLE),
    USAGE(0x1452), // change sensitivity of an acceleration, in mg
    FIELD(16),
    EXPONENT(-3),
    UNIT(UNIT_G),
    FEATURE(VARIABLE),
    EXPONENT(0),
    UNIT(0),
    SELECTOR(0x0201, 0x0800), // sensor state
    INPUT(ARRAY),
    END,
    RANGE(-32768, 32767),
    FIELD(16),
    EXPONENT(-4),
    UNIT(UNIT_G),
    USAGE(0x0453), // acceleration X
    INPUT(VARIABLE),
    USAGE(0x0454), // Y
    INPUT(VARIABLE),
    USAGE(0x0455), // Z
    INPUT(VARIABLE),
    END,
    END,
};

// The reports, as the descriptor has them.
struct __attribute__((packed)) settings {
  uint8_t report, reporting, power;
  uint32_t interval;
  uint16_t sensitivity;
};
struct __attribute__((packed)) sample {
  uint8_t report, state;
  int16_t counts[3];
};

struct sensor {
  int device;
  struct settings settings;
  int force[3];
  struct sample last;
  bool is_frozen, is_hushed;
};

static int send_event(const struct sensor *sensor, const struct uhid_event *event, size_t size) {
  ssize_t count = write(sensor->device, event, size);
  return count < 0 ? -errno : 0;
}

static int plug(struct sensor *sensor) {
  struct uhid_event event = {.type = UHID_CREATE2};
  struct uhid_create2_req *request = &event.u.create2;
  sensor->settings = (struct settings){.report = REPORT, .reporting = 1, .power = 6, .interval = 10};
  memcpy(request->name, "Emulated sensor hub", sizeof "Emulated sensor hub");
  memcpy(request->rd_data, descriptor, sizeof descriptor);
  request->rd_size = sizeof descriptor;
  request->bus = BUS_I2C;
  request->vendor = 0x1234;
  request->product = 0x5678;
  return send_event(sensor, &event, sizeof event);
}

static int unplug(const struct sensor *sensor) {
  const struct uhid_event event = {.type = UHID_DESTROY};
  return send_event(sensor, &event, sizeof event.type);
}

static int obey(void *context, const char *words) {
  struct sensor *sensor = context;
  int force[3];
  if (sscanf(words, "force %d %d %d", &force[0], &force[1], &force[2]) == 3)
    memcpy(sensor->force, force, sizeof force);
  else if (strcmp(words, "plug") == 0)
    return plug(sensor);
  else if (strcmp(words, "unplug") == 0)
    return unplug(sensor);
  else if (strcmp(words, "freeze") == 0 || strcmp(words, "thaw") == 0)
    sensor->is_frozen = words[0] == 'f';
  else if (strcmp(words, "hush") == 0 || strcmp(words, "speak") == 0)
    sensor->is_hushed = words[0] == 'h';
  else
    return -EINVAL;
  return 0;
}

// The next sample.
static const struct sample *measure(struct sensor *sensor) {
  sensor->last.report = REPORT;
  // Ready: the second of the sensor's states.
  sensor->last.state = 2;
  for (int axis = 0; axis < 3 && !sensor->is_frozen; axis++)
    sensor->last.counts[axis] = (int16_t)(sensor->force[axis] * COUNTS_PER_MG + 3 * noise() + noise());
  return &sensor->last;
}

static void answer_get(struct sensor *sensor, const struct uhid_get_report_req *request) {
  struct uhid_event event = {.type = UHID_GET_REPORT_REPLY};
  struct uhid_get_report_reply_req *reply = &event.u.get_report_reply;
  reply->id = request->id;
  if (request->rtype == UHID_FEATURE_REPORT) {
    reply->size = sizeof sensor->settings;
    memcpy(reply->data, &sensor->settings, sizeof sensor->settings);
  } else {
    reply->size = sizeof sensor->last;
    memcpy(reply->data, measure(sensor), sizeof sensor->last);
  }
  send_event(sensor, &event, sizeof event);
}

static void answer_set(struct sensor *sensor, const struct uhid_set_report_req *request) {
  struct uhid_event event = {.type = UHID_SET_REPORT_REPLY};
  event.u.set_report_reply.id = request->id;
  if (request->rtype == UHID_FEATURE_REPORT && request->size == sizeof sensor->settings)
    memcpy(&sensor->settings, request->data, sizeof sensor->settings);
  else
    event.u.set_report_reply.err = EIO;
  send_event(sensor, &event, sizeof event);
}

static void answer_kernel(struct sensor *sensor) {
  static struct uhid_event event;
  if (read(sensor->device, &event, sizeof event) < (ssize_t)sizeof event.type)
    return;
  if (event.type == UHID_GET_REPORT)
    answer_get(sensor, &event.u.get_report);
  else if (event.type == UHID_SET_REPORT)
    answer_set(sensor, &event.u.set_report);
}

// Whether it sends reports on its own: all events, at full power.
static bool is_reporting(const struct sensor *sensor) {
  return !sensor->is_hushed && sensor->settings.reporting == 2 && sensor->settings.power == 2;
}

static void send_sample(struct sensor *sensor) {
  struct uhid_event event = {.type = UHID_INPUT2};
  event.u.input2.size = sizeof sensor->last;
  memcpy(event.u.input2.data, measure(sensor), sizeof sensor->last);
  send_event(sensor, &event, offsetof(struct uhid_event, u.input2.data) + sizeof sensor->last);
}

int run_hid(void) {
  struct sensor sensor = {.device = open("/dev/uhid", O_RDWR | O_CLOEXEC), .force = {0, 1000, 0}};
  int receiver = commands_open();
  if (sensor.device < 0 || receiver < 0) {
    perror("bench: hid");
    return 1;
  }
  hurry();
  long long next = now();
  for (;;) {
    long long left = next - now();
    struct pollfd waits[] = {{.fd = receiver, .events = POLLIN}, {.fd = sensor.device, .events = POLLIN}};
    poll(waits, 2, left <= 0 ? 0 : (int)(left / 1000 + 1));
    if ((waits[0].revents & POLLIN) != 0)
      commands_answer(receiver, obey, &sensor);
    if ((waits[1].revents & POLLIN) != 0)
      answer_kernel(&sensor);
    if (now() < next)
      continue;
    uint32_t interval = sensor.settings.interval;
    next += 1000 * (long long)(interval < 1 ? 1 : interval > 1000 ? 1000 : interval);
    if (next < now())
      next = now();
    if (is_reporting(&sensor))
      send_sample(&sensor);
  }
}
