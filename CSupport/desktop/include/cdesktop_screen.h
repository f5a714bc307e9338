// A compositor's own tools, and the session that they belong to. In C because a child process needs memory that Swift
// would take from a heap.
#ifndef CDESKTOP_SCREEN_H
#define CDESKTOP_SCREEN_H

#include <stddef.h>

// What shows the screens.
enum cdesktop_session {
  CDESKTOP_NO_SESSION = 0,
  CDESKTOP_WAYLAND = 1, // a compositor
  CDESKTOP_SWAY = 2,    // a compositor that swaymsg configures
  CDESKTOP_X11 = 3,
  CDESKTOP_LISTENER = 4, // a desktop that turns its screens by itself if net.hadess.SensorProxy says so
};

// What there is now. A compositor that was started again may have other sockets than the environment says: then this
// sets WAYLAND_DISPLAY and SWAYSOCK to those found in XDG_RUNTIME_DIR.
enum cdesktop_session cdesktop_session_find(void);

enum { CDESKTOP_MISSING = -1, CDESKTOP_OVERDUE = -2, CDESKTOP_NOT_RUN = -3 };

// Runs a tool of PATH without a shell: `command` is its name and arguments with one blank between, at most 255 bytes.
// Waits for its end; after `milliseconds` it is killed with its children. Returns its exit code, 128 and the signal
// that ended it, or one of the above.
int cdesktop_run(const char *command, int milliseconds);

// What the last tool wrote to standard output and standard error, cut at 32 KiB; valid until the next one runs.
const char *cdesktop_run_output(size_t *length);

#endif
