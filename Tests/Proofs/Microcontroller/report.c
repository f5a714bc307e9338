#include "report.h"

#include "replay.h"
#include "text.h"

static void report(const char *name, const replay_t *result, void (*write)(const char *)) {
  line_t line = {.length = 0};
  line_text(&line, result->is_good ? "replay " : "refused ");
  line_text(&line, name);
  line_number(&line, result->steps);
  line_number(&line, result->events);
  line_hash(&line, result->event_hash);
  line_hash(&line, result->step_hash);
  write(line_end(&line));
}

void report_replays(void (*write)(const char *)) {
  for (size_t i = 0; i < recordings_count; i++) {
    const replay_t result = replay(&recordings[i]);
    report(recordings[i].name, &result, write);
  }
  for (size_t i = 0; i < fused_recordings_count; i++) {
    const replay_t result = replay_fused(&fused_recordings[i]);
    report(fused_recordings[i].name, &result, write);
  }
}
