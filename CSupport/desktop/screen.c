#define _GNU_SOURCE // pipe2, environ and setenv under -std=c11

#include "cdesktop_screen.h"
#include "csupport_connect.h"
#include "csupport_socket.h"

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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8, PATIENCE = 5000 };

static enum cdesktop_session session;
static struct {
  char name[44];
  int transform;
} screens[MOST];
static int count;
static char error[256], command[160];
static char output[32768]; // of the last tool

static const char *const wayland_words[] = {"normal",  "90",         "180",         "270",
                                            "flipped", "flipped-90", "flipped-180", "flipped-270"};
// A reflection is another property there, and stays.
static const char *const x11_words[] = {"normal", "left", "inverted", "right"};

#define FAIL(...) (snprintf(error, sizeof error, __VA_ARGS__), -1)
#define RUN(package, ...) (snprintf(command, sizeof command, __VA_ARGS__), run(package))

const char *cdesktop_screens_error(void) { return error; }
enum cdesktop_session cdesktop_screens_session(void) { return session; }
const char *cdesktop_screens_name(int index) { return screens[index].name; }
int cdesktop_screens_transform(int index) { return screens[index].transform; }

const char *cdesktop_screens_word(int transform) {
  return session == CDESKTOP_X11 ? x11_words[transform & 3] : wayland_words[transform & 7];
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
  posix_spawn_file_actions_t actions; // its functions fail without memory alone
  posix_spawn_file_actions_init(&actions);
  int code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) |
             posix_spawn_file_actions_adddup2(&actions, standard_output, 1) |
             posix_spawn_file_actions_adddup2(&actions, standard_output, 2);
  if (code == 0)
    code = posix_spawnp(child, words[0], &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

// Takes what the tool has written, or writes within `patience` ms. What does not fit is read all the same: the tool
// would wait for ever.
static void take_output(int descriptor, size_t *length, int patience) {
  char bytes[4096];
  ssize_t taken = 1;
  for (struct pollfd wait = {.fd = descriptor, .events = POLLIN}; taken > 0 && poll(&wait, 1, patience) > 0;) {
    size_t room = sizeof output - 1 - *length;
    taken = read(descriptor, bytes, sizeof bytes);
    for (ssize_t i = 0; i < taken && room > 0; i++, room--)
      output[(*length)++] = bytes[i];
  }
  output[*length] = 0;
  if (taken == 0)
    poll(NULL, 0, patience);
}

// Runs the command of a tool of Debian's `package`, found in PATH, without a shell. Returns 0 if it does so.
static int run(const char *package) {
  char copy[sizeof command], *words[16] = {NULL}, *rest = NULL;
  memcpy(copy, command, sizeof copy);
  for (int i = 0; i < 15 && (words[i] = strtok_r(i == 0 ? copy : NULL, " ", &rest)) != NULL;)
    i++;
  int pipes[2], status = 0;
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return FAIL("%s: %s", command, strerror(errno));
  int64_t deadline = now() + PATIENCE;
  pid_t child = 0, ended = 0;
  size_t length = 0;
  int code = spawn(words, pipes[1], &child);
  close(pipes[1]);
  while (code == 0 && (ended = waitpid(child, &status, WNOHANG)) == 0 && now() < deadline)
    take_output(pipes[0], &length, 1);
  take_output(pipes[0], &length, 0);
  close(pipes[0]);
  if (code == ENOENT)
    return FAIL("cannot run %s: sudo apt install %s", command, package);
  if (code != 0)
    return FAIL("%s: %s", command, strerror(code));
  if (ended == 0) {
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return FAIL("%s did not end within 5 s", command);
  }
  return status == 0 ? 0 : FAIL("%s failed: %.*s", command, (int)strcspn(output, "\n"), output);
}

static bool is_served(const char *path) {
  int descriptor = csupport_connect_unix(path);
  if (descriptor >= 0)
    csupport_socket_close(descriptor);
  return descriptor >= 0;
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

int cdesktop_screens_find(void) {
  static const char *const listeners[] = {"GNOME", "KDE", "Phosh", "Cinnamon"};
  const char *desktops = getenv("XDG_CURRENT_DESKTOP"); // such as ubuntu:GNOME
  for (size_t i = 0; desktops != NULL && i < sizeof listeners / sizeof *listeners; i++)
    if (strstr(desktops, listeners[i]) != NULL)
      return FAIL("%s turns its screen itself: enable [sensor-proxy] of plumb-desktop instead", listeners[i]);
  char folder[32];
  snprintf(folder, sizeof folder, "/run/user/%u", (unsigned)getuid());
  setenv("XDG_RUNTIME_DIR", folder, 0);
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime != NULL && find_socket("WAYLAND_DISPLAY", runtime, "wayland-*[0-9]"))
    session = find_socket("SWAYSOCK", runtime, "sway-ipc.*.sock") ? CDESKTOP_SWAY : CDESKTOP_WAYLAND;
  else if (getenv("DISPLAY") != NULL)
    session = CDESKTOP_X11;
  else
    return FAIL("no graphical session: no socket of Wayland in XDG_RUNTIME_DIR, and no DISPLAY");
  // --current: without a probe of the hardware, during which screens may flicker.
  int code = session == CDESKTOP_X11 ? RUN("x11-xserver-utils", "xrandr --current") : RUN("wlr-randr", "wlr-randr");
  return code == 0 ? cdesktop_screens_read(session, output) : -1;
}

// 0 for a word that is unknown.
static int transform_of(const char *word) {
  int transform = session == CDESKTOP_X11 ? 3 : 7;
  while (transform > 0 && strcmp(word, cdesktop_screens_word(transform)) != 0)
    transform--;
  return transform;
}

static void add(const char *name, int transform) {
  if (count < MOST) {
    strcpy(screens[count].name, name);
    screens[count++].transform = transform;
  }
}

int cdesktop_screens_read(enum cdesktop_session of, char *text) {
  char name[44] = "", *rest = NULL;
  session = of;
  count = 0;
  for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    char word[16] = "";
    if (session == CDESKTOP_X11) {
      // Only an output that is on has a size and a place; the rotation is there unless it is normal.
      if (sscanf(line, "%43s connected primary %*[0-9x+-]%15s", name, word) == 2 ||
          sscanf(line, "%43s connected %*[0-9x+-]%15s", name, word) == 2)
        add(name, transform_of(word));
    } else if (line[0] != ' ')
      sscanf(line, "%43s", name);
    else if (sscanf(line, " Enabled: %15s", word) == 1 && strcmp(word, "yes") == 0)
      add(name, 0);
    else if (sscanf(line, " Transform: %15s", word) == 1 && count > 0 && strcmp(screens[count - 1].name, name) == 0)
      screens[count - 1].transform = transform_of(word);
  }
  return count;
}

