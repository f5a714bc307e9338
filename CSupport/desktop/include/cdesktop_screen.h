// Screens, through the tools of a compositor or of an X server: wlr-randr, swaymsg, xrandr, xinput. In C because these
// are child processes and lines of text. Nothing here is for more than one thread.
#ifndef CDESKTOP_SCREEN_H
#define CDESKTOP_SCREEN_H

// What shows the screens: a compositor with the protocol wlr-output-management, such as labwc; sway, which maps touch
// screens too; or an X server.
enum cdesktop_session { CDESKTOP_WAYLAND = 0, CDESKTOP_SWAY = 1, CDESKTOP_X11 = 2 };

// Finds the session, and lists its outputs that are on, at most 8. A compositor that was started again may have other
// sockets than the environment says; then those found in XDG_RUNTIME_DIR are used. Returns their number, or -1 with
// cdesktop_screens_error(). Blocks for as long as the tool takes, but at most 5 s, as all functions below do.
int cdesktop_screens_find(void);

// What is wrong, after a function has returned -1: a sentence for people.
const char *cdesktop_screens_error(void);

// What cdesktop_screens_find has found.
enum cdesktop_session cdesktop_screens_session(void);
const char *cdesktop_screens_name(int index);
// By how many quarter turns the content is turned counter-clockwise, 0 to 3; 4 more if Wayland mirrors it before.
int cdesktop_screens_transform(int index);

// What the tool of the session calls a transform.
const char *cdesktop_screens_word(int transform);

// The output to turn: the one called `wanted`; if that is empty, the one called `last`, else the one that is built in,
// else the only one. Returns its index or -1.
int cdesktop_screens_choose(const char *wanted, const char *last);

// Gives the output called `name` a transform. Returns 0 or -1.
int cdesktop_screens_turn(const char *name, int transform);

// Lets touch screens follow the output called `name`; with X11, for its present rotation alone. NULL: only counts them.
// Returns how many there are, 0 where the compositor knows that itself, or -1.
int cdesktop_screens_map_touch(const char *name);

// For cdesktop_screens_find: reads what the session's tool has written, and changes it. Returns the number of outputs.
int cdesktop_screens_read(enum cdesktop_session of, char *text);

// For cdesktop_screens_map_touch: reads the numbers of at most 8 touch screens in what `xinput list --long` has
// written, and changes it. Returns how many there are.
int cdesktop_screens_read_touch(int devices[8], char *text);

#endif
