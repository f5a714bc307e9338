#define _GNU_SOURCE // SOCK_CLOEXEC

#include "resolve.h"

#include "cmqtt.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// The time limit for Avahi's daemon, in milliseconds. It gives up after 5 s itself.
enum { PATIENCE = 5000 };
enum { LONGEST_NAME = 253 };

static const char usual_path[] = "/run/avahi-daemon/socket";
static _Thread_local char words[120];

const char *cmqtt_resolve_words(void) { return words; }
void cmqtt_resolve_forget(void) { words[0] = '\0'; }

bool cmqtt_is_local(const char *name) {
  static const char domain[] = ".local";
  size_t count = strlen(name);
  size_t tail = sizeof domain - 1;
  if (count > 0 && name[count - 1] == '.')
    count--;
  return count > tail && strncasecmp(name + count - tail, domain, tail) == 0;
}

static int64_t milliseconds(void) {
  struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Waits for `events`. Returns 0, -ETIMEDOUT or -errno.
static int wait_for(int daemon, short events, int64_t deadline) {
  for (;;) {
    int64_t left = deadline - milliseconds();
    struct pollfd wait = {.fd = daemon, .events = events, .revents = 0};
    int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
    if (ready != 0 && !(ready < 0 && errno == EINTR))
      return ready < 0 ? -errno : 0;
    if (ready == 0)
      return -ETIMEDOUT;
  }
}

// Sends the question and receives a line of at most `size` bytes, including its NUL. Returns 0 or -errno.
static int ask(int daemon, const char *question, char *answer, size_t size, int64_t deadline) {
  size_t count = strlen(question);
  size_t sent = 0;
  size_t received = 0;
  while (sent < count) {
    int result = wait_for(daemon, POLLOUT, deadline);
    if (result < 0)
      return result;
    ssize_t part = send(daemon, question + sent, count - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (part < 0 && errno != EAGAIN && errno != EINTR)
      return -errno;
    sent += part > 0 ? (size_t)part : 0;
  }
  while (received + 1 < size) {
    int result = wait_for(daemon, POLLIN, deadline);
    if (result < 0)
      return result;
    ssize_t part = recv(daemon, answer + received, size - 1 - received, MSG_DONTWAIT);
    if (part == 0)
      return -ECONNRESET;
    if (part < 0 && errno != EAGAIN && errno != EINTR)
      return -errno;
    received += part > 0 ? (size_t)part : 0;
    answer[received] = '\0';
    char *end = strchr(answer, '\n');
    if (end != NULL) {
      *end = '\0';
      return 0;
    }
  }
  return -EMSGSIZE;
}

// The address in "+ 2 0 broker.local 192.0.2.7".
static int take(char *answer, char *address, size_t size) {
  char *rest = NULL;
  const char *word = strtok_r(answer, " ", &rest);
  if (word == NULL || strcmp(word, "+") != 0)
    return -EPROTO;
  for (int i = 0; i < 4; i++)
    word = strtok_r(NULL, " ", &rest);
  if (word == NULL || strlen(word) >= size)
    return -EPROTO;
  memcpy(address, word, strlen(word) + 1);
  return 0;
}

// Stores the daemon's message, the text of "-15 Timeout reached", with printable characters only.
static void keep_words(const char *answer) {
  const char *text = strchr(answer, ' ');
  size_t count = 0;
  for (text = text != NULL ? text + 1 : answer; *text != '\0' && count + 1 < sizeof words; text++)
    words[count++] = *text >= ' ' && *text <= '~' ? *text : '?';
  words[count] = '\0';
}

int cmqtt_resolve_local(const char *path, const char *name, char *address, size_t size) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  char question[LONGEST_NAME + 32];
  char answer[LONGEST_NAME + 128];
  cmqtt_resolve_forget();
  if (path == NULL)
    path = usual_path;
  if (strlen(path) >= sizeof to.sun_path || strlen(name) > LONGEST_NAME || strpbrk(name, " \r\n") != NULL)
    return -EINVAL;
  memcpy(to.sun_path, path, strlen(path) + 1);
  snprintf(question, sizeof question, "RESOLVE-HOSTNAME-IPV4 %s\n", name);
  int daemon = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (daemon < 0)
    return -errno;
  int64_t deadline = milliseconds() + PATIENCE;
  int result = connect(daemon, (const struct sockaddr *)&to, sizeof to) < 0 ? -errno : 0;
  if (result < 0)
    snprintf(words, sizeof words, "Avahi's daemon cannot be asked: %s", strerror(-result));
  if (result == 0)
    result = ask(daemon, question, answer, sizeof answer, deadline);
  close(daemon);
  if (result == -ETIMEDOUT)
    snprintf(words, sizeof words, "Avahi's daemon does not answer");
  if (result == 0 && answer[0] == '-') {
    keep_words(answer);
    return -ENOENT;
  }
  return result < 0 ? result : take(answer, address, size);
}

// The function that the linker's option --wrap=getaddrinfo substitutes for getaddrinfo, and its name for the C
// library's own. Without that option neither is used.
__attribute__((weak)) int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                                             struct addrinfo **list);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list);

int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list) {
  char address[64];
  struct addrinfo wanted = {.ai_flags = 0, .ai_family = AF_UNSPEC};
  if (__real_getaddrinfo == NULL)
    return EAI_FAIL;
  if (node == NULL || !cmqtt_is_local(node) || (hints != NULL && (hints->ai_flags & AI_NUMERICHOST)))
    return __real_getaddrinfo(node, service, hints, list);
  int result = cmqtt_resolve_local(getenv("PLUMB_AVAHI_SOCKET"), node, address, sizeof address);
  if (result == -ETIMEDOUT)
    return EAI_AGAIN;
  if (result < 0)
    return EAI_NONAME;
  if (hints != NULL)
    wanted = *hints;
  wanted.ai_flags |= AI_NUMERICHOST;
  // The C library creates the list, because it also frees it.
  return __real_getaddrinfo(address, service, &wanted, list);
}
