#define _GNU_SOURCE // SOCK_CLOEXEC under -std=c11, strerrordesc_np

#include "csupport_connect.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

_Static_assert(sizeof(struct sockaddr_in6) <= sizeof((struct csupport_connect_addresses *)NULL)->bytes[0],
               "an address has no room");

static int begin(const struct sockaddr *address, socklen_t size) {
  int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0)
    return -errno;
  // A Unix socket whose owner has not yet accepted other connections returns EAGAIN: retry then.
  if (connect(descriptor, address, size) == 0 || errno == EINPROGRESS)
    return descriptor;
  int code = errno;
  close(descriptor);
  return -code;
}

int csupport_connect_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path)
    return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length + 1);
  return begin((const struct sockaddr *)&address, sizeof address);
}

int csupport_connect_look_up(const char *host, uint16_t port, struct csupport_connect_addresses *addresses) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *list = NULL;
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  addresses->count = 0;
  // Also where there is no /etc/hosts (RFC 6761, 6.3); an owner at localhost listens there too.
  if (strcmp(host, "localhost") == 0)
    host = "127.0.0.1";
  int code = getaddrinfo(host, service, &hints, &list);
  if (code != 0)
    return code;
  for (struct addrinfo *entry = list; entry && addresses->count < CSUPPORT_CONNECT_MOST_ADDRESSES;
       entry = entry->ai_next) {
    if (entry->ai_addrlen > sizeof addresses->bytes[0])
      continue;
    memcpy(addresses->bytes[addresses->count], entry->ai_addr, entry->ai_addrlen);
    addresses->sizes[addresses->count++] = entry->ai_addrlen;
  }
  freeaddrinfo(list);
  return addresses->count > 0 ? 0 : EAI_NONAME;
}

const char *csupport_connect_lookup_text(int code) { return gai_strerror(code); }

int csupport_connect_tcp(const struct csupport_connect_addresses *addresses, uint32_t index) {
  if (index >= addresses->count)
    return -EINVAL;
  return begin((const struct sockaddr *)addresses->bytes[index], addresses->sizes[index]);
}

int csupport_connect_outcome(int descriptor) {
  struct pollfd wait = {.fd = descriptor, .events = POLLOUT, .revents = 0};
  int ready = poll(&wait, 1, 0);
  if (ready <= 0)
    return ready == 0 || errno == EINTR ? 1 : -errno;
  int code = 0;
  socklen_t size = sizeof code;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) < 0 ? -errno : -code;
}

enum csupport_connect_trouble csupport_connect_trouble(int code) {
  switch (code) {
  case ENOENT:
  case ENOTDIR:
  case ENXIO:
  case ENODEV:
  case EIO:
    return CSUPPORT_CONNECT_NO_SOCKET;
  case ECONNREFUSED:
    return CSUPPORT_CONNECT_NO_LISTENER;
  case EACCES:
  case EPERM:
    return CSUPPORT_CONNECT_NOT_PERMITTED;
  case EPROTOTYPE:
  case ENOTSOCK:
  case ENOTTY:
    return CSUPPORT_CONNECT_NOT_A_SOCKET;
  case EBUSY:
    return CSUPPORT_CONNECT_IN_USE;
  case ENOTUNIQ:
    return CSUPPORT_CONNECT_SEVERAL;
  default:
    return CSUPPORT_CONNECT_OTHER;
  }
}

bool csupport_connect_is_early(int code) { return code == ENOENT || code == ECONNREFUSED || code == EAGAIN; }

int csupport_connect_timed_out(void) { return ETIMEDOUT; }

const char *csupport_connect_text(int code) {
  const char *text = strerrordesc_np(code);
  return text ? text : "an unknown error";
}
