// Which of the mutants in this build is active. Chosen once, before `main`.

#include "mutants.h"

#include <stdio.h>
#include <stdlib.h>

int32_t mutant_chosen = 0;
uint8_t mutants_reached[mutants_most];

__attribute__((constructor)) static void choose(void) {
  const char *number = getenv("MUTANT");
  if (number != NULL) mutant_chosen = (int32_t)strtol(number, NULL, 10);
}

/// Writes the numbers of the reached mutants to the file named by MUTANTS_REACHED.
__attribute__((destructor)) static void report(void) {
  const char *path = getenv("MUTANTS_REACHED");
  FILE *file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  for (int number = 0; number < mutants_most; number++) {
    if (mutants_reached[number] != 0) fprintf(file, "%d\n", number);
  }
  fclose(file);
}
