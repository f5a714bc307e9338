// The program that vibration.sh measures: vibration BINS BANDS SAMPLES; without samples it prints the size in bytes.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t vibration_run(int32_t bins, int32_t is_bands, int32_t samples);
uint32_t vibration_bytes(int32_t bins, int32_t is_bands);

int main(int count, char **words) {
  if (count < 3)
    return 64;
  int32_t bins = atoi(words[1]), is_bands = atoi(words[2]);
  if (count == 3)
    return printf("%" PRIu32 "\n", vibration_bytes(bins, is_bands)) < 0;
  // Noise has power in every bin, so 0 is an error.
  return vibration_run(bins, is_bands, atoi(words[3])) == 0 ? 70 : 0;
}
