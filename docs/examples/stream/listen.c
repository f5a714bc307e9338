// Prints the pose of a board, and what happens to it, from a stream of Plumb (docs/stream.md).
//
//     listen [ADDRESS [TOKEN-FILE]]
//
// ADDRESS is unix:PATH (default: unix:/run/plumb/stream) or tcp:HOST:PORT. It goes on until Ctrl-C. If the owner of the
// stream ends, or cannot be reached, it connects again: after half a second at first, at last every half minute.
//
// Exit codes: 64 wrong usage; 66 the token file cannot be read; 73 standard output cannot be written.
//
// Build:
//
//     cc -Wall -Wextra docs/examples/stream/listen.c -o listen
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// The owner sends its counters every 5 s, so that silence means that the connection is broken.
static const char request[] = "{\"counters\":5}\n";
enum {
  LONGEST_LINE = 1024,
  SILENCE_MS = 15000,
  SHORTEST_PAUSE_MS = 500,
  LONGEST_PAUSE_MS = 30000,
  TEXT = 512,
  STATE = TEXT + 16
};

// What was printed last about the pose: a hello after a moment's interruption may have nothing new.
static char shown[STATE];

// MARK: JSON

static const char *after_spaces(const char *at) { return at + strspn(at, " \t\r"); }

// What comes after the string at `at`, which begins with a quotation mark; NULL where it has no end.
static const char *after_string(const char *at) {
  for (at++; *at != '\0'; at++) {
    if (*at == '"')
      return at + 1;
    if (*at == '\\' && *++at == '\0')
      return NULL;
  }
  return NULL;
}

// What comes after the value at `at`: a comma or a bracket. NULL where it has no end.
static const char *after_value(const char *at) {
  int depth = 0;
  while (*at != '\0') {
    if (depth == 0 && strchr(",]}", *at))
      return at;
    if (*at == '"') {
      if (!(at = after_string(at)))
        return NULL;
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
  }
  return NULL;
}

// Finds the value of `key` in the object that a line is, not in objects within it. NULL where there is none.
static const char *find(const char *line, const char *key) {
  size_t length = strlen(key);
  const char *at = after_spaces(line);
  if (*at != '{')
    return NULL;
  at = after_spaces(at + 1);
  while (*at == '"') {
    const char *name = at + 1;
    const char *end = after_string(at);
    if (!end || *(at = after_spaces(end)) != ':')
      return NULL;
    at = after_spaces(at + 1);
    if ((size_t)(end - 1 - name) == length && memcmp(name, key, length) == 0)
      return at;
    if (!(at = after_value(at)) || *(at = after_spaces(at)) != ',')
      return NULL;
    at = after_spaces(at + 1);
  }
  return NULL;
}

// Copies the value of `key`, a string without its quotation marks. Of the escapes of JSON, those for one character of
// ASCII are resolved; Plumb writes all others as they are, in UTF-8. Control characters become spaces. "" where there
// is no such value.
static void copy_value(const char *line, const char *key, char *text, size_t capacity) {
  text[0] = '\0';
  const char *at = find(line, key);
  const char *end = at ? after_value(at) : NULL;
  if (!end)
    return;
  if (*at == '"') {
    at++;
    end = after_string(at - 1) - 1;
  }
  size_t length = 0;
  for (; at < end && length + 1 < capacity; at++) {
    if (*at == '\\')
      at++;
    text[length++] = (unsigned char)*at < ' ' ? ' ' : *at;
  }
  text[length] = '\0';
}

// MARK: Words

static bool is_pose(const char *word) {
  static const char *const poses[] = {"portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp",
                                      "faceDown"};
  for (size_t i = 0; i < sizeof poses / sizeof poses[0]; i++)
    if (strcmp(word, poses[i]) == 0)
      return true;
  return false;
}

static void print(const char *before, const char *text) {
  if (printf("%s%s\n", before, text) < 0 || fflush(stdout) != 0) {
    perror("listen: standard output");
    exit(73);
  }
}

// Prints what the pose is now, unless that is known.
static void print_state(const char *before, const char *text) {
  char state[STATE] = "";
  snprintf(state, sizeof state, "%s%s", before, text);
  if (strcmp(state, shown) == 0)
    return;
  memcpy(shown, state, sizeof shown);
  print("", state);
}

// Prints what a line says; nothing of the kinds that this program does not know. True for a hello.
static bool tell(const char *line) {
  static const struct {
    const char *event, *before, *key;
    bool is_state;
  } kinds[] = {
      {"hello", "", "pose", true},
      {"pose", "", "to", true},
      {"trouble", "unknown: ", "detail", true},
      {"recovery", "recovered: ", "detail", false},
      {"shake", "shaken", "", false},
      {"missed", "missed: ", "count", false},
      {"error", "error: ", "detail", false},
      {"bye", "the owner says: ", "detail", false},
  };
  char event[TEXT], text[TEXT];
  copy_value(line, "event", event, sizeof event);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(event, kinds[i].event) != 0)
      continue;
    copy_value(line, kinds[i].key, text, sizeof text);
    // The pose of a hello may be the reason for not knowing it.
    const char *before = i == 0 && !is_pose(text) ? "unknown: " : kinds[i].before;
    (kinds[i].is_state ? print_state : print)(before, text);
  }
  return strcmp(event, "hello") == 0;
}

// MARK: The connection

