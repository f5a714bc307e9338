// A connection to an MQTT broker, over Eclipse Paho's asynchronous client: MQTT 3.1.1, a clean session, QoS 1. In C
// because Paho calls back on its own threads. Their reports wait in a bounded queue with one descriptor to wait for;
// nothing else is shared with them. Paho stores nothing for later: without a connection nothing is accepted, and a lost
// connection is restored only by cmqtt_connect. Every function is prefixed cmqtt_, and returns a value or -errno. None
// blocks unless stated otherwise.
#ifndef CMQTT_H
#define CMQTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of the library, such as 1.3.12.
const char *cmqtt_version(void);

// A client. Allocated by cmqtt_open, and used by one thread at a time.
struct cmqtt;

// Creates a client. From the first one on, the process ignores SIGPIPE, because Paho writes to its sockets without
// suppressing it. Returns 0 or -errno.
int cmqtt_open(struct cmqtt **client);

// The texts of a configuration.
enum cmqtt_text {
  CMQTT_HOST = 0,             // a name or an address
  CMQTT_CLIENT_ID = 1,        //
  CMQTT_USER = 2,             // empty: none
  CMQTT_PASSWORD = 3,         // empty: none; never part of a message
  CMQTT_WILL_TOPIC = 4,       // empty: no will
  CMQTT_WILL = 5,             // retained, with QoS 1
  CMQTT_CA_FILE = 6,          // trusted certificates, in PEM
  CMQTT_CERTIFICATE_FILE = 7, // the client's own certificate, in PEM; empty: none
  CMQTT_KEY_FILE = 8,         // its key, in PEM; empty: in the same file
};
enum { CMQTT_TEXTS = 9 };

// Stores a copy of `text` for the next connection. Returns 0 or -ENOMEM.
int cmqtt_set(struct cmqtt *client, enum cmqtt_text which, const char *text);

// The numbers of a configuration.
struct cmqtt_link {
  uint16_t port;
  uint16_t keep_alive; // s
  uint16_t patience;   // s; from the start of an attempt until the broker has accepted the client
  bool tls;
  bool verify; // the broker's certificate, and that it is for this host
};

// The kind of a report; see struct cmqtt_news.
enum cmqtt_kind {
  CMQTT_NONE = 0,
  CMQTT_CONNECTED = 1,    // the broker has accepted the client
  CMQTT_REFUSED = 2,      // an attempt to connect has failed: `reason`, `code`, `text`
  CMQTT_LOST = 3,         // a connection has ended: `reason`, `code`, `text`
  CMQTT_DELIVERED = 4,    // the broker has acknowledged `token`
  CMQTT_FAILED = 5,       // the broker will not acknowledge `token`
  CMQTT_SUBSCRIBED = 6,   // the broker has accepted a subscription
  CMQTT_UNSUBSCRIBED = 7, // the broker has refused one, or will not reply
  CMQTT_MESSAGE = 8,      // `topic`, `payload`
};

// Why there is no connection.
enum cmqtt_reason {
  CMQTT_UNKNOWN = 0,
  CMQTT_NAME = 1,        // the host's name has no address; `text` if more is known
  CMQTT_SYSTEM = 2,      // the system's error `code`: refused, no route…
  CMQTT_TIME = 3,        // no reply for `patience`, or for one and a half times `keep_alive`
  CMQTT_CLOSED = 4,      // the broker has closed the connection
  CMQTT_DENIED = 5,      // the broker has refused the client; `code` of MQTT 3.1.1, 1 to 5
  CMQTT_TLS = 6,         // no TLS connection; `text` is OpenSSL's message
  CMQTT_CERTIFICATE = 7, // the broker's certificate is not valid; `text` is OpenSSL's message
  CMQTT_HOST_NAME = 8,   // the broker's certificate is for another host
  CMQTT_FILE = 9,        // the file `text` cannot be read; the system's error `code`
  CMQTT_TOO_LONG = 10,   // the broker has sent a packet of more than CMQTT_PACKET_MAX bytes
  CMQTT_FORBIDDEN = 11,  // the broker has sent no valid MQTT packet, or one not meant for this client
};

// The longest packet that is received, in bytes after its length: a longer one ends the connection before memory is
// allocated for it.
enum { CMQTT_PACKET_MAX = 65536 };

// The codes of CMQTT_DENIED that a user can act on.
enum { CMQTT_BAD_CLIENT_ID = 2, CMQTT_BAD_PASSWORD = 4, CMQTT_NOT_AUTHORISED = 5 };

// The longest topic and payload of a received message, in bytes.
enum { CMQTT_TOPIC_MAX = 256, CMQTT_PAYLOAD_MAX = 512 };

// A report. The pointers are valid until the next call for this client.
struct cmqtt_news {
  enum cmqtt_kind kind;
  enum cmqtt_reason reason;
  int code;
  uint16_t token;
  const char *text;    // NUL-terminated; empty if it does not apply
  const char *topic;   // of a message; NUL-terminated
  const void *payload; // of a message
  size_t topic_count, payload_count;
  bool is_retained;
  bool is_too_long; // topic or payload is longer than the limits above: both are empty
  uint32_t dropped; // how many messages before this one arrived too fast to be kept
};

// A descriptor that is readable while there are reports. Do not read or close it.
int cmqtt_descriptor(const struct cmqtt *client);

// Starts to connect. The attempt ends with CMQTT_CONNECTED or CMQTT_REFUSED; messages and tokens follow, until
// CMQTT_LOST. After CMQTT_REFUSED and CMQTT_LOST that connection reports nothing more: publications without a report by
// then are not delivered, or delivered without confirmation. Returns 0, -EALREADY if a connection exists or is in
// progress, or -EINVAL without a host.
int cmqtt_connect(struct cmqtt *client, const struct cmqtt_link *link);

// The largest number of publications and subscriptions that may be unacknowledged at once.
enum { CMQTT_MOST_IN_FLIGHT = 16 };

// Publishes with QoS 1. It ends with CMQTT_DELIVERED or CMQTT_FAILED, or with the connection. Returns 0, -ENOTCONN
// without a connection, -EAGAIN if too many are unacknowledged, or -errno.
int cmqtt_publish(struct cmqtt *client, uint16_t token, const char *topic, const void *payload, size_t count,
                  bool is_retained);

// Subscribes with QoS 1. Returns as cmqtt_publish.
int cmqtt_subscribe(struct cmqtt *client, const char *topic);

// Gets the next report. Returns whether there was one.
bool cmqtt_next(struct cmqtt *client, struct cmqtt_news *news);

// Disconnects cleanly, so that the broker does not publish the will, and frees the client. Waits until all publications
// are acknowledged and the broker has received the disconnect, at most `milliseconds`. NULL is allowed. During an
// attempt to connect it does not wait: Paho may be resolving a name, which cannot be interrupted; the memory and the
// attempt then stay until the program ends.
void cmqtt_close(struct cmqtt *client, int milliseconds);

// Resolves a name below .local by asking Avahi's daemon at its socket `path` (NULL: the usual one), which takes at most
// 5 s. Writes the numeric address to `address`. Returns 0, -ENOENT if there is no such host, -ETIMEDOUT, or -errno: no
// daemon. For static programs, whose C library cannot load the plug-in that does this in others: linked with
// --wrap=getaddrinfo, they resolve such names here. PLUMB_AVAHI_SOCKET in the environment names another socket.
int cmqtt_resolve_local(const char *path, const char *name, char *address, size_t size);

// Whether `name` is below .local.
bool cmqtt_is_local(const char *name);

#endif
