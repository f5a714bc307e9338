#define _GNU_SOURCE // accept4

#include "csupport_share.h"

#include "csupport_wait.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// The number of connections that the kernel queues until they are accepted.
enum { BACKLOG = 64 };

_Static_assert(CSUPPORT_SHARE_PATH_MAX + 1 == sizeof((struct sockaddr_un *)NULL)->sun_path,
               "paths have another length");

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_un local;
};

static int closing(int descriptor, int result) {
  close(descriptor);
  return result;
}

// Whether another program listens on the socket. 0 if none does, 1, or -errno.
static int is_in_use(const union address *address) {
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0)
    return -errno;
  int code = connect(probe, &address->any, sizeof address->local) < 0 ? errno : 0;
  close(probe);
  // EAGAIN: more connections wait than fit in its queue. A missing permission to connect leaves it open.
  return code == ECONNREFUSED ? 0 : code == 0 || code == EAGAIN || code == EACCES || code == EPERM ? 1 : -code;
}

// Removes a socket file without a listener. Returns 0 or -errno.
static int remove_stale(const union address *address) {
  struct stat status;
  const char *path = address->local.sun_path;
  if (lstat(path, &status) < 0)
    return errno == ENOENT ? 0 : -errno;
  if (!S_ISSOCK(status.st_mode))
    return -EEXIST;
  int used = is_in_use(address);
  if (used != 0)
    return used == -ENOENT ? 0 : used < 0 ? used : -EADDRINUSE;
  return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

// Locks the folder of `path`, so that of two programs that start together, neither removes the other's fresh socket.
// Returns a descriptor to close, or a negative number if this is not possible within a second: anyone who may read the
// folder can lock it, and must not be able to prevent this program from starting.
static int lock_folder(const char *path) {
  char folder[CSUPPORT_SHARE_PATH_MAX + 2];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int attempt = 0; lock >= 0 && attempt < 20; attempt++) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return lock;
    nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = 50000000}, NULL);
  }
  return lock;
}

static int bind_unix(int listener, const union address *address) {
  int removed = remove_stale(address);
  if (removed < 0)
    return removed;
  if (bind(listener, &address->any, sizeof address->local) < 0)
    return -errno;
  // Not with umask, which applies to the whole process. Until then the mode is stricter, if anything.
  if (chmod(address->local.sun_path, 0660) < 0 || listen(listener, BACKLOG) < 0) {
    int code = errno;
    unlink(address->local.sun_path);
    return -code;
  }
  return listener;
}

int csupport_share_listen_unix(const char *path) {
  union address address = {.local = {.sun_family = AF_UNIX}};
  size_t length = strlen(path);
  if (length == 0 || length > CSUPPORT_SHARE_PATH_MAX)
    return -ENAMETOOLONG;
  memcpy(address.local.sun_path, path, length + 1);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0)
    return -errno;
  fchmod(listener, 0600); // the mode that bind() gives the file
  int lock = lock_folder(path);
  int result = bind_unix(listener, &address);
  if (lock >= 0)
    close(lock);
  return result < 0 ? closing(listener, result) : result;
}

// Whether the socket file at `address` belongs to this process.
static bool is_own(const union address *address) {
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0)
    return false;
  struct ucred owner = {.pid = 0};
  socklen_t size = sizeof owner;
  bool is_own = connect(probe, &address->any, sizeof address->local) < 0
                    ? errno == EAGAIN // it is in use, and more connections wait than fit in its queue
                    : getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0 && owner.pid == getpid();
  close(probe);
  return is_own;
}

void csupport_share_remove(const char *path) {
  union address address = {.local = {.sun_family = AF_UNIX}};
  size_t length = strlen(path);
  if (length == 0 || length > CSUPPORT_SHARE_PATH_MAX)
    return;
  memcpy(address.local.sun_path, path, length + 1);
  if (is_own(&address))
    unlink(path);
}

// The address `host`, without a port. Returns its size, or 0.
static socklen_t parse(const char *host, union address *address) {
  char bare[INET6_ADDRSTRLEN];
  size_t length = strlen(host);
  memset(address, 0, sizeof *address);
  if (strcmp(host, "localhost") == 0)
    host = "127.0.0.1";
  if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
    address->v4.sin_family = AF_INET;
    return sizeof address->v4;
  }
  if (length >= 2 && host[0] == '[' && host[length - 1] == ']' && length - 2 < sizeof bare) {
    memcpy(bare, host + 1, length - 2);
    bare[length - 2] = '\0';
    host = bare;
  }
  if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) != 1)
    return 0;
  address->v6.sin6_family = AF_INET6;
  return sizeof address->v6;
}

static bool is_loopback(const union address *address) {
  if (address->any.sa_family == AF_INET)
    return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
  return address->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

bool csupport_share_is_address(const char *host) {
  union address address;
  return parse(host, &address) > 0;
}

bool csupport_share_is_loopback(const char *host) {
  union address address;
  return parse(host, &address) > 0 && is_loopback(&address);
}

int csupport_share_listen_tcp(const char *host, uint16_t port) {
  union address address;
  socklen_t size = parse(host, &address);
  if (size == 0)
    return -EINVAL;
  if (address.any.sa_family == AF_INET)
    address.v4.sin_port = htons(port);
  else
    address.v6.sin6_port = htons(port);
  int listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0)
    return -errno;
  int one = 1; // connections of a previous owner must not prevent the next one from starting
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, &address.any, size) < 0 || listen(listener, BACKLOG) < 0)
    return closing(listener, -errno);
  return listener;
}

