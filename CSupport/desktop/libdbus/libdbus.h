// libdbus, whose headers pkg-config finds: Debian puts them into folders of their own.
#include <dbus/dbus.h>
