#include "report.h"

#include "replay.h"
#include "text.h"

static void (*write_line)(const char *);

static void report_angles(const plumb_output_t *output) {
  line_t line = {.length = 0};
  line_text(&line, "angles");
  line_number(&line, (uint32_t)output->device_angle);
  line_number(&line, (uint32_t)output->pitch);
  line_number(&line, (uint32_t)output->roll);
  line_number(&line, (uint32_t)output->inclination);
  line_number(&line, (uint32_t)output->steering_angle);
  write_line(line_end(&line));
}

void report_replays(void (*write)(const char *)) {
  write_line = write;
  for (size_t i = 0; i < recordings_count; i++) {
    const replay_t result = replay(&recordings[i], report_angles);
    line_t line = {.length = 0};
    line_text(&line, result.is_good ? "replay " : "refused ");
    line_text(&line, recordings[i].name);
    line_number(&line, result.steps);
    line_number(&line, result.events);
    line_hash(&line, result.event_hash);
    line_hash(&line, result.step_hash);
    write(line_end(&line));
  }
}
