// Memory outside the heap, for what a program keeps from start to end. In C because Embedded Swift has no libc.
#ifndef CSUPPORT_MEMORY_H
#define CSUPPORT_MEMORY_H

#include <stddef.h>

// `size` bytes of zeroed memory; untouched pages cost nothing. NULL if there is none.
void *csupport_memory_map(size_t size);
void csupport_memory_unmap(void *memory, size_t size);

// The errno of a program without memory: ENOMEM.
int csupport_memory_none(void);

#endif
