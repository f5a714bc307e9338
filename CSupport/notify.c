#define _GNU_SOURCE // SOCK_CLOEXEC

#include "csupport_notify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int manager = -1;
// Kept instead of connecting, because the service manager may re-create its socket.
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size;

int csupport_notify_open(void) {
  const char *name = getenv("NOTIFY_SOCKET");
  if (!name || manager >= 0)
    return 0;
  size_t length = strlen(name);
  if ((name[0] != '/' && name[0] != '@') || length < 2 || length >= sizeof address.sun_path)
    return -EINVAL;
  memcpy(address.sun_path, name, length);
  if (name[0] == '@')
    address.sun_path[0] = '\0'; // in that case there is no NUL at the end
  address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] == '/'));
  manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return manager < 0 ? -errno : 0;
}

int csupport_notify_send(const char *text, size_t count) {
  const struct sockaddr *to = (const struct sockaddr *)&address;
  if (manager < 0)
    return 0;
  return sendto(manager, text, count, MSG_DONTWAIT | MSG_NOSIGNAL, to, address_size) < 0 ? -errno : 0;
}

int64_t csupport_notify_watchdog(void) {
  const char *span = getenv("WATCHDOG_USEC");
  const char *process = getenv("WATCHDOG_PID");
  char *rest = NULL;
  if (!span || (process && strtoll(process, NULL, 10) != getpid()))
    return 0;
  long long microseconds = strtoll(span, &rest, 10);
  return *rest == '\0' && microseconds > 0 ? microseconds : 0;
}
