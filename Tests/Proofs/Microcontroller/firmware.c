// The microcontroller's program: the replay, then the instruction counts.
#include "count.h"
#include "machine.h"
#include "report.h"

int firmware_main(void) {
  machine_start_timer();
  report_replays(machine_write);
  return report_counts(machine_write) ? 0 : 1;
}
