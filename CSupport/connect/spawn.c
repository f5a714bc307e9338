#define _GNU_SOURCE // environ
// A 64-bit time_t on all systems.
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include "csupport_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int csupport_spawn(const char *program, char *const *words, char *const *variables, const int streams[3],
                   bool in_own_group) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  pid_t process = 0;
  posix_spawn_file_actions_init(&actions);
  for (int end = 0; end < 3; end++)
    if (streams[end] < 0)
      posix_spawn_file_actions_addopen(&actions, end, "/dev/null", O_RDWR, 0);
    else
      posix_spawn_file_actions_adddup2(&actions, streams[end], end);
  posix_spawnattr_init(&attributes);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  // This program may ignore writes to a closed pipe, or beyond the file size limit.
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (in_own_group ? POSIX_SPAWN_SETPGROUP : 0);
  posix_spawnattr_setflags(&attributes, (short)flags);
  int code = posix_spawnp(&process, program, &actions, &attributes, words, variables != NULL ? variables : environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code != 0 ? -code : process;
}

// Milliseconds of the monotonic clock.
static int64_t now(void) {
  struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int csupport_spawn_wait(int process, int milliseconds) {
  int status = 0;
  pid_t ended = 0;
  for (int64_t end = now() + milliseconds; ended == 0 && now() < end;) {
    poll(NULL, 0, 1);
    ended = waitpid(process, &status, WNOHANG);
  }
  if (ended != 0)
    return status;
  kill(getpgid(process) == process ? -process : process, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    continue; // interrupted by a signal
  return -ETIMEDOUT;
}
