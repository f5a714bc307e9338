// Randomness, for pauses that must differ between programs. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_RANDOM_H
#define CSUPPORT_RANDOM_H

#include <stdint.h>

// A random number, from the kernel. Never waits.
uint64_t csupport_random(void);

#endif
