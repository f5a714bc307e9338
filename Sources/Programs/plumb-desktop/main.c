// The C entry point of plumb-desktop and plumb-rotate; everything else is Swift (Sources/Programs/plumb-desktop).

// Returns the exit code.
int plumb_desktop_main(int count, char **arguments);

int main(int count, char **arguments) { return plumb_desktop_main(count, arguments); }

// What the static libdbus refers to for its servers, of which there is none here, in a library that Debian has only as
// a shared one. Their arguments do not matter.
int sd_listen_fds(void);
int sd_is_socket(void);
int sd_listen_fds(void) { return 0; }
int sd_is_socket(void) { return 0; }
