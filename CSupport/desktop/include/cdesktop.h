// What a desktop needs in C: the system bus over libdbus, input devices through /dev/uinput, and the tool of a
// compositor. Every function is prefixed cdesktop_, and returns a value or -errno. None blocks unless stated otherwise.
#ifndef CDESKTOP_H
#define CDESKTOP_H

#if __has_include("cdesktop_bus.h")
#include "cdesktop_bus.h"
#endif
#if __has_include("cdesktop_input.h")
#include "cdesktop_input.h"
#endif
#if __has_include("cdesktop_screen.h")
#include "cdesktop_screen.h"
#endif

#endif
