// Prints the poses of a board, from a recording or from a motion of its own.
//
//     poses [RECORDING.csv]        columns time_s,x_g,y_g,z_g
//
// Build, after `make core`:
//
//     cc -Ibuild/core/include docs/examples/c/poses.c build/core/x86_64-linux/libplumb.a -o poses
//
// Floating point is here to read and print decimal numbers; the library has none.
#include <plumb.h>
#include <stdio.h>

static const char *const pose_names[] = {"portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight",
                                         "faceUp",   "faceDown",           "unknown"};
static const char *const reason_names[] = {"",         "notYetSampled", "ambiguous", "accelerating",
                                           "freeFall", "stale",         "fault"};

// Feeds one sample in and prints what changed.
static void sample(plumb_monitor_t *monitor, int32_t x, int32_t y, int32_t z, uint64_t time_us) {
  plumb_output_t output;
  if (plumb_monitor_step(monitor, x, y, z, time_us, &output) != PLUMB_OK) {
    return;
  }
  double seconds = (double)time_us / 1e6;
  if (output.events & PLUMB_EVENT_EXPIRED) {
    printf("%.6f unknown stale\n", seconds);
  }
  if (output.events & PLUMB_EVENT_LOST) {
    printf("%.6f unknown %s\n", seconds, reason_names[output.reason]);
  }
  if (output.events & PLUMB_EVENT_POSE) {
    printf("%.6f %s %.4f\n", seconds, pose_names[output.pose], plumb_degrees(output.device_angle) / 65536.0);
  }
}

// One turn clockwise in four seconds, held upright, then laid on its back: 50 samples a second.
static void replay_motion(plumb_monitor_t *monitor) {
  for (int32_t i = 0; i <= 300; i++) {
    uint32_t angle = (i < 200 ? (uint32_t)i : 200) * 21474836u;
    int32_t sine, cosine;
    plumb_sincos((int32_t)angle, &sine, &cosine);
    // Q1.31 to Q16.16. Clockwise by 90 degrees, the left edge is up: the force is along -x.
    int32_t x = -(sine >> 15), y = cosine >> 15, z = 0;
    if (i > 250) {
      x = 0, y = 0, z = 65536;
    }
    sample(monitor, x, y, z, (uint64_t)i * 20000);
  }
}

static int32_t q16(double value) { return (int32_t)(value * 65536.0 + (value < 0 ? -0.5 : 0.5)); }

static int replay_file(plumb_monitor_t *monitor, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return 1;
  }
  double t, x, y, z;
  int fields = fscanf(file, "%*[^\n]");
  while ((fields = fscanf(file, "%lf,%lf,%lf,%lf", &t, &x, &y, &z)) == 4) {
    sample(monitor, q16(x), q16(y), q16(z), (uint64_t)(t * 1e6 + 0.5));
  }
  fclose(file);
  if (fields != EOF) {
    fprintf(stderr, "%s: a line that is not four numbers\n", path);
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  plumb_monitor_t monitor;
  plumb_config_t config;
  plumb_config_default(&config);
  // Set a different mounting or dwell here.
  int32_t status = plumb_monitor_init(&monitor, &config);
  if (status != PLUMB_OK) {
    fprintf(stderr, "the configuration is refused: %d\n", (int)status);
    return 1;
  }
  if (argc > 1) {
    return replay_file(&monitor, argv[1]);
  }
  replay_motion(&monitor);
  return 0;
}
