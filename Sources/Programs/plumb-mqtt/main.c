// The C entry point of plumb-mqtt; everything else is Swift (Sources/Programs/plumb-mqtt).

// Returns the exit code.
int plumb_mqtt_main(int count, char **arguments);

int main(int count, char **arguments) { return plumb_mqtt_main(count, arguments); }
