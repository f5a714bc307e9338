// The terminal of a program that draws on it: keys one by one, and a way back that every end takes, a crash included.
// In C because a signal handler may do next to nothing, and Swift's runtime gives no promise about that.
#ifndef CSUPPORT_TERMINAL_H
#define CSUPPORT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

// What is written to the terminal to begin or to end drawing is at most so long.
enum { CSUPPORT_TERMINAL_LONGEST = 128 };

// Takes the terminal over: keys come from `input` (-1 for none) one by one and without echo, and `enter` is written to
// `output`. From now on the modes come back and `leave` is written before the program dies of a signal other than
// SIGKILL or the stop signals (csupport_signals.h), or is stopped with SIGTSTP; when it goes on, the terminal is taken
// over again. Returns 0 or -errno, -EINVAL where a text is too long.
int csupport_terminal_begin(int input, int output, const char *enter, size_t enter_count, const char *leave,
                            size_t leave_count);

// Gives the terminal back, and the signals the actions they had. Twice does no harm.
void csupport_terminal_end(void);

// Gives the calling thread a stack of its own for signal handlers, so that a stack that has overflowed is survived long
// enough to give the terminal back. It is the thread's for as long as that lives.
void csupport_terminal_guard_thread(void);

// Whether the terminal is the program's: false while it is being stopped or dies, and nothing is to be drawn.
bool csupport_terminal_is_held(void);

// Whether the program was stopped and goes on since the last call: nothing that was drawn is there any more.
bool csupport_terminal_was_resumed(void);

// The size of the terminal `output` in character cells. Returns 0 or -errno.
int csupport_terminal_size(int output, unsigned *columns, unsigned *rows);

#endif
