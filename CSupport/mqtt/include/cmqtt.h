// A connection to an MQTT broker, over Eclipse Paho's asynchronous client: MQTT 3.1.1, a clean session, QoS 1. In C
// because Paho calls back on threads of its own. What they report waits in a bounded queue with one descriptor to wait
// for; nothing else is shared with them. Paho keeps nothing for later: without a connection nothing is accepted, and a
// connection that is lost is made again only by cmqtt_connect.
// Every function is prefixed cmqtt_, and returns a value or -errno. None blocks, but where it says so.
#ifndef CMQTT_H
#define CMQTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of the library, such as 1.3.12.
const char *cmqtt_version(void);

// A client. Allocated by cmqtt_open, and to be used by one thread at a time.
struct cmqtt;

// Makes a client. From the first one on, the process ignores SIGPIPE: Paho writes to its sockets without asking not to
// get one. Returns 0 or -errno.
int cmqtt_open(struct cmqtt **client);

// The texts of a configuration.
enum cmqtt_text {
  CMQTT_HOST = 0,             // a name or an address
  CMQTT_CLIENT_ID = 1,        //
  CMQTT_USER = 2,             // empty: none
  CMQTT_PASSWORD = 3,         // empty: none; part of no message
  CMQTT_WILL_TOPIC = 4,       // empty: no will
  CMQTT_WILL = 5,             // retained, with QoS 1
  CMQTT_CA_FILE = 6,          // certificates that are trusted, in PEM
  CMQTT_CERTIFICATE_FILE = 7, // the client's own certificate, in PEM; empty: none
  CMQTT_KEY_FILE = 8,         // its key, in PEM; empty: in the same file
};
enum { CMQTT_TEXTS = 9 };

// Takes over a copy of `text`; for the next connection. Returns 0 or -ENOMEM.
int cmqtt_set(struct cmqtt *client, enum cmqtt_text which, const char *text);

// The numbers of a configuration.
struct cmqtt_link {
  uint16_t port;
  uint16_t keep_alive; // s
  uint16_t patience;   // s; from the beginning of an attempt until the broker has accepted the client
  bool tls;
  bool verify; // the broker's certificate, and that it is for the host
};

// What became of something; see struct cmqtt_news.
enum cmqtt_kind {
  CMQTT_NONE = 0,
  CMQTT_CONNECTED = 1,    // the broker has accepted the client
  CMQTT_REFUSED = 2,      // an attempt to connect has failed: `reason`, `code`, `text`
  CMQTT_LOST = 3,         // a connection has ended: `reason`, `code`, `text`
  CMQTT_DELIVERED = 4,    // the broker has acknowledged `token`
  CMQTT_FAILED = 5,       // it will not acknowledge `token`
  CMQTT_SUBSCRIBED = 6,   // the broker has accepted a subscription
  CMQTT_UNSUBSCRIBED = 7, // the broker has refused one, or will not answer
  CMQTT_MESSAGE = 8,      // `topic`, `payload`
};

// Why there is no connection.
enum cmqtt_reason {
  CMQTT_UNKNOWN = 0,
  CMQTT_NAME = 1,        // the host's name has no address; `text` if more is known
  CMQTT_SYSTEM = 2,      // the system's error `code`: refused, no route…
  CMQTT_TIME = 3,        // no answer for `patience`, or for one and a half times `keep_alive`
  CMQTT_CLOSED = 4,      // the broker has closed the connection
  CMQTT_DENIED = 5,      // the broker has refused the client; `code` of MQTT 3.1.1, 1 to 5
  CMQTT_TLS = 6,         // no TLS connection; `text` is OpenSSL's
  CMQTT_CERTIFICATE = 7, // the broker's certificate is not valid; `text` is OpenSSL's
  CMQTT_HOST_NAME = 8,   // the broker's certificate is for another host
  CMQTT_FILE = 9,        // the file `text` cannot be read; the system's error `code`
  CMQTT_TOO_LONG = 10,   // the broker has sent a packet of more than CMQTT_PACKET_MAX bytes
  CMQTT_FORBIDDEN = 11,  // the broker has sent what is no packet of MQTT, or none for this client
};

// The longest packet that is received, in bytes behind its length: one that is longer ends the connection before there
// is room for it.
enum { CMQTT_PACKET_MAX = 65536 };

// The codes of CMQTT_DENIED that a person can do something about.
enum { CMQTT_BAD_CLIENT_ID = 2, CMQTT_BAD_PASSWORD = 4, CMQTT_NOT_AUTHORISED = 5 };

// The longest topic and payload of a message that is received, in bytes.
enum { CMQTT_TOPIC_MAX = 256, CMQTT_PAYLOAD_MAX = 512 };

// What is new. The pointers are valid until the next call for this client.
struct cmqtt_news {
  enum cmqtt_kind kind;
  enum cmqtt_reason reason;
  int code;
  uint16_t token;
  const char *text;    // ends with NUL; empty where it does not apply
  const char *topic;   // of a message; ends with NUL
  const void *payload; // of a message
  size_t topic_count, payload_count;
  bool is_retained;
  bool is_too_long; // topic or payload is longer than above: both are empty
  uint32_t dropped; // how many messages before this one came too fast to be kept
};

// A descriptor that is readable while something is new. Do not read or close it.
int cmqtt_descriptor(const struct cmqtt *client);

// Begins to connect. It ends with CMQTT_CONNECTED or CMQTT_REFUSED; then come messages and tokens, until CMQTT_LOST.
// After CMQTT_REFUSED and CMQTT_LOST nothing more comes of that connection: what was not delivered by then is not, or
// is but unknown to be. Returns 0, -EALREADY if a connection is there or under way, or -EINVAL without a host.
int cmqtt_connect(struct cmqtt *client, const struct cmqtt_link *link);

// The most publications and subscriptions that may be unacknowledged at once.
enum { CMQTT_MOST_IN_FLIGHT = 16 };

// Publishes with QoS 1. It ends with CMQTT_DELIVERED or CMQTT_FAILED, or with the connection. Returns 0, -ENOTCONN
// without a connection, -EAGAIN if too many are unacknowledged, or -errno.
int cmqtt_publish(struct cmqtt *client, uint16_t token, const char *topic, const void *payload, size_t count,
                  bool is_retained);

// Subscribes with QoS 1. Returns as cmqtt_publish.
int cmqtt_subscribe(struct cmqtt *client, const char *topic);

// Takes what is new. Returns whether there was something.
bool cmqtt_next(struct cmqtt *client, struct cmqtt_news *news);

// Disconnects in order, so that the broker does not publish the will, and frees the client. Waits until all
// publications are acknowledged and the broker has the goodbye, `milliseconds` at most. NULL is allowed. While an
// attempt to connect is under way it does not wait: Paho may be resolving a name, which cannot be stopped; memory and
// attempt then stay until the program ends.
void cmqtt_close(struct cmqtt *client, int milliseconds);

// The address of a name below .local, asked of Avahi's daemon at its socket `path` (NULL: the usual one), which takes 5
// s at most. Writes it to `address` in digits. Returns 0, -ENOENT if there is no such host, -ETIMEDOUT, or -errno: no
// daemon. For static programs, whose C library cannot load the plug-in that does this in others: linked with
// --wrap=getaddrinfo, they resolve such names here. PLUMB_AVAHI_SOCKET in the environment names another socket.
int cmqtt_resolve_local(const char *path, const char *name, char *address, size_t size);

// Whether `name` is below .local.
bool cmqtt_is_local(const char *name);

#endif
