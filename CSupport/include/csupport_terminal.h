// The terminal of a program that draws on it: single keys, and its restoration however the program ends, even by a
// crash. In C because a signal handler may do very little, and Swift's runtime does not guarantee to respect that.
#ifndef CSUPPORT_TERMINAL_H
#define CSUPPORT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

// The maximum length of the text that begins or ends drawing.
enum { CSUPPORT_TERMINAL_LONGEST = 128 };

// Takes over the terminal: `input` (-1 for none) delivers single keys without echo, and `enter` is written to `output`.
// Before a signal other than SIGKILL and the stop signals (csupport_signals.h) kills the program, or SIGTSTP stops it,
// the modes are restored and `leave` is written; when the program continues, it takes over the terminal again. Returns
// 0 or -errno, -EINVAL if a text is too long.
int csupport_terminal_begin(int input, int output, const char *enter, size_t enter_count, const char *leave,
                            size_t leave_count);

// Restores the terminal, and the previous actions of the signals. May be called twice.
void csupport_terminal_end(void);

// Gives the calling thread a separate stack for signal handlers, so that the terminal can be restored even after a
// stack overflow. It belongs to the thread until that ends.
void csupport_terminal_guard_thread(void);

// Whether the program controls the terminal: false while it is being stopped or killed. Do not draw then.
bool csupport_terminal_is_held(void);

// Whether the program was stopped and continued since the last call, so that the screen must be drawn again.
bool csupport_terminal_was_resumed(void);

// The size of the terminal `output` in character cells. Returns 0 or -errno.
int csupport_terminal_size(int output, unsigned *columns, unsigned *rows);

#endif
