#define _GNU_SOURCE // pipe2, environ and setenv under -std=c11

#include "cdesktop.h"
#include "csupport_connect.h"
#include "csupport_socket.h"
#include "csupport_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, PATIENCE = 5000000 }; // screens; microseconds

// What lists and turns screens: of Wayland, and of X11.
static const struct tool {
  const char *package, *name, *list, *turn; // Debian's package, the program, and its options
  int most;                                 // the greatest transform
  const char *words[8];                     // of transforms
} tools[] = {
    {"wlr-randr",
     "wlr-randr",
     "",
     "--transform",
     7,
     {"normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"}},
    // --current: without a probe of the hardware, during which screens may flicker. A reflection is another property
    // there, and stays.
    {"x11-xserver-utils", "xrandr", " --current", "--rotate", 3, {"normal", "left", "inverted", "right"}},
};

static enum cdesktop_session session;
static struct {
  char name[44];
  int transform;
} screens[MOST];
static int count;
static char error[256], command[160];
static char output[32768]; // of the last command

#define FAIL(...) (snprintf(error, sizeof error, __VA_ARGS__), -1)
#define RUN(package, ...) (snprintf(command, sizeof command, __VA_ARGS__), run(package))

const char *cdesktop_screens_error(void) { return error; }
enum cdesktop_session cdesktop_screens_session(void) { return session; }
const char *cdesktop_screens_name(int index) { return screens[index].name; }
int cdesktop_screens_transform(int index) { return screens[index].transform; }

static const struct tool *tool(void) { return &tools[session == CDESKTOP_X11]; }

const char *cdesktop_screens_word(int transform) { return tool()->words[transform & tool()->most]; }

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
    taken = read(descriptor, bytes, sizeof bytes);
    for (ssize_t i = 0; i < taken && *length < sizeof output - 1; i++)
      output[(*length)++] = bytes[i];
  }
  output[*length] = 0;
  if (taken == 0)
    poll(NULL, 0, patience);
}

// Runs the command of a tool of Debian's `package`, found in PATH, without a shell. Returns 0 if it does so.
static int run(const char *package) {
  char copy[sizeof command], *words[16] = {NULL}, *rest = copy;
  memcpy(copy, command, sizeof copy);
  for (int i = 0; i < 15 && rest != NULL; i++)
    words[i] = strsep(&rest, " ");
  int pipes[2], status = 0;
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return FAIL("%s: %s", command, strerror(errno));
  int64_t deadline = csupport_clock_now() + PATIENCE;
  pid_t child = 0, ended = 0;
  size_t length = 0;
  int code = spawn(words, pipes[1], &child);
  close(pipes[1]);
  while (code == 0 && (ended = waitpid(child, &status, WNOHANG)) == 0 && csupport_clock_now() < deadline)
    take_output(pipes[0], &length, 1);
  take_output(pipes[0], &length, 0);
  close(pipes[0]);
  if (code != 0)
    return code == ENOENT ? FAIL("cannot run %s: sudo apt install %s", command, package)
                          : FAIL("%s: %s", command, strerror(code));
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
  int code = RUN(tool()->package, "%s%s", tool()->name, tool()->list);
  return code == 0 ? cdesktop_screens_read(session, output) : -1;
}

// 0 for a word that is unknown.
static int transform_of(const char *word) {
  int transform = tool()->most;
  while (transform > 0 && strcmp(word, tool()->words[transform]) != 0)
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

int cdesktop_screens_turn(int index, int transform) {
  return RUN(tool()->package, "%s --output %s %s %s", tool()->name, screens[index].name, tool()->turn,
             cdesktop_screens_word(transform));
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

int cdesktop_screens_map_touch(int index) {
  if (session == CDESKTOP_SWAY && index >= 0)
    return RUN("sway", "swaymsg input type:touch map_to_output %s", screens[index].name);
  if (session != CDESKTOP_X11)
    return 0; // labwc maps what its rc.xml says
  int devices[MOST], code = RUN("xinput", "xinput list --long");
  int found = code == 0 ? cdesktop_screens_read_touch(devices, output) : 0;
  for (int i = 0; i < found && code == 0 && index >= 0; i++)
    code = RUN("xinput", "xinput map-to-output %d %s", devices[i], screens[index].name);
  return code == 0 ? found : -1;
}
