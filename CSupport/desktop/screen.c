#define _GNU_SOURCE // memfd_create, and extended patterns of fnmatch

#include "cdesktop.h"
#include "csupport_connect.h"
#include "csupport_socket.h"
#include "csupport_spawn.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// Screens; milliseconds that a tool may take; bytes that it may write.
enum { MOST = 8, PATIENCE = 5000, MOST_OUTPUT = 1 << 20 };

static const char *const wayland_words[] = {"normal",  "90",         "180",         "270",
                                            "flipped", "flipped-90", "flipped-180", "flipped-270"};
static const char *const x11_words[] = {"normal", "left", "inverted", "right"};

// What lists and turns screens: of Wayland, and of X11.
static const struct tool {
  const char *package, *name, *list, *turn; // Debian's package, the program, and its options
  int most;                                 // the greatest transform
  const char *const *words;                 // of transforms
} tools[] = {
    {"wlr-randr", "wlr-randr", "", "--transform", 7, wayland_words},
    // --current: without a probe of the hardware, during which screens may flicker. A reflection is another property
    // there, and stays.
    {"x11-xserver-utils", "xrandr", " --current", "--rotate", 3, x11_words},
};

// What shows the screens: a compositor with the protocol wlr-output-management, such as labwc; sway, which maps touch
// screens too; or an X server.
static enum { WAYLAND, SWAY, X11 } session;
static struct {
  char name[44];
  int transform;
} screens[MOST];
static int count;
static char line[256], command[160];
static char output[32768]; // of the last command

// The output that follows the board; what it was like before it was turned, or -1; and the last trouble with it.
static char followed[sizeof screens[0].name], trouble[sizeof line];
static int original = -1;

#define FAIL(...) (snprintf(line, sizeof line, __VA_ARGS__), -1)
#define RUN(package, ...) (snprintf(command, sizeof command, __VA_ARGS__), run(package))

const char *cdesktop_screens_line(void) { return line; }

static const struct tool *tool(void) { return &tools[session == X11]; }

static const char *word_of(int transform) { return tool()->words[transform & tool()->most]; }

// 0 for a word that is unknown.
static int transform_of(const char *word) {
  int transform = tool()->most;
  while (transform > 0 && strcmp(word, tool()->words[transform]) != 0)
    transform--;
  return transform;
}

// Runs the command of a tool of Debian's `package`, found in PATH, without a shell. Returns 0 if it does so.
static int run(const char *package) {
  char copy[sizeof command], *words[16] = {NULL}, *rest = copy;
  memcpy(copy, command, sizeof copy);
  for (int i = 0; i < 15 && rest != NULL; i++)
    words[i] = strsep(&rest, " ");
  int file = memfd_create("output", MFD_CLOEXEC); // a pipe would have to be read while the tool runs
  struct rlimit usual = {.rlim_max = MOST_OUTPUT};
  getrlimit(RLIMIT_FSIZE, &usual);
  // It inherits the limit, as do its children, however soon they start. In a group of its own: Ctrl-C is not for it,
  // and its children are killed, too.
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){MOST_OUTPUT, usual.rlim_max});
  int child = file < 0 ? -errno : csupport_spawn(words[0], words, NULL, (int[]){-1, file, file}, true);
  setrlimit(RLIMIT_FSIZE, &usual);
  int status = child < 0 ? child : csupport_spawn_wait(child, PATIENCE);
  ssize_t length = pread(file, output, sizeof output - 1, 0);
  output[length < 0 ? 0 : length] = 0;
  close(file);
  if (status == -ENOENT)
    return FAIL("cannot run %s: sudo apt install %s", command, package);
  if (status == -ETIMEDOUT)
    return FAIL("%s did not end within 5 s", command);
  if (status < 0)
    return FAIL("%s: %s", command, strerror(-status));
  return status == 0 ? 0 : FAIL("%s failed: %.*s", command, (int)strcspn(output, "\n"), output);
}

// Whether the socket that `variable` names is served, or else one in `folder` that matches `pattern`, which it then
// names.
static bool find_socket(const char *variable, const char *folder, const char *pattern) {
  char paths[512];
  const char *name = getenv(variable) != NULL ? getenv(variable) : "";
  glob_t found = {0};
  bool is_found = false;
  snprintf(paths, sizeof paths, "{%s/%s,%s/%s}", name[0] == '/' ? "" : folder, name, folder, pattern);
  glob(paths, GLOB_BRACE, NULL, &found);
  for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
    int descriptor = csupport_connect_unix(found.gl_pathv[i]);
    is_found = descriptor >= 0 && setenv(variable, found.gl_pathv[i], 1) == 0;
    csupport_socket_close(descriptor);
  }
  globfree(&found);
  return is_found;
}

// Finds the outputs that are on in what the tool has written.
static void read_outputs(void) {
  char name[sizeof screens[0].name] = "", *rest = output;
  count = 0;
  for (char *row = strsep(&rest, "\n"); row != NULL; row = strsep(&rest, "\n")) {
    char word[16] = "";
    // Only an output that is on has a size and a place in xrandr, where the rotation is there unless it is normal, and
    // a transform in wlr-randr, below its name.
    bool is_on = session == X11 ? sscanf(row, "%43s connected%*[ primary]%*[0-9x+-]%15s", name, word) == 2
                                : sscanf(row, " Transform: %15s", word) == 1;
    if (is_on && count < MOST) {
      strcpy(screens[count].name, name);
      screens[count++].transform = transform_of(word);
    }
    if (row[0] != ' ')
      sscanf(row, "%43s", name);
  }
}

