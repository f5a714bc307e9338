// Starts other programs, without a shell.
#ifndef CSUPPORT_SPAWN_H
#define CSUPPORT_SPAWN_H

#include <stdbool.h>

// Starts `program`, a path or a name in PATH. `words` are its name and arguments, `variables` its environment, each
// with NULL at the end; NULL for the environment of this program. `streams` are descriptors of this program for its
// standard input, output and errors: the same number inherits one, below 0 is /dev/null. Signals that this program
// handles or blocks have their default action there. In a group of its own it does not receive the terminal's Ctrl-C,
// and the group's number is its process ID. Returns that ID, for waitpid, or -errno.
int csupport_spawn(const char *program, char *const *words, char *const *variables, const int streams[3],
                   bool in_own_group);

// Waits for such a program, for at most `milliseconds`; then kills it, or its group if it has one of its own. Returns
// its status, as waitpid has it, or -ETIMEDOUT if it was killed.
int csupport_spawn_wait(int process, int milliseconds);

#endif