static bool wait_for(int descriptor, short events) {
  struct pollfd one = {.fd = descriptor, .events = events};
  int ready = poll(&one, 1, SILENCE_MS);
  if (ready == 0)
    errno = ETIMEDOUT;
  return ready > 0;
}

// Connects without waiting for longer than the silence that means a broken connection. The descriptor, or -1.
static int connect_to(int family, const struct sockaddr *address, socklen_t length) {
  int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0)
    return -1;
  if (connect(descriptor, address, length) != 0) {
    int code = errno;
    socklen_t size = sizeof code;
    if (code == EINPROGRESS &&
        (!wait_for(descriptor, POLLOUT) || getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0))
      code = errno;
    if (code != 0) {
      close(descriptor);
      errno = code;
      return -1;
    }
  }
  return descriptor;
}

static int connect_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path, strlen(path));
  return connect_to(AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

static int connect_tcp(const char *place) {
  char host[256];
  const char *colon = strrchr(place, ':');
  size_t length = (size_t)(colon - place);
  bool has_brackets = length >= 2 && place[0] == '[' && colon[-1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(has_brackets ? length - 2 : length), place + has_brackets);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(host, colon + 1, &hints, &found) != 0) {
    errno = EHOSTUNREACH;
    return -1;
  }
  int descriptor = -1;
  for (struct addrinfo *one = found; one && descriptor < 0; one = one->ai_next)
    descriptor = connect_to(one->ai_family, one->ai_addr, one->ai_addrlen);
  int code = errno;
  freeaddrinfo(found);
  errno = code;
  return descriptor;
}

static bool write_all(int descriptor, const char *text) {
  size_t length = strlen(text);
  while (length > 0) {
    ssize_t written = send(descriptor, text, length, MSG_NOSIGNAL);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    if (written < 0 && !wait_for(descriptor, POLLOUT))
      return false;
    text += written > 0 ? written : 0;
    length -= written > 0 ? (size_t)written : 0;
  }
  return true;
}

// Tells what comes until the connection ends; errno says why, 0 that the owner has ended it. True if there was a hello.
static bool read_lines(int descriptor) {
  char lines[LONGEST_LINE + 1];
  size_t length = 0;
  bool is_good = false;
  while (wait_for(descriptor, POLLIN)) {
    ssize_t count = recv(descriptor, lines + length, LONGEST_LINE - length, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (count <= 0) {
      errno = count == 0 ? 0 : errno;
      return is_good;
    }
    length += (size_t)count;
    char *begin = lines, *end;
    while ((end = memchr(begin, '\n', length - (size_t)(begin - lines)))) {
      *end = '\0';
      is_good = tell(begin) || is_good;
      begin = end + 1;
    }
    length -= (size_t)(begin - lines);
    memmove(lines, begin, length);
    if (length == LONGEST_LINE) {
      errno = EMSGSIZE;
      return is_good;
    }
  }
  return is_good;
}

// Sleeps for a pause, a quarter of it more or less, so that many clients do not come back at the same moment.
static void sleep_for(int milliseconds) {
  milliseconds += (int)(random() % (milliseconds / 2 + 1)) - milliseconds / 4;
  struct timespec left = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// Reads the first line of the file, and makes of it what the owner wants to read first. False where that cannot be.
static bool read_token(const char *path, char *text, size_t capacity) {
  char token[200];
  FILE *file = fopen(path, "re");
  bool is_there = file && fgets(token, sizeof token, file);
  if (file)
    fclose(file);
  if (!is_there)
    return false;
  token[strcspn(token, "\r\n")] = '\0';
  // Letters, digits, hyphens and underscores: nothing that JSON would want escaped.
  return snprintf(text, capacity, "{\"token\":\"%s\"}\n", token) > 0;
}

int main(int count, char *arguments[]) {
  const char *address = count > 1 ? arguments[1] : "unix:/run/plumb/stream";
  bool is_unix = strncmp(address, "unix:", 5) == 0 && address[5] != '\0';
  const char *colon = strncmp(address, "tcp:", 4) == 0 ? strrchr(address + 4, ':') : NULL;
  if (count > 3 || (!is_unix && (!colon || colon[1] == '\0'))) {
    fputs("usage: listen [unix:PATH | tcp:HOST:PORT [TOKEN-FILE]]\n", stderr);
    return 64;
  }
  char token[256] = "";
  if (count == 3 && !read_token(arguments[2], token, sizeof token)) {
    fprintf(stderr, "listen: %s has no token, or cannot be read\n", arguments[2]);
    return 66;
  }
  srandom((unsigned)time(NULL) ^ (unsigned)getpid());
  for (int pause = SHORTEST_PAUSE_MS;; pause = 2 * pause < LONGEST_PAUSE_MS ? 2 * pause : LONGEST_PAUSE_MS) {
    int descriptor = is_unix ? connect_unix(address + 5) : connect_tcp(address + 4);
    if (descriptor >= 0) {
      if (write_all(descriptor, token) && write_all(descriptor, request) && read_lines(descriptor))
        pause = SHORTEST_PAUSE_MS;
      int code = errno;
      close(descriptor);
      errno = code;
    }
    if (errno != 0)
      fprintf(stderr, "listen: %s: %s\n", address, strerror(errno));
    print_state("unknown: ", "the owner is gone; trying again");
    sleep_for(pause);
  }
}
