// What every machine says of the recordings, for comparison with the others.
#pragma once

/// Writes `replay NAME STEPS EVENTS EVENT-HASH STEP-HASH` for every recording.
void report_replays(void (*write)(const char *));