int cdesktop_screens_choose(const char *wanted, const char *last) {
  static const char *const built_in[] = {"DSI", "eDP", "LVDS", "DPI"};
  bool is_automatic = wanted[0] == 0;
  for (int i = 0; i < count; i++)
    if (strcmp(screens[i].name, is_automatic ? last : wanted) == 0)
      return i;
  for (int i = 0; is_automatic && i < count; i++)
    for (size_t kind = 0; kind < sizeof built_in / sizeof *built_in; kind++)
      if (count == 1 || strncmp(screens[i].name, built_in[kind], strlen(built_in[kind])) == 0)
        return i;
  char names[MOST * sizeof screens[0]] = "";
  for (int i = 0; i < count; i++)
    strcat(strcat(names, i == 0 ? "" : ", "), screens[i].name);
  if (is_automatic && count > 0)
    return FAIL("which output has the board? Set output = NAME in [rotate]; on: %.190s", names);
  return FAIL("output %.40s is not connected, or off; on: %.175s", is_automatic ? "auto" : wanted,
              count > 0 ? names : "none");
}

int cdesktop_screens_turn(const char *name, int transform) {
  return session == CDESKTOP_X11
             ? RUN("x11-xserver-utils", "xrandr --output %s --rotate %s", name, cdesktop_screens_word(transform))
             : RUN("wlr-randr", "wlr-randr --output %s --transform %s", name, cdesktop_screens_word(transform));
}

int cdesktop_screens_read_touch(int devices[8], char *text) {
  int device = 0, found = 0;
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    sscanf(line, " Class originated from: %9d", &device);
    if (strstr(line, "Touch mode: direct") != NULL && found < MOST) // a touchpad's is dependent
      devices[found++] = device;
  }
  return found;
}

int cdesktop_screens_map_touch(const char *name) {
  if (session != CDESKTOP_X11) // labwc maps what its rc.xml says
    return session == CDESKTOP_SWAY && name != NULL ? RUN("sway", "swaymsg input type:touch map_to_output %s", name)
                                                    : 0;
  int devices[MOST], code = RUN("xinput", "xinput list --long");
  int found = code == 0 ? cdesktop_screens_read_touch(devices, output) : 0;
  for (int i = 0; i < found && code == 0 && name != NULL; i++)
    code = RUN("xinput", "xinput map-to-output %d %s", devices[i], name);
  return code == 0 ? found : -1;
}
