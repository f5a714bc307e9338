#define _GNU_SOURCE // pipe2, environ and setenv under -std=c11

#include "cdesktop_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char output[32768];
static size_t output_length;

const char *cdesktop_run_output(size_t *length) {
  *length = output_length;
  return output;
}

static int64_t now(void) { // milliseconds
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// In a process group of its own: Ctrl-C is not for it, and SIGKILL is for its children too.
static int spawn(char *const *words, int standard_output, pid_t *child) {
  posix_spawnattr_t attributes; // its functions cannot fail with these arguments
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0)
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (int to = 1; to <= 2 && error == 0; to++)
    error = posix_spawn_file_actions_adddup2(&actions, standard_output, to);
  if (error == 0)
    error = posix_spawnp(child, words[0], &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Takes what the tool writes, until it closes its end or time is up.
static void take_output(int descriptor, int64_t deadline) {
  for (int64_t left; (left = deadline - now()) > 0;) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, (int)left) <= 0)
      continue;
    char rest[512]; // what does not fit is read all the same: the tool would wait for ever
    bool has_room = output_length < sizeof output - 1;
    ssize_t count = read(descriptor, has_room ? output + output_length : rest,
                         has_room ? sizeof output - 1 - output_length : sizeof rest);
    if (count == 0 || (count < 0 && errno != EINTR))
      return;
    if (count > 0 && has_room)
      output_length += (size_t)count;
  }
}

int cdesktop_run(const char *command, int milliseconds) {
  output[output_length = 0] = 0;
  char copy[256], *words[16], *rest = NULL;
  size_t count = 0;
  if (strlen(command) >= sizeof copy)
    return CDESKTOP_NOT_RUN;
  strcpy(copy, command);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL && count < 15; word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  words[count] = NULL;
  int pipes[2];
  if (count == 0 || pipe2(pipes, O_CLOEXEC) != 0)
    return CDESKTOP_NOT_RUN;
  int64_t deadline = now() + milliseconds;
  pid_t child = 0;
  int error = spawn(words, pipes[1], &child);
  close(pipes[1]);
  if (error == 0)
    take_output(pipes[0], deadline);
  close(pipes[0]);
  output[output_length] = 0;
  if (error != 0)
    return error == ENOENT ? CDESKTOP_MISSING : CDESKTOP_NOT_RUN;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (now() >= deadline) {
      kill(-child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return CDESKTOP_OVERDUE;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool is_served(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path)
    return false;
  strcpy(address.sun_path, path);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool is_served = descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0;
  if (descriptor >= 0)
    close(descriptor);
  return is_served;
}

// Whether the socket that `variable` names is served, or else one in `folder` that matches `pattern`.
static bool find_socket(const char *variable, const char *folder, const char *pattern) {
  char path[256];
  const char *name = getenv(variable);
  snprintf(path, sizeof path, "%s/%s", folder, name == NULL ? "" : name);
  if (name != NULL && is_served(name[0] == '/' ? name : path))
    return true;
  snprintf(path, sizeof path, "%s/%s", folder, pattern);
  glob_t found = {0};
  bool is_found = false;
  if (glob(path, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && !is_found; i++)
      is_found = is_served(found.gl_pathv[i]) && setenv(variable, found.gl_pathv[i], 1) == 0;
  globfree(&found);
  return is_found;
}

static bool is_listener(void) {
  static const char *const listeners[] = {"GNOME", "KDE", "Phosh", "Cinnamon"};
  const char *desktops = getenv("XDG_CURRENT_DESKTOP"); // such as ubuntu:GNOME
  for (size_t i = 0; desktops != NULL && i < sizeof listeners / sizeof *listeners; i++)
    if (strstr(desktops, listeners[i]) != NULL)
      return true;
  return false;
}

enum cdesktop_session cdesktop_session_find(void) {
  char folder[32];
  snprintf(folder, sizeof folder, "/run/user/%u", (unsigned)getuid());
  if (getenv("XDG_RUNTIME_DIR") == NULL)
    setenv("XDG_RUNTIME_DIR", folder, 1);
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (is_listener())
    return CDESKTOP_LISTENER;
  if (runtime != NULL && find_socket("WAYLAND_DISPLAY", runtime, "wayland-*[0-9]"))
    return find_socket("SWAYSOCK", runtime, "sway-ipc.*.sock") ? CDESKTOP_SWAY : CDESKTOP_WAYLAND;
  return getenv("DISPLAY") != NULL ? CDESKTOP_X11 : CDESKTOP_NO_SESSION;
}
