// Shakes, scrolling by tilt and an interface that turns, beside the pose.
//
// Build, after `make core`:
//
//     cc -Ibuild/core/include docs/examples/c/movement.c build/core/x86_64-linux/libplumb.a -o movement
#include <plumb.h>
#include <plumb_movement.h>
#include <stdio.h>

static const char *const orientations[] = {"portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight"};

// What a sensor would measure after `ms` milliseconds: upright, shaken from side to side during the second second, and
// from 3 s on turned to the left.
static plumb_vector_t measure(uint32_t ms) {
  if (ms >= 3000) {
    return (plumb_vector_t){65536, 0, 0};
  }
  int32_t push = ms >= 1000 && ms < 2000 ? (ms / 100 % 2 ? 2 : -2) : 0;
  return (plumb_vector_t){push * 65536, 65536, 0};
}

int main(void) {
  static plumb_monitor_t monitor;
  static plumb_movement_t movement;
  if (plumb_monitor_init(&monitor, NULL) != PLUMB_OK || plumb_movement_init(&movement, NULL) != PLUMB_OK) {
    return 1;
  }
  for (uint32_t ms = 0; ms < 5000; ms += 20) { // 50 samples a second
    plumb_vector_t force = measure(ms);
    uint64_t now = (uint64_t)ms * 1000;
    plumb_output_t sample;
    plumb_movement_output_t moved;
    if (plumb_monitor_step(&monitor, force.x, force.y, force.z, now, &sample) != PLUMB_OK ||
        plumb_movement_step(&movement, &sample, now, &moved) != PLUMB_OK) {
      return 1;
    }
    if (moved.shake) {
      printf("shake\n");
    }
    for (uint8_t i = 0; i < moved.phase_count; i++) {
      if (moved.phases[i].kind == PLUMB_DID_ROTATE) {
        printf("the interface stands in %s\n", orientations[moved.orientation]);
      }
    }
  }
  return 0;
}
