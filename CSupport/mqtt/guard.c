// Paho allocates memory for a packet as soon as it knows its length, up to 256 MiB, and twice that to pass it on; it
// reads bytes that begin no valid packet for ever. It has no setting for either. So received data passes through here
// first, where the two or so initial bytes of each packet decide whether to break the connection.
#define _GNU_SOURCE // pthread_getname_np

#include "guard.h"

#include "cmqtt.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { HIGHEST_DESCRIPTOR = 1023 };

// The position of a connection in the stream of packets. Only Paho's single receiving thread uses it.
struct place {
  ino_t socket; // a descriptor may belong to another socket by now
  enum { AT_HEADER, AT_LENGTH, AT_BODY } part;
  unsigned shift;
  uint32_t left;
};

static struct place places[HIGHEST_DESCRIPTOR + 1];
static _Thread_local enum cmqtt_guard_verdict verdict;

enum cmqtt_guard_verdict cmqtt_guard_verdict(void) { return verdict; }
void cmqtt_guard_forget(void) { verdict = CMQTT_GUARD_NONE; }

// Whether this is Paho's receiving thread. Other parts of a program may use the same functions.
static bool is_receiving(void) {
  static _Thread_local enum { UNKNOWN, NO, YES } known;
  char name[16] = "";
  if (known == UNKNOWN)
    known = pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "MQTTAsync_rcv") == 0 ? YES : NO;
  return known == YES;
}

static struct place *place_of(int descriptor) {
  struct stat status;
  if (descriptor < 0 || descriptor > HIGHEST_DESCRIPTOR || fstat(descriptor, &status) < 0)
    return NULL;
  struct place *place = &places[descriptor];
  if (place->socket != status.st_ino)
    *place = (struct place){.socket = status.st_ino};
  return place;
}

// Whether a broker may send packets that begin with `header`: MQTT 3.1.1, 2.2, to a client that publishes and
// subscribes with QoS 1.
static bool is_allowed(unsigned char header) {
  switch (header >> 4) {
  case 3:                           // PUBLISH
    return ((header >> 1) & 3) < 2; // its QoS
  case 2:                           // CONNACK
  case 4:                           // PUBACK
  case 9:                           // SUBACK
  case 11:                          // UNSUBACK
  case 13:                          // PINGRESP
    return true;
  default:
    return false;
  }
}

static enum cmqtt_guard_verdict take_length(struct place *place, unsigned char byte) {
  place->left |= (uint32_t)(byte & 0x7F) << place->shift;
  place->shift += 7;
  if (place->left > CMQTT_PACKET_MAX)
    return CMQTT_GUARD_TOO_LONG;
  if (byte & 0x80)
    return place->shift < 28 ? CMQTT_GUARD_NONE : CMQTT_GUARD_FORBIDDEN;
  place->part = place->left > 0 ? AT_BODY : AT_HEADER;
  return CMQTT_GUARD_NONE;
}

static enum cmqtt_guard_verdict take(struct place *place, const unsigned char *bytes, size_t count) {
  enum cmqtt_guard_verdict found = CMQTT_GUARD_NONE;
  for (size_t i = 0; i < count && found == CMQTT_GUARD_NONE;) {
    size_t step = 1;
    switch (place->part) {
    case AT_HEADER:
      found = is_allowed(bytes[i]) ? CMQTT_GUARD_NONE : CMQTT_GUARD_FORBIDDEN;
      place->part = AT_LENGTH;
      place->shift = place->left = 0;
      break;
    case AT_LENGTH:
      found = take_length(place, bytes[i]);
      break;
    case AT_BODY:
      step = count - i < place->left ? count - i : place->left;
      place->left -= (uint32_t)step;
      if (place->left == 0)
        place->part = AT_HEADER;
      break;
    }
    i += step;
  }
  return found;
}

// Whether received bytes may be passed on to Paho.
static bool may_pass(int descriptor, const void *bytes, size_t count) {
  struct place *place = is_receiving() ? place_of(descriptor) : NULL;
  if (place == NULL)
    return true;
  enum cmqtt_guard_verdict found = take(place, bytes, count);
  if (found != CMQTT_GUARD_NONE)
    verdict = found;
  return found == CMQTT_GUARD_NONE;
}

// Paho's calls of recv and SSL_read arrive here: in dynamic programs, because a program's own functions take precedence
// over those of shared libraries; in static programs, through the linker's options --wrap=recv and --wrap=SSL_read.

ssize_t __wrap_recv(int descriptor, void *bytes, size_t size, int flags);
int __wrap_SSL_read(SSL *connection, void *bytes, int size);

ssize_t __wrap_recv(int descriptor, void *bytes, size_t size, int flags) {
  ssize_t count = recvfrom(descriptor, bytes, size, flags, NULL, NULL);
  if (count <= 0 || may_pass(descriptor, bytes, (size_t)count))
    return count;
  errno = EPROTO;
  return -1;
}

int __wrap_SSL_read(SSL *connection, void *bytes, int size) {
  size_t count = 0;
  if (size < 0 || SSL_read_ex(connection, bytes, (size_t)size, &count) != 1)
    return -1;
  return may_pass(SSL_get_fd(connection), bytes, count) ? (int)count : -1;
}

// A sanitizer has a weak recv of its own, which would be the one; with it, make sanitize-swift defines this as empty.
#ifndef CMQTT_WEAK_RECV
#define CMQTT_WEAK_RECV __attribute__((weak))
#endif

CMQTT_WEAK_RECV ssize_t recv(int descriptor, void *bytes, size_t size, int flags) {
  return __wrap_recv(descriptor, bytes, size, flags);
}

__attribute__((weak)) int SSL_read(SSL *connection, void *bytes, int size) {
  return __wrap_SSL_read(connection, bytes, size);
}
