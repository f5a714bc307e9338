// The C entry point of plumbd; everything else is Swift (Sources/Programs/plumbd).

// Returns the exit code.
int plumbd_main(int count, char **arguments);

int main(int count, char **arguments) { return plumbd_main(count, arguments); }
