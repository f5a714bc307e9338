// What Swift cannot say in a module for browsers: memory that lives as long as the instance, without a heap. Every
// function is prefixed cweb_.
#ifndef CWEB_H
#define CWEB_H

#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

// The size of the memory for text in bytes: all that a step can say.
enum { CWEB_TEXT_SIZE = 16384 };

// The memory through which the module passes text to JavaScript.
uint8_t *cweb_text(void);

// `count` bytes of zeros, aligned to 16, that are never freed; traps if there are no more. An instance has one board.
void *cweb_memory(uint32_t count);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
#endif