int csupport_share_port(int listener) {
  union address address;
  socklen_t size = sizeof address;
  if (getsockname(listener, &address.any, &size) < 0)
    return -errno;
  return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

int csupport_share_activated(void) {
  const char *process = getenv("LISTEN_PID");
  const char *count = getenv("LISTEN_FDS");
  if (!process || !count || strtol(process, NULL, 10) != getpid())
    return 0;
  long number = strtol(count, NULL, 10);
  return number > 0 && number < 1024 ? (int)number : 0;
}

enum csupport_share_kind csupport_share_kind(int listener) {
  union address address;
  socklen_t size = sizeof address;
  int type = 0;
  int listens = 0;
  socklen_t length = sizeof type;
  if (getsockopt(listener, SOL_SOCKET, SO_TYPE, &type, &length) < 0 || type != SOCK_STREAM)
    return CSUPPORT_SHARE_OTHER;
  length = sizeof listens;
  if (getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0 || !listens ||
      getsockname(listener, &address.any, &size) < 0)
    return CSUPPORT_SHARE_OTHER;
  if (address.any.sa_family == AF_UNIX)
    return CSUPPORT_SHARE_UNIX;
  if (address.any.sa_family != AF_INET && address.any.sa_family != AF_INET6)
    return CSUPPORT_SHARE_OTHER;
  return is_loopback(&address) ? CSUPPORT_SHARE_LOOPBACK : CSUPPORT_SHARE_TCP;
}

int csupport_share_adopt(int listener) {
  int flags = fcntl(listener, F_GETFL);
  bool is_done =
      flags >= 0 && fcntl(listener, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(listener, F_SETFD, FD_CLOEXEC) == 0;
  return is_done ? 0 : -errno;
}

// A TCP client that has vanished silently is noticed after about a minute; each line is sent at once.
static void prepare_tcp(int client) {
  int one = 1;
  int idle = 30;
  int interval = 10;
  int probes = 3;
  setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  setsockopt(client, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(client, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(client, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

int csupport_share_accept(int listener) {
  union address address;
  socklen_t size = sizeof address;
  int client = accept4(listener, &address.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0)
    return -errno;
  if (address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6)
    prepare_tcp(client);
  return client;
}

bool csupport_share_is_exhausted(int code) {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

enum csupport_share_trouble csupport_share_trouble(int code) {
  switch (code) {
  case EADDRINUSE:
    return CSUPPORT_SHARE_IN_USE;
  case EEXIST:
    return CSUPPORT_SHARE_NOT_A_SOCKET;
  case ENAMETOOLONG:
    return CSUPPORT_SHARE_BAD_PATH;
  case EADDRNOTAVAIL:
    return CSUPPORT_SHARE_NO_ADDRESS;
  default:
    return CSUPPORT_SHARE_NO_SOCKET;
  }
}

int csupport_share_open_set(void) {
  int outer = csupport_wait_streams();
  int set = outer < 0 ? outer : epoll_create1(EPOLL_CLOEXEC);
  if (outer < 0 || set < 0)
    return outer < 0 ? outer : -errno;
  int result = csupport_wait_add(outer, set, CSUPPORT_WOKEN_BY_STREAM, false);
  return result < 0 ? closing(set, result) : set;
}

static int control(int set, int operation, int descriptor, uint32_t place, int wanted) {
  struct epoll_event event = {.events = 0, .data.u32 = place};
  if (wanted & CSUPPORT_SHARE_INPUT)
    event.events |= EPOLLIN;
  if (wanted & CSUPPORT_SHARE_ROOM)
    event.events |= EPOLLOUT;
  return epoll_ctl(set, operation, descriptor, &event) < 0 ? -errno : 0;
}

int csupport_share_add(int set, int descriptor, uint32_t place, int wanted) {
  return control(set, EPOLL_CTL_ADD, descriptor, place, wanted);
}

int csupport_share_change(int set, int descriptor, uint32_t place, int wanted) {
  return control(set, EPOLL_CTL_MOD, descriptor, place, wanted);
}

int csupport_share_take(int set, struct csupport_share_ready *ready) {
  struct epoll_event events[CSUPPORT_SHARE_MOST_READY];
  int count = epoll_wait(set, events, CSUPPORT_SHARE_MOST_READY, 0);
  if (count < 0)
    return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    uint32_t bits = events[i].events;
    ready[i] = (struct csupport_share_ready){.place = events[i].data.u32,
                                             .has_input = bits & EPOLLIN,
                                             .has_room = bits & EPOLLOUT,
                                             .is_gone = bits & (EPOLLHUP | EPOLLERR)};
  }
  return count;
}

int csupport_share_process(void) { return getpid(); }
