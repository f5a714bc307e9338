// Not part of the library's interface: how the build proves that the Swift state fits into plumb_monitor_t.
#ifndef PLUMB_FIT_H
#define PLUMB_FIT_H

// Called, and never defined, where the size of the Swift state at compile time exceeds PLUMB_MONITOR_SIZE. A state that
// fits leaves no call behind; one that does not leaves this name undefined, on which `make core` stops.
void plumb_monitor_t_is_too_small(void);

#endif