int cdesktop_screens_find(void) {
  const char *desktop = getenv("XDG_CURRENT_DESKTOP"); // such as ubuntu:GNOME
  if (desktop != NULL && fnmatch("*@(GNOME|KDE|Phosh|Cinnamon)*", desktop, FNM_EXTMATCH) == 0)
    return FAIL("%.99s turns its screen itself: enable [sensor-proxy] of plumb-desktop instead", desktop);
  char folder[32];
  snprintf(folder, sizeof folder, "/run/user/%u", (unsigned)getuid());
  setenv("XDG_RUNTIME_DIR", folder, 0);
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime != NULL && find_socket("WAYLAND_DISPLAY", runtime, "wayland-*[0-9]"))
    session = find_socket("SWAYSOCK", runtime, "sway-ipc.*.sock") ? SWAY : WAYLAND;
  else if (getenv("DISPLAY") != NULL)
    session = X11;
  else
    return FAIL("no graphical session: no socket of Wayland in XDG_RUNTIME_DIR, and no DISPLAY");
  if (RUN(tool()->package, "%s%s", tool()->name, tool()->list) != 0)
    return -1;
  read_outputs();
  return 0;
}

// Returns the index of the output to turn, or -1.
static int choose(const char *wanted, const char *last) {
  char names[MOST * sizeof screens[0]] = "";
  bool is_automatic = wanted[0] == 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(screens[i].name, is_automatic ? last : wanted) == 0)
      return i;
    strcat(strcat(names, i == 0 ? "" : ", "), screens[i].name);
  }
  for (int i = 0; is_automatic && i < count; i++)
    if (count == 1 || fnmatch("@(DSI|eDP|LVDS|DPI)*", screens[i].name, FNM_EXTMATCH) == 0)
      return i;
  if (is_automatic && count > 0)
    return FAIL("which output has the board? Set output = NAME in [rotate]; on: %.190s", names);
  return FAIL("output %.40s is not connected, or off; on: %.175s", is_automatic ? "auto" : wanted,
              count > 0 ? names : "none");
}

// Finds touch screens in what `xinput list --long` has written. Returns their number.
static int read_touch(int devices[MOST]) {
  char *rest = output;
  int device = 0, found = 0;
  for (char *row = strsep(&rest, "\n"); row != NULL; row = strsep(&rest, "\n")) {
    sscanf(row, " Class originated from: %9d", &device);
    if (strstr(row, "Touch mode: direct") != NULL && found < MOST) // a touchpad's is dependent
      devices[found++] = device;
  }
  return found;
}

// Lets touch screens follow an output; with X11, for its present rotation alone. Without one, -1, only counts them.
// Returns how many there are, 0 where the compositor knows that itself, or -1.
static int map_touch(int index) {
  if (session == SWAY && index >= 0)
    return RUN("sway", "swaymsg input type:touch map_to_output %s", screens[index].name);
  if (session != X11)
    return 0; // labwc maps what its rc.xml says
  int devices[MOST], code = RUN("xinput", "xinput list --long");
  int found = code == 0 ? read_touch(devices) : 0;
  for (int i = 0; i < found && code == 0 && index >= 0; i++)
    code = RUN("xinput", "xinput map-to-output %d %s", devices[i], screens[index].name);
  return code == 0 ? found : -1;
}

// Returns whether it has turned an output, or -1.
static int follow(const char *wanted, int transform) {
  int index = cdesktop_screens_find() < 0 ? -1 : choose(wanted, followed);
  if (index < 0)
    return -1;
  const char *name = screens[index].name;
  bool is_other = strcmp(name, followed) != 0, turns = transform >= 0 && transform != screens[index].transform;
  if (is_other)
    original = -1;
  strcpy(followed, name);
  if (turns && RUN(tool()->package, "%s --output %s %s %s", tool()->name, name, tool()->turn, word_of(transform)) != 0)
    return -1;
  if (turns && original < 0)
    original = screens[index].transform;
  if ((turns || is_other || trouble[0] != 0) && map_touch(index) < 0) {
    memcpy(output, line, sizeof line);
    return FAIL("the touch screen does not follow %s: %.170s", name, output);
  }
  return turns;
}

int cdesktop_screens_follow(const char *wanted, int transform) {
  int result = follow(wanted, transform);
  // After the first colon are a tool's own words, with times in them.
  bool is_known = result < 0 && strncmp(line, trouble, strcspn(line, ":") + 1) == 0;
  snprintf(trouble, sizeof trouble, "%s", result < 0 ? line : "");
  if (result > 0)
    snprintf(line, sizeof line, "%s turned: %s", followed, word_of(transform));
  return is_known ? 0 : result;
}

void cdesktop_screens_restore(void) {
  if (original >= 0)
    follow(followed, original);
}

bool cdesktop_screens_check(const char *wanted, int file) {
  int index = -1, touched = -1;
  if (cdesktop_screens_find() >= 0) {
    dprintf(file, "session: %s, with %s\n", session == X11 ? "X11" : "Wayland", tool()->name);
    for (int i = 0; i < count; i++)
      dprintf(file, "output: %s, %s\n", screens[i].name, word_of(screens[i].transform));
    index = choose(wanted, "");
  }
  if (index >= 0) {
    dprintf(file, "turns: %s\n", screens[index].name);
    touched = map_touch(-1);
  }
  if (touched < 0)
    dprintf(file, "error: %s\n", line);
  else if (session == X11)
    dprintf(file, "touch screens: %d, mapped with xinput\n", touched);
  else if (session == SWAY)
    dprintf(file, "touch screens: mapped with swaymsg\n");
  else
    dprintf(file, "touch screens: in rc.xml of labwc write <touch mapToOutput=\"%s\"/>\n", screens[index].name);
  return touched >= 0;
}
