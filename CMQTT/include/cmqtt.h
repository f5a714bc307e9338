// A connection to an MQTT broker, over Eclipse Paho's asynchronous client.
#ifndef CMQTT_H
#define CMQTT_H

// The version of the library, such as 1.3.12.
const char *cmqtt_version(void);

#endif
