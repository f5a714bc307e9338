// The replay on the host, whose lines those of the microcontrollers must equal.
#include "report.h"

#include <stdio.h>

static void write_text(const char *text) { fputs(text, stdout); }

int main(void) {
  report_replays(write_text);
  return 0;
}
