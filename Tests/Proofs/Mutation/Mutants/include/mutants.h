#ifndef MUTANTS_H
#define MUTANTS_H

#include <stdbool.h>
#include <stdint.h>

enum { mutants_most = 1 << 14 };

/// The mutant that runs, from the environment variable MUTANT; 0 for none.
extern int32_t mutant_chosen;

/// Which mutants could have been noticed, because their code was reached.
extern uint8_t mutants_reached[mutants_most];

/// Whether mutant `number` is active.
static inline bool mutant_is(int32_t number) {
  mutants_reached[number] = 1;
  return mutant_chosen == number;
}

#endif
