// What a broker may send.
#ifndef CMQTT_GUARD_H
#define CMQTT_GUARD_H

// Why this thread has broken a connection since cmqtt_guard_forget.
enum cmqtt_guard_verdict {
  CMQTT_GUARD_NONE = 0,
  CMQTT_GUARD_TOO_LONG = 1,  // a packet of more than CMQTT_PACKET_MAX bytes
  CMQTT_GUARD_FORBIDDEN = 2, // a packet that no broker may send to this client
};
enum cmqtt_guard_verdict cmqtt_guard_verdict(void);
void cmqtt_guard_forget(void);

#endif
