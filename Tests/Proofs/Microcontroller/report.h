// Each machine's report on the recordings, for comparison.
#pragma once

/// Writes `replay NAME STEPS EVENTS EVENT-HASH STEP-HASH` for every recording.
void report_replays(void (*write)(const char *));
