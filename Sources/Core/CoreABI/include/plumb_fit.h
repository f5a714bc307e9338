// Not part of the library's interface: this is how the build proves that the Swift state fits into plumb_monitor_t.
#ifndef PLUMB_FIT_H
#define PLUMB_FIT_H

// Called, but never defined, if the Swift state is larger than PLUMB_MONITOR_SIZE. The compiler removes the call if the
// state fits; otherwise this name is undefined and `make core` stops.
void plumb_monitor_t_is_too_small(void);

#endif
