// Calls every function of CSupport with typical and extreme arguments, in memory that ends exactly where it should,
// so that the sanitizers see each access. The kernel's devices are those of fake.h.
#define _GNU_SOURCE

#include "csupport.h"
#include "cdesktop.h"
#include "csupport_connect.h"
#include "csupport_serial.h"
#include "csupport_socket.h"
#include "csupport_spawn.h"
#include "fake.h"

#include <fcntl.h>
#include <linux/i2c.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "csupport: %s:%d: %s does not hold (errno %d)\n", __FILE__, __LINE__, #condition, errno);        \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static char folder[] = "/tmp/plumb-sanitize-XXXXXX";

// `text` in memory of exactly its size, so a read beyond it is found.
static char *exactly(const void *text, size_t count) {
  char *copy = malloc(count > 0 ? count : 1);
  memcpy(copy, text, count);
  return copy;
}

static char *in_folder(const char *name) {
  static char paths[4][160];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text, size_t count) {
  FILE *file = fopen(in_folder(name), "w");
  CHECK(file && fwrite(text, 1, count, file) == count && fclose(file) == 0);
}

// ---- Board files ----------------------------------------------------------------------------------------------------

struct seen {
  int items, stops_at;
  enum csupport_ini_kind last;
  size_t longest;
};

static int see(void *context, const struct csupport_ini_item *item) {
  struct seen *seen = context;
  seen->last = item->kind;
  size_t length = strlen(item->section) + strlen(item->name) + strlen(item->value);
  seen->longest = length > seen->longest ? length : seen->longest;
  CHECK(item->line > 0);
  return ++seen->items == seen->stops_at;
}

static struct seen parse(const char *text, size_t count, int expected) {
  struct seen seen = {.items = 0};
  char *copy = exactly(text, count);
  int result = csupport_ini_parse(copy, count, see, &seen);
  free(copy);
  CHECK((result == 0) == (expected == 0));
  return seen;
}

static void ini_files(void) {
  static const char good[] = "\xEF\xBB\xBF[i2c]\r\nbus = /dev/i2c-1 # c\n\n ; c\n[sensor]\nmodel: adxl345\n[lines]";
  CHECK(parse(good, sizeof good - 1, 0).items == 5);
  CHECK(parse("", 0, 0).items == 0);
  // Every prefix, so that it ends anywhere.
  for (size_t count = 0; count < sizeof good; count++) {
    struct seen seen = {.items = 0};
    char *copy = exactly(good, count);
    csupport_ini_parse(copy, count, see, &seen);
    free(copy);
  }
  // Lines around the longest length, as keys, sections and garbage.
  for (size_t length = CSUPPORT_INI_LINE_MAX - 3; length < CSUPPORT_INI_LINE_MAX + 10; length++) {
    char line[400] = "[a]\n";
    bool fits = length <= CSUPPORT_INI_LINE_MAX;
    memset(line + 4, 'k', length);
    CHECK(parse(line, 4 + length, 1).last == (fits ? CSUPPORT_INI_MALFORMED : CSUPPORT_INI_LONG_LINE));
    line[5] = '=';
    CHECK(parse(line, 4 + length, fits ? 0 : 1).last == (fits ? CSUPPORT_INI_ENTRY : CSUPPORT_INI_LONG_LINE));
    line[4] = '[';
    line[3 + length] = ']';
    CHECK(parse(line, 4 + length, fits ? 0 : 1).last == (fits ? CSUPPORT_INI_SECTION : CSUPPORT_INI_LONG_LINE));
  }
  CHECK(parse("[a]x\n", 5, 1).last == CSUPPORT_INI_MALFORMED);
  // Bytes that are not text: each form of UTF-8, whole, cut and wrong.
  static const char *const forms[] = {"\xC3\xA9",         "\xE0\xA0\x80",     "\xE2\x82\xAC",
                                      "\xED\x9F\xBF",     "\xEE\x80\x80",     "\xEF\xBF\xBD",
                                      "\xF0\x9F\x98\x80", "\xF1\x80\x80\x80", "\xF4\x8F\xBF\xBF"};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    char text[8] = "#";
    strcat(text, forms[i]);
    CHECK(parse(text, strlen(text), 0).items == 0);
    for (size_t count = 2; count < strlen(text); count++)
      CHECK(parse(text, count, 1).last == CSUPPORT_INI_NOT_TEXT);
    text[strlen(text) - 1] = 'x';
    CHECK(parse(text, strlen(text), 1).last == CSUPPORT_INI_NOT_TEXT);
  }
  CHECK(parse("\xC0\x80", 2, 1).last == CSUPPORT_INI_NOT_TEXT && parse("\x7F", 1, 1).items == 1);
  CHECK(parse("a\rb", 3, 1).items == 1 && parse("\r", 1, 0).items == 0);
  struct seen stops = {.stops_at = 2};
  CHECK(csupport_ini_parse(good, sizeof good - 1, see, &stops) == -ECANCELED && stops.items == 2);
  // Files: the largest, one byte more, a folder, a pipe, a missing one.
  static char large[CSUPPORT_INI_FILE_MAX + 1];
  memset(large, '\n', sizeof large);
  struct seen seen = {.items = 0};
  write_file("board", large, CSUPPORT_INI_FILE_MAX);
  CHECK(csupport_ini_parse_file(in_folder("board"), see, &seen) == 0);
  write_file("board", large, sizeof large);
  CHECK(csupport_ini_parse_file(in_folder("board"), see, &seen) == -EFBIG);
  CHECK(csupport_ini_parse_file(folder, see, &seen) == -EISDIR);
  CHECK(csupport_ini_parse_file(in_folder("none"), see, &seen) == -ENOENT);
  CHECK(csupport_ini_parse_file("/dev/zero", see, &seen) == -EFBIG);
  static const int codes[] = {-ENOENT, -ENOTDIR, -EACCES, -EPERM, -EISDIR, -EFBIG, -EIO};
  int sum = 0;
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    sum += (int)csupport_ini_trouble(codes[i]);
  CHECK(sum != 0);
}

// ---- GPIO -----------------------------------------------------------------------------------------------------------

static void lines(void) {
  uint32_t *offsets = malloc(CSUPPORT_GPIO_MOST_LINES * sizeof *offsets);
  for (uint32_t i = 0; i < CSUPPORT_GPIO_MOST_LINES; i++)
    offsets[i] = i;
  struct csupport_gpio_lines wanted = {CSUPPORT_GPIO_RASPBERRY_PI, offsets, CSUPPORT_GPIO_MOST_LINES, true};
  struct csupport_gpio *bank = NULL;
  CHECK(csupport_gpio_open(&wanted, 0x80000001u, "sanitize", &bank) == 0 && fake_levels == 0x80000001u && fake_is_low);
  CHECK(strcmp(fake_name, "sanitize") == 0);
  CHECK(csupport_gpio_set(bank, UINT32_MAX) == 0 && fake_levels == UINT32_MAX);
  fake_trouble = EIO;
  CHECK(csupport_gpio_set(bank, 0) == -EIO);
  fake_trouble = 0;
  csupport_gpio_close(bank);
  csupport_gpio_close(NULL);
  wanted = (struct csupport_gpio_lines){"pinctrl-bcm2711", offsets, 1, false};
  CHECK(csupport_gpio_open(&wanted, 1, "s", &bank) == 0 && fake_levels == 1 && !fake_is_low);
  csupport_gpio_close(bank);
  // The user of a line; with room for the whole name, for a part, for one byte and for none.
  wanted.count = CSUPPORT_GPIO_MOST_LINES;
  for (size_t size = 0; size < 40; size = size * 2 + 1) {
    size_t line = 0;
    char *name = malloc(size + 1);
    char *room = exactly(name, size);
    CHECK(csupport_gpio_holder(&wanted, &line, room, size) == 0 && line == FAKE_USED);
    CHECK(size == 0 || strlen(room) < size);
    free(name);
    free(room);
  }
  wanted.count = 3;
  size_t line = 0;
  char name[8];
  CHECK(csupport_gpio_holder(&wanted, &line, name, sizeof name) == -ENOENT);
  wanted.label = "none";
  CHECK(csupport_gpio_holder(&wanted, &line, name, sizeof name) == -ENODEV);
  CHECK(csupport_gpio_open(&wanted, 0, "s", &bank) == -ENODEV);
  CHECK(csupport_gpio_line_count("none") == -ENODEV && csupport_gpio_line_count("other") == 54);
  // Rejected: none, too many, one twice, one that the chip does not have, a chip without permission.
  wanted = (struct csupport_gpio_lines){"other", offsets, 0, false};
  CHECK(csupport_gpio_open(&wanted, 0, "s", &bank) == -EINVAL);
  wanted.count = CSUPPORT_GPIO_MOST_LINES + 1;
  CHECK(csupport_gpio_open(&wanted, 0, "s", &bank) == -EINVAL);
  wanted.count = 2;
  offsets[1] = 0;
  CHECK(csupport_gpio_open(&wanted, 0, "s", &bank) == -EINVAL);
  offsets[1] = 54;
  CHECK(csupport_gpio_open(&wanted, 0, "s", &bank) == -EINVAL);
  fake_trouble = EACCES;
  CHECK(csupport_gpio_open(&wanted, 0, "s", &bank) < 0);
  fake_trouble = 0;
  free(offsets);
  size_t models = 0;
  while (csupport_gpio_header_label(models)) {
    CHECK(csupport_gpio_header_models(models) && csupport_gpio_is_header(csupport_gpio_header_label(models)));
    models++;
  }
  CHECK(models == 3 && !csupport_gpio_header_models(models) && !csupport_gpio_is_header("x"));
}

static void ready_lines(void) {
  struct csupport_ready ready;
  CHECK(csupport_ready_open(&ready, "none", 4, "s") == -ENODEV);
  CHECK(csupport_ready_open(&ready, CSUPPORT_GPIO_RASPBERRY_PI, 5, "s") == -EOPNOTSUPP);
  CHECK(csupport_ready_open(&ready, "other", 6, "s") == -EBUSY);
  fake_trouble = EACCES;
  CHECK(csupport_ready_open(&ready, "other", 4, "s") == -EACCES);
  fake_trouble = 0;
  char long_name[200];
  memset(long_name, 'n', sizeof long_name);
  long_name[199] = '\0';
  for (uint32_t events = 0; events < 60; events += 29) {
    fake_levels = events;
    CHECK(csupport_ready_open(&ready, "other", 4, long_name) == 0);
    int woken = csupport_ready_wait(&ready, csupport_clock_now());
    CHECK(woken == (events > 0 ? CSUPPORT_WOKEN_BY_DATA : 0));
    csupport_ready_doze(&ready);
    ready.unread = 40;
    CHECK(csupport_ready_wait(&ready, csupport_clock_now()) == (events > 0 ? CSUPPORT_WOKEN_BY_DATA : 0));
    csupport_ready_discard(&ready);
    raise(SIGUSR1);
    CHECK(csupport_ready_wait(&ready, csupport_clock_now() + 1000000) == CSUPPORT_WOKEN_BY_SIGNAL);
    csupport_signals_requests();
    csupport_ready_close(&ready);
  }
}

// ---- I2C ------------------------------------------------------------------------------------------------------------

static unsigned long functions;
static int answers;

static int control(int fd, unsigned long request, void *argument) {
  (void)fd;
  if (request == 0x0705) // I2C_FUNCS
    memcpy(argument, &functions, sizeof functions);
  return answers;
}

static int block(int fd, uint8_t command, uint8_t length, uint8_t *values) {
  (void)fd;
  memset(values, command, length);
  return answers < 0 ? answers : length;
}

static uint8_t written;

static int write_some(int fd, uint8_t command, uint8_t length, const uint8_t *values) {
  (void)fd;
  uint8_t sum = command;
  for (uint8_t i = 0; i < length; i++)
    sum = (uint8_t)(sum + values[i]);
  written = sum;
  return answers < 0 ? answers : 0;
}

static int write_one(int fd, uint8_t value) { return fd + value < 0 ? 0 : answers; }

static void one_bus(struct csupport_i2c *bus, bool is_combined) {
  static const size_t sizes[] = {1, 2, 6, 31, 32, 33, 34, 255, 256, 8192, 8193};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint8_t *bytes = calloc(1, sizes[i]), reg = 0x32;
    bool fits = is_combined ? sizes[i] <= 8192 : sizes[i] <= 33;
    CHECK((csupport_i2c_write(bus, 0x53, bytes, sizes[i]) == 0) == fits);
    fits = is_combined ? sizes[i] <= 8192 : sizes[i] <= 32;
    CHECK((csupport_i2c_write_read(bus, 0x1D, &reg, 1, bytes, sizes[i]) == (int)sizes[i]) == fits);
    free(bytes);
  }
  uint8_t reg = 0;
  CHECK(csupport_i2c_write(bus, 0x53, &reg, 0) < 0 && csupport_i2c_write_read(bus, 0x53, &reg, 1, &reg, 0) == -EINVAL);
}

static void buses(void) {
  struct csupport_i2c bus;
  CHECK(csupport_i2c_open(&bus, in_folder("none")) == -ENOENT);
  CHECK(csupport_i2c_open(&bus, "/dev/null") < 0);
  fake_trouble = EINTR; // an open that a signal interrupts is repeated
  CHECK(csupport_i2c_open(&bus, "/dev/i2c-1") == 0);
  one_bus(&bus, true);
  size_t most = csupport_i2c_joined_reads(&bus);
  uint8_t reg = 0x32;
  for (size_t reads = 1; reads <= most; reads++) {
    uint8_t *values = malloc(reads * 6);
    CHECK(csupport_i2c_write_reads(&bus, 0x53, &reg, 1, values, 6, reads) == 0 && values[reads * 6 - 1] == 5);
    free(values);
  }
  CHECK(csupport_i2c_write_reads(&bus, 0x53, &reg, 1, &reg, 1, most + 1) == -EOPNOTSUPP);
  CHECK(csupport_i2c_write_reads(&bus, 0x53, &reg, 1, &reg, 0, 1) == -EINVAL);
  CHECK(csupport_i2c_write_reads(&bus, 0x53, &reg, 1, &reg, 8193, 1) < 0);
  fake_trouble = EOPNOTSUPP;
  uint8_t two[2];
  CHECK(csupport_i2c_write_reads(&bus, 0x53, &reg, 1, two, 1, 2) == -EOPNOTSUPP &&
        csupport_i2c_joined_reads(&bus) == 1);
  fake_trouble = EREMOTEIO;
  CHECK(csupport_i2c_write(&bus, 0x53, &reg, 1) == -EREMOTEIO);
  CHECK(csupport_i2c_write_read(&bus, 0x53, &reg, 1, &reg, 1) == -EREMOTEIO);
  CHECK(csupport_i2c_claim(&bus, 0x68) == -EREMOTEIO);
  fake_trouble = 0;
  const struct csupport_i2c_calls calls = {control, block, write_some, write_one};
  // An owner, and another handle of the same file that tries to become one.
  struct csupport_i2c other;
  struct csupport_i2c_owner owner;
  csupport_i2c_close(&bus);
  FILE *node = tmpfile();
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(node));
  CHECK(csupport_i2c_open_with(&bus, open(path, O_RDWR), &calls) == 0);
  CHECK(csupport_i2c_open_with(&other, open(path, O_RDWR), &calls) == 0);
  CHECK(csupport_i2c_own(&bus, 0x53, &owner) == 0 && csupport_i2c_own(&other, 0x68, &owner) == 0);
  CHECK(csupport_i2c_own(&other, 0x53, &owner) == -EBUSY && owner.is_other && owner.process == 0 && owner.name[0] == 0);
  int ready[2];
  CHECK(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    struct csupport_i2c third;
    bool owns =
        csupport_i2c_open_with(&third, open(path, O_RDWR), &calls) == 0 && csupport_i2c_own(&third, 0x1D, &owner) == 0;
    if (!owns || write(ready[1], "", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  char byte;
  close(ready[1]);
  CHECK(read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  CHECK(csupport_i2c_own(&other, 0x1D, &owner) == -EBUSY && owner.process == child && owner.name[0]);
  // A killed owner leaves no lock.
  int status = 0;
  CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  CHECK(csupport_i2c_own(&other, 0x1D, &owner) == 0 && owner.process == 0);
  csupport_i2c_close(&other);
  csupport_i2c_close(&bus);
  fclose(node);
  CHECK(csupport_i2c_claim(&bus, 0x53) == -EBADF && csupport_i2c_write(&bus, 0x53, &reg, 1) < 0);
  // Adapters with only SMBus, and with nothing.
  functions = I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_BYTE | I2C_FUNC_SMBUS_WRITE_I2C_BLOCK;
  CHECK(csupport_i2c_open_with(&bus, dup(0), &calls) == 0);
  one_bus(&bus, false);
  const uint8_t three[] = {1, 2, 4};
  CHECK(csupport_i2c_write(&bus, 0x53, three, sizeof three) == 0 && written == 7);
  CHECK(csupport_i2c_joined_reads(&bus) == 1 && csupport_i2c_write_reads(&bus, 0x53, &reg, 1, two, 1, 2) < 0);
  answers = -EINTR;
  CHECK(csupport_i2c_write(&bus, 0x53, two, 2) == -EINTR &&
        csupport_i2c_write_read(&bus, 0x53, two, 1, two, 1) == -EINTR);
  bus.functions = I2C_FUNC_I2C;
  CHECK(csupport_i2c_write(&bus, 0x53, two, 2) == -EINTR);
  answers = 0; // fewer messages than requested
  CHECK(csupport_i2c_write(&bus, 0x53, two, 2) == -EIO);
  csupport_i2c_close(&bus);
  answers = -ENOTTY;
  CHECK(csupport_i2c_open_with(&bus, dup(0), &calls) == -ENOTTY);
  answers = 0;
  CHECK(csupport_i2c_way(0, 1, 0) == -EOPNOTSUPP && csupport_i2c_way(UINT32_MAX, SIZE_MAX, 0) < 0);
}

// ---- Views ----------------------------------------------------------------------------------------------------------

static void group_file(const char *line, const char *user) {
  char text[16384];
  // Lines around the buffer sizes of 512, 1024 and 4096 bytes come first.
  size_t count = 0;
  static const size_t lengths[] = {510, 511, 512, 1023, 1024, 4094, 4095, 4096};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    memset(text + count, 'x', lengths[i]);
    count += lengths[i];
    text[count++] = '\n';
  }
  write_file("passwd", text, count - 1);
  FILE *file = fopen(in_folder("passwd"), "a");
  fprintf(file, "\n:\n%s:x:%d:4711:Name:/:/bin/sh", user, (int)getuid());
  fclose(file);
  memcpy(text + count, line, strlen(line));
  write_file("group", text, count + strlen(line));
}

static void views(void) {
  CHECK(csupport_view_read(in_folder("none"), NULL, 0) == -ENOENT);
  write_file("tree", "0123456789", 10);
  for (size_t size = 1; size < 13; size++) {
    char *room = malloc(size);
    CHECK(csupport_view_read(in_folder("tree"), room, size) == (int)(size < 10 ? size : 10));
    free(room);
  }
  char byte;
  CHECK(csupport_view_read(folder, &byte, 1) == -EISDIR);
  CHECK(csupport_view_open("/dev/i2c-1") == 0 && csupport_view_open(in_folder("none")) == -ENOENT);
  group_file("i2c:x:12:root,someone,plumb-user\n", "plumb-user");
  CHECK(csupport_view_group("i2c") == CSUPPORT_MEMBER_AT_NEXT_LOGIN &&
        csupport_view_group("i2") == CSUPPORT_NO_SUCH_GROUP);
  group_file("i2c:x:4711:\ngpio:x:4712:plumb,plumb-user2\nempty\nodd:\nodd2:x\n", "plumb-user");
  CHECK(csupport_view_group("i2c") == CSUPPORT_MEMBER_AT_NEXT_LOGIN &&
        csupport_view_group("gpio") == CSUPPORT_NO_MEMBER);
  CHECK(csupport_view_group("odd") != CSUPPORT_MEMBER_AT_NEXT_LOGIN && csupport_view_group("odd2") >= 0);
  char text[64];
  snprintf(text, sizeof text, "own:x:%d:", (int)getegid());
  group_file(text, "a-name-that-is-longer-than-the-room-for-the-names-of-users-is-here-and-now");
  CHECK(csupport_view_group("own") == CSUPPORT_MEMBER);
  char label[CSUPPORT_VIEW_NAME];
  uint32_t count = 0;
  char *room = malloc(CSUPPORT_VIEW_NAME);
  CHECK(csupport_view_chip(2, room, &count) == 0 && strlen(room) == 31 && count == 54);
  CHECK(csupport_view_chip(9, room, &count) == -ENOENT);
  CHECK(csupport_view_line(0, FAKE_USED, room) == 1 && strlen(room) == 31 && csupport_view_line(0, 3, room) == 0);
  CHECK(csupport_view_line(0, 54, room) == -EINVAL && csupport_view_line(9, 1, label) == -ENOENT);
  free(room);
}

// ---- Sockets --------------------------------------------------------------------------------------------------------

static void talk(int listener, int client) {
  int owner = -1;
  CHECK(client >= 0);
  for (int tries = 0; owner < 0 && tries < 1000; tries++) {
    owner = csupport_share_accept(listener);
    if (owner < 0)
      poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, 10);
  }
  CHECK(owner >= 0 && csupport_connect_outcome(client) == 0);
  char *first = exactly("abc", 3), *second = exactly("defg", 4), *room = malloc(7);
  CHECK(csupport_socket_send(owner, first, 3, second, 4) == 7);
  poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, 1000);
  CHECK(csupport_socket_receive(client, room, 7) == 7 && memcmp(room, "abcdefg", 7) == 0);
  CHECK(csupport_socket_is_blocked(-csupport_socket_receive(client, room, 7)));
  CHECK(csupport_socket_send(owner, first, 3, NULL, 0) == 3);
  int set = csupport_share_open_set();
  CHECK(set >= 0 && csupport_share_add(set, client, 3, CSUPPORT_SHARE_INPUT | CSUPPORT_SHARE_ROOM) == 0);
  struct csupport_share_ready *ready = malloc(CSUPPORT_SHARE_MOST_READY * sizeof *ready);
  poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, 1000);
  CHECK(csupport_share_take(set, ready) == 1 && ready[0].place == 3 && ready[0].has_input && ready[0].has_room);
  // More ready ones than one call takes.
  for (uint32_t place = 0; place < 30; place++)
    CHECK(csupport_share_add(set, dup(owner), place, CSUPPORT_SHARE_ROOM) == 0);
  CHECK(csupport_share_take(set, ready) == CSUPPORT_SHARE_MOST_READY);
  CHECK(csupport_share_change(set, client, 4, 0) == 0 && csupport_share_change(set, 999, 4, 0) < 0);
  CHECK(csupport_share_take(-1, ready) < 0);
  csupport_socket_close(owner);
  csupport_socket_close(client);
  csupport_socket_close(set);
  CHECK(csupport_socket_receive(-1, room, 1) == -EBADF && csupport_socket_send(-1, first, 1, NULL, 0) == -EBADF);
  free(first);
  free(second);
  free(room);
  free(ready);
}

static void sockets(void) {
  char path[CSUPPORT_SHARE_PATH_MAX + 3];
  // The longest path, and one byte more.
  for (size_t length = CSUPPORT_SHARE_PATH_MAX - 1; length <= CSUPPORT_SHARE_PATH_MAX + 1; length++) {
    memset(path, 's', sizeof path);
    memcpy(path, folder, strlen(folder));
    path[strlen(folder)] = '/';
    path[length] = '\0';
    char *exact = exactly(path, length + 1);
    int listener = csupport_share_listen_unix(exact);
    if (length > CSUPPORT_SHARE_PATH_MAX) {
      CHECK(listener == -ENAMETOOLONG && csupport_connect_unix(exact) == -ENAMETOOLONG);
      csupport_share_remove(exact);
    } else {
      CHECK(listener >= 0 && csupport_share_kind(listener) == CSUPPORT_SHARE_UNIX);
      talk(listener, csupport_connect_unix(exact));
      CHECK(csupport_share_listen_unix(exact) == -EADDRINUSE);
      csupport_share_remove(exact);
      CHECK(access(exact, F_OK) < 0);
      csupport_socket_close(listener);
    }
    free(exact);
  }
  CHECK(csupport_share_listen_unix("") == -ENAMETOOLONG && csupport_connect_unix("") == -ENAMETOOLONG);
  csupport_share_remove("");
  CHECK(csupport_connect_unix(in_folder("none")) == -ENOENT && csupport_share_listen_unix(in_folder("none/x")) < 0);
  csupport_share_remove(in_folder("none"));
  write_file("file", "x", 1);
  CHECK(csupport_share_listen_unix(in_folder("file")) == -EEXIST);
  // A stale socket without a listener; and a path without a folder.
  int listener = csupport_share_listen_unix(in_folder("stale"));
  csupport_socket_close(listener);
  listener = csupport_share_listen_unix(in_folder("stale"));
  CHECK(listener >= 0);
  csupport_share_remove(in_folder("stale"));
  csupport_socket_close(listener);
  CHECK(chdir(folder) == 0);
  listener = csupport_share_listen_unix("bare");
  CHECK(listener >= 0);
  csupport_share_remove("bare");
  csupport_socket_close(listener);

  static const char *const hosts[] = {"127.0.0.1", "localhost", "::1", "[::1]", "0.0.0.0"};
  for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
    CHECK(csupport_share_is_address(hosts[i]) && csupport_share_is_loopback(hosts[i]) == (i < 4));
    listener = csupport_share_listen_tcp(hosts[i], 0);
    if (listener == -EADDRNOTAVAIL || listener == -EAFNOSUPPORT) // a computer without IPv6
      continue;
    CHECK(listener >= 0 && csupport_share_adopt(listener) == 0);
    CHECK(csupport_share_kind(listener) == (i < 4 ? CSUPPORT_SHARE_LOOPBACK : CSUPPORT_SHARE_TCP));
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    uint16_t port = (uint16_t)(((const uint8_t *)&address)[2] << 8 | ((const uint8_t *)&address)[3]);
    CHECK(csupport_share_port(listener) == port);
    struct csupport_connect_addresses *found = malloc(sizeof *found);
    const char *name = i == 3 ? "::1" : i == 4 ? "127.0.0.1" : hosts[i];
    CHECK(csupport_connect_look_up(name, port, found) == 0 && found->count > 0);
    int client = -1;
    for (uint32_t k = 0; k < found->count && client < 0; k++) {
      client = csupport_connect_tcp(found, k);
      poll(&(struct pollfd){.fd = client, .events = POLLOUT}, 1, 1000);
      if (client >= 0 && csupport_connect_outcome(client) != 0) {
        close(client);
        client = -1;
      }
    }
    CHECK(csupport_connect_tcp(found, found->count) == -EINVAL);
    free(found);
    talk(listener, client);
    CHECK(csupport_share_listen_tcp(hosts[i], port) == -EADDRINUSE);
    csupport_socket_close(listener);
  }
  char long_host[100];
  memset(long_host, '1', sizeof long_host);
  long_host[99] = '\0';
  long_host[0] = '[';
  for (size_t length = 1; length < sizeof long_host; length++) {
    char *host = exactly(long_host, length + 1);
    host[length] = '\0';
    host[length - 1] = ']';
    CHECK(!csupport_share_is_address(host) && !csupport_share_is_loopback(host));
    free(host);
  }
  CHECK(csupport_share_listen_tcp("nonsense", 1) == -EINVAL);
  struct csupport_connect_addresses found;
  int code = csupport_connect_look_up("", 0, &found);
  CHECK(code != 0 && strlen(csupport_connect_lookup_text(code)) > 0);
  CHECK(csupport_connect_outcome(-1) == 1 || csupport_connect_outcome(-1) <= 0);
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  CHECK(csupport_share_kind(pair[0]) == CSUPPORT_SHARE_OTHER && csupport_share_kind(0) == CSUPPORT_SHARE_OTHER);
  CHECK(csupport_share_adopt(-1) == -EBADF && csupport_share_accept(pair[0]) < 0);
  close(pair[0]);
  close(pair[1]);
  int sum = 0;
  for (int number = 0; number < 140; number++) {
    sum +=
        csupport_share_is_exhausted(number) + csupport_file_is_too_long(number) + (int)csupport_share_trouble(number);
    sum += (int)csupport_connect_trouble(number) + (int)csupport_meaning(number);
    CHECK(strlen(csupport_error_text(number)) > 0);
  }
  CHECK(sum > 0 && strlen(csupport_error_text(-5)) > 0 && csupport_connect_timed_out() == ETIMEDOUT);
  CHECK(csupport_share_process() == getpid());
  size_t size = 1 << 20;
  char *memory = csupport_memory_map(size);
  memory[0] = memory[size - 1] = 1;
  csupport_memory_unmap(memory, size);
  CHECK(!csupport_memory_map(SIZE_MAX) && csupport_memory_none() == ENOMEM);
}

static void tokens(void) {
  char text[700], token[128];
  memset(text, 't', sizeof text);
  for (size_t length = 0; length < sizeof text; length += length < 120 || length > 500 ? 1 : 97) {
    write_file("token", text, length);
    char *room = malloc(128);
    int result = csupport_file_first_line(in_folder("token"), room, 128);
    CHECK(result == (length <= 128 ? (int)length : -EFBIG));
    free(room);
  }
  write_file("token", " \t ab \r\nrest", 12);
  CHECK(csupport_file_first_line(in_folder("token"), token, sizeof token) == 2 && memcmp(token, "ab", 2) == 0);
  CHECK(csupport_file_first_line(in_folder("none2"), token, sizeof token) == -ENOENT);
  CHECK(csupport_file_first_line(folder, token, sizeof token) == -EISDIR);
}

// ---- The process ----------------------------------------------------------------------------------------------------

static void environment(void) {
  char number[32];
  setenv("LISTEN_FDS", "2", 1);
  CHECK(csupport_share_activated() == 0);
  snprintf(number, sizeof number, "%d", (int)getpid());
  setenv("LISTEN_PID", number, 1);
  CHECK(csupport_share_activated() == 2);
  setenv("LISTEN_FDS", "99999999999999999999", 1);
  CHECK(csupport_share_activated() == 0);
  setenv("WATCHDOG_USEC", "3000000", 1);
  CHECK(csupport_notify_watchdog() == 3000000);
  setenv("WATCHDOG_PID", "1", 1);
  CHECK(csupport_notify_watchdog() == 0);
  setenv("WATCHDOG_PID", number, 1);
  setenv("WATCHDOG_USEC", "3x", 1);
  CHECK(csupport_notify_watchdog() == 0);
  unsetenv("WATCHDOG_USEC");
  CHECK(csupport_notify_watchdog() == 0);
  CHECK(csupport_notify_send("READY=1", 7) == 0 && csupport_notify_open() == 0);
  char name[200];
  memset(name, 'n', sizeof name);
  name[108] = '\0';
  name[0] = '/';
  setenv("NOTIFY_SOCKET", name, 1);
  CHECK(csupport_notify_open() == -EINVAL);
  setenv("NOTIFY_SOCKET", "relative", 1);
  CHECK(csupport_notify_open() == -EINVAL);
  name[0] = '@';
  name[107] = '\0';
  setenv("NOTIFY_SOCKET", name, 1); // the longest
  CHECK(csupport_notify_open() == 0 && csupport_notify_open() == 0);
  CHECK(csupport_notify_send("READY=1", 7) == -ECONNREFUSED);
  for (size_t size = 1; size < 70; size++) {
    char *room = malloc(size);
    int length = csupport_host_name(room, size);
    CHECK(length >= 0 && (size_t)length < size);
    free(room);
  }
  CHECK(csupport_host_credential("/etc/plumb/password", name, sizeof name) == 0);
  setenv("CREDENTIALS_DIRECTORY", folder, 1);
  write_file("password", "secret", 6);
  write_file("empty", "\n", 1);
  int wanted = (int)strlen(in_folder("password"));
  for (size_t size = 1; size < 60; size++) {
    char *room = malloc(size);
    int length = csupport_host_credential("/etc/plumb/password", room, size);
    CHECK(length == ((size_t)wanted < size ? wanted : -ENAMETOOLONG));
    free(room);
  }
  CHECK(csupport_host_credential("empty", name, sizeof name) == 0 && csupport_host_credential("x/", name, 99) == 0);
  CHECK(csupport_host_credential("none", name, sizeof name) == 0);
  CHECK(chmod(in_folder("password"), 0600) == 0 && !csupport_host_is_public(in_folder("password")));
  CHECK(chmod(in_folder("password"), 0644) == 0 && csupport_host_is_public(in_folder("password")));
  CHECK(!csupport_host_is_public(in_folder("none")));
  CHECK(csupport_random() != csupport_random());
  CHECK(csupport_clock_wall() > 0 || csupport_clock_wall() == -1);
}

static void saying(void) {
  char journal[64], text[CSUPPORT_LONGEST_LINE + 50], heard[2 * CSUPPORT_LONGEST_LINE];
  int ends[2];
  struct stat status;
  memset(text, 't', sizeof text);
  CHECK(pipe2(ends, O_NONBLOCK) == 0 && fstat(ends[1], &status) == 0);
  for (int i = 0; i < 4; i++) {
    static const char *const forms[] = {"%llu:%llu", "%llu", "x", ""};
    snprintf(journal, sizeof journal, i == 0 ? "%llu:%llu" : forms[i], (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    if (i < 3)
      setenv("JOURNAL_STREAM", journal, 1);
    else
      unsetenv("JOURNAL_STREAM");
    for (size_t count = CSUPPORT_LONGEST_LINE - 2; count < sizeof text; count += 3) {
      char *exact = exactly(text, count);
      size_t kept = count < CSUPPORT_LONGEST_LINE ? count : CSUPPORT_LONGEST_LINE;
      CHECK(csupport_daemon_say(ends[1], CSUPPORT_NOTICE, exact, count) == 0);
      CHECK(read(ends[0], heard, sizeof heard) == (ssize_t)kept + 1 + (i == 0 ? 3 : 0));
      free(exact);
    }
  }
  CHECK(csupport_daemon_say(ends[1], CSUPPORT_ERROR, "", 0) == 0);
  while (csupport_daemon_say(ends[1], CSUPPORT_ERROR, text, CSUPPORT_LONGEST_LINE) == 0) {
  }
  close(ends[0]);
  CHECK(csupport_daemon_say(ends[1], CSUPPORT_ERROR, text, 1) == -EPIPE);
  close(ends[1]);
}

// A made-up tree of frame buffers, and a file in place of the device.
static void frames(void) {
  char *classes = in_folder("frames");
  int32_t number = 7;
  uint8_t *frame = calloc(128, 1);
  CHECK(mkdir(classes, 0700) == 0);
  CHECK(csupport_frame_open(classes, folder, "RPi-Sense FB", &number) == -ENODEV && number == -1);
  CHECK(mkdir(in_folder("frames/fb2"), 0700) == 0 && mkdir(in_folder("frames/fb3"), 0700) == 0);
  write_file("frames/fb2/name", "vc4drmfb\n", 9);
  write_file("frames/fb3/name", "RPi-Sense FB\n", 13);
  CHECK(csupport_frame_open(in_folder("frames"), folder, "RPi-Sense FB", &number) == -ENOENT && number == 3);
  write_file("fb3", "", 0);
  int device = csupport_frame_open(in_folder("frames"), folder, "RPi-Sense FB", &number);
  CHECK(device >= 0 && csupport_file_write(device, frame, 128, true) == 0);
  csupport_file_close(device);
  CHECK(csupport_file_write(device, frame, 128, true) == -EBADF);
  free(frame);
}

// A made-up device of industrial I/O, with a pipe in place of its buffer.
static void devices(void) {
  char name[8];
  CHECK(mkdir(in_folder("iio"), 0700) == 0);
  CHECK(csupport_iio_write(in_folder("iio/none"), "1", 1) == -ENOENT && !csupport_iio_exists(in_folder("iio/none")));
  write_file("iio/in_accel_x_en", "0", 1);
  write_file("iio/in_z_en", "0", 1);
  write_file("iio/_en", "0", 1);
  char *one = exactly("1", 1);
  CHECK(csupport_iio_write(in_folder("iio/in_z_en"), one, 1) == 0 && csupport_iio_exists(in_folder("iio/in_z_en")));
  CHECK(csupport_iio_write("/dev/full", one, 1) == -ENOSPC);
  // In any order: the short name fits, the long one does not.
  int first = csupport_iio_element(in_folder("iio"), 0, name, sizeof name);
  int second = csupport_iio_element(in_folder("iio"), 1, name, sizeof name);
  CHECK((first == 4 && second == -ENAMETOOLONG) || (first == -ENAMETOOLONG && second == 4));
  CHECK(csupport_iio_element(in_folder("iio"), 2, name, sizeof name) == 0);
  CHECK(csupport_iio_element(in_folder("none"), 0, name, sizeof name) == -ENOENT);
  CHECK(mkfifo(in_folder("iio/buffer"), 0600) == 0);
  int buffer = csupport_iio_open(in_folder("iio/buffer"));
  int device = open(in_folder("iio/buffer"), O_WRONLY | O_NONBLOCK);
  CHECK(buffer >= 0 && device >= 0 && csupport_iio_open(in_folder("iio/none")) == -ENOENT);
  char *record = malloc(6);
  CHECK(csupport_iio_take(buffer, record, 6) == 0);
  CHECK(write(device, "abcdef", 6) == 6 && csupport_iio_take(buffer, record, 6) == 6 && record[5] == 'f');
  close(device);
  CHECK(csupport_iio_take(buffer, record, 6) == -ENODEV);
  csupport_file_close(buffer);
  CHECK(csupport_iio_take(buffer, record, 6) == -EBADF);
  CHECK(csupport_iio_make(in_folder("iio/timer")) == 0 && csupport_iio_make(in_folder("iio/timer")) == 0);
  CHECK(csupport_iio_make(in_folder("none/timer")) == -ENOENT);
  csupport_iio_remove(in_folder("iio/timer"));
  CHECK(!csupport_iio_exists(in_folder("iio/timer")));
  CHECK(csupport_iio_meaning(ENOTDIR) == CSUPPORT_IIO_ABSENT && csupport_iio_meaning(ENXIO) == CSUPPORT_IIO_GONE);
  CHECK(csupport_iio_meaning(EBUSY) == CSUPPORT_IIO_BUSY && csupport_iio_meaning(EIO) == CSUPPORT_IIO_OTHER);
  CHECK(csupport_iio_meaning(EROFS) == CSUPPORT_IIO_NOT_PERMITTED);
  free(record);
  free(one);
}

// In a child, because it locks memory: it must respond with and without rights, and with and without the address
// space of a sanitizer.
static void realtime(void) {
  pid_t child = fork();
  if (child == 0) {
    csupport_daemon_begin();
    int whole = csupport_daemon_realtime(1, true, 0);
    int part = csupport_daemon_realtime(1, false, 1);
    exit(whole >= 0 && whole <= 2 && part >= 0 && part <= 2 ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *first_use(void *unused) {
  (void)unused;
  return (void *)(intptr_t)(csupport_signals_descriptor() + csupport_wait_streams());
}

static void signals(void) {
  // Several threads that each try to be first.
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, first_use, NULL);
  intptr_t sum = 0;
  for (int i = 0; i < 8; i++) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    CHECK(i == 0 || (intptr_t)result == sum);
    sum = (intptr_t)result;
  }
  csupport_signals_uninstall();
  CHECK(csupport_signals_install(CSUPPORT_SIGNALS_OF_TOOL, CSUPPORT_BROKEN_PIPE_KILLS) == 0);
  CHECK(csupport_signals_install(CSUPPORT_SIGNALS_OF_TOOL, CSUPPORT_BROKEN_PIPE_KILLS) == 0);
  raise(SIGINT);
  CHECK(csupport_signals_received() == SIGINT && csupport_signals_requests() == CSUPPORT_STOP);
  CHECK(csupport_wait(CSUPPORT_WAIT_FOR_SIGNALS, csupport_clock_now() + 5000000) == CSUPPORT_WOKEN_BY_SIGNAL);
  int full[2];
  CHECK(pipe2(full, O_NONBLOCK) == 0);
  CHECK(csupport_signals_wait_writable(full[1], 1000) == 1);
  while (write(full[1], folder, sizeof folder) > 0) {
  }
  CHECK(csupport_signals_wait_writable(full[1], 1000) == -EINTR);
  csupport_signals_uninstall();
  CHECK(csupport_signals_wait_writable(full[1], 1) == 0);
  CHECK(csupport_signals_install(CSUPPORT_SIGNALS_OF_SERVICE, CSUPPORT_BROKEN_PIPE_STOPS) == 0);
  raise(SIGHUP);
  raise(SIGUSR1);
  CHECK(csupport_signals_requests() == (CSUPPORT_RELOAD | CSUPPORT_COUNTERS) && csupport_signals_received() == 0);
  raise(SIGPIPE);
  CHECK(csupport_signals_received() == SIGPIPE);
  csupport_signals_uninstall();
  CHECK(csupport_signals_install(CSUPPORT_SIGNALS_OF_SERVICE, CSUPPORT_BROKEN_PIPE_IGNORED) == 0);
  // Waits: due, with streams, and for several.
  int64_t now = csupport_clock_now();
  CHECK(csupport_wait(CSUPPORT_WAIT_FOR_SIGNALS, now) == 0 &&
        csupport_wait(CSUPPORT_WAIT_FOR_SIGNALS, now + 2000) == 0);
  CHECK(csupport_wait(0x7FFFFFF, now + 1000) < 0);
  struct csupport_wait_descriptor *waits = calloc(CSUPPORT_WAIT_MOST, sizeof *waits);
  for (int i = 0; i < CSUPPORT_WAIT_MOST; i++)
    waits[i] = (struct csupport_wait_descriptor){.descriptor = full[i % 2], .is_written_to = i % 2 == 1};
  waits[2].descriptor = -1;
  CHECK(csupport_wait_for(waits, CSUPPORT_WAIT_MOST, now) >= 1 && waits[0].is_ready && !waits[2].is_ready);
  CHECK(csupport_wait_for(waits, CSUPPORT_WAIT_MOST + 1, now) == -EINVAL && csupport_wait_for(waits, 0, now) == 0);
  free(waits);
  close(full[0]);
  close(full[1]);
}

// ---- Terminals ------------------------------------------------------------------------------------------------------

static int open_terminal(int *keys) {
  int screen = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(screen >= 0 && grantpt(screen) == 0 && unlockpt(screen) == 0);
  *keys = open(ptsname(screen), O_RDWR | O_NOCTTY);
  CHECK(*keys >= 0);
  return screen;
}

static void *guarded(void *unused) {
  csupport_terminal_guard_thread();
  return unused;
}

// What a child that draws leaves on the screen, whatever kills it.
static void die_of(int number) {
  int keys = -1, screen = open_terminal(&keys);
  pid_t child = fork();
  if (child == 0) {
    csupport_terminal_guard_thread();
    signal(number, SIG_DFL);
    if (csupport_terminal_begin(keys, keys, "<enter>", 7, "<leave>", 7) != 0)
      _exit(3);
    if (number == SIGTSTP) {
      raise(SIGTSTP);
      exit(csupport_terminal_was_resumed() && csupport_terminal_is_held() ? 0 : 4);
    }
    raise(number);
    _exit(5);
  }
  int status = 0;
  CHECK(waitpid(child, &status, WUNTRACED) == child);
  if (WIFSTOPPED(status)) {
    kill(child, SIGCONT);
    CHECK(waitpid(child, &status, 0) == child);
  }
  CHECK(number == SIGTSTP ? WIFEXITED(status) && WEXITSTATUS(status) == 0
                          : WIFSIGNALED(status) && WTERMSIG(status) == number);
  char seen[64] = "";
  CHECK(read(screen, seen, sizeof seen - 1) > 0 && strstr(seen, "<enter><leave>"));
  close(keys);
  close(screen);
}

static void terminals(void) {
  int keys = -1, screen = open_terminal(&keys);
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  unsigned columns = 0, rows = 0;
  CHECK(ioctl(screen, TIOCSWINSZ, &size) == 0);
  CHECK(csupport_terminal_size(keys, &columns, &rows) == 0 && columns == 80 && rows == 24);
  CHECK(csupport_terminal_size(-1, &columns, &rows) == -EBADF);
  char *longest = malloc(CSUPPORT_TERMINAL_LONGEST);
  memset(longest, 'x', CSUPPORT_TERMINAL_LONGEST);
  csupport_terminal_end();
  CHECK(csupport_terminal_begin(keys, keys, longest, CSUPPORT_TERMINAL_LONGEST + 1, "", 0) == -EINVAL);
  CHECK(csupport_terminal_begin(-1, -1, "", 0, "", 0) == 0);
  csupport_terminal_end();
  int null = open("/dev/null", O_RDWR);
  CHECK(csupport_terminal_begin(null, null, "", 0, "", 0) == -ENOTTY);
  close(null);
  CHECK(csupport_terminal_begin(keys, keys, longest, CSUPPORT_TERMINAL_LONGEST, longest, CSUPPORT_TERMINAL_LONGEST) ==
        0);
  CHECK(csupport_terminal_is_held() && csupport_terminal_begin(keys, keys, "", 0, "", 0) == -EALREADY);
  raise(SIGCONT);
  CHECK(csupport_terminal_was_resumed() && !csupport_terminal_was_resumed());
  csupport_terminal_end();
  CHECK(!csupport_terminal_is_held());
  free(longest);
  // A screen that accepts nothing more.
  int full[2];
  CHECK(pipe2(full, O_NONBLOCK) == 0);
  while (write(full[1], folder, sizeof folder) > 0) {
  }
  CHECK(csupport_terminal_begin(-1, full[1], "abc", 3, "", 0) == 0);
  csupport_terminal_end();
  close(full[0]);
  close(full[1]);
  pthread_t thread;
  pthread_create(&thread, NULL, guarded, NULL);
  pthread_join(thread, NULL);
  close(keys);
  close(screen);
  die_of(SIGTERM == SIGUSR2 ? SIGALRM : SIGUSR2);
  die_of(SIGQUIT);
  die_of(SIGTSTP);
}

// ---- Serial lines ---------------------------------------------------------------------------------------------------

// A new link to `device` in the folder of serial devices.
static void link_serial(const char *device, const char *name) {
  char link[200];
  snprintf(link, sizeof link, "%s/serial/%s", folder, name);
  CHECK(symlink(device, link) == 0);
}

static void serial_lines(void) {
  char device[64], *path = malloc(200);
  int other = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  CHECK(other >= 0 && unlockpt(other) == 0 && ptsname_r(other, device, sizeof device) == 0);
  setenv("PLUMB_SERIAL", in_folder("serial"), 1);
  CHECK(csupport_serial_board(0, path, 200) == 0 && csupport_serial_open("") == -ENOENT);
  CHECK(mkdir(in_folder("serial"), 0700) == 0);
  link_serial(device, "usb-Another_board-if00");
  CHECK(csupport_serial_board(0, path, 200) == 0 && csupport_serial_open("") == -ENOENT);
  link_serial(device, "usb-Plumb_one-if00");
  int length = csupport_serial_board(0, path, 200);
  CHECK(length > 0 && strcmp(path + length - 19, "/usb-Plumb_one-if00") == 0);
  CHECK(csupport_serial_board(1, path, 200) == 0);
  free(path);
  // As long as its memory with the zero, and a byte longer.
  path = malloc((size_t)length + 1);
  CHECK(csupport_serial_board(0, path, (size_t)length + 1) == length);
  CHECK(csupport_serial_board(0, path, (size_t)length) == 0);
  free(path);
  int line = csupport_serial_open("");
  struct termios settings;
  CHECK(line >= 0 && tcgetattr(line, &settings) == 0 && cfgetospeed(&settings) == B115200);
  CHECK(csupport_serial_open(device) == -EBUSY);
  close(line);
  // Another program has it for itself, which only Linux's own flag says; root may open it all the same.
  line = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC);
  CHECK(line >= 0 && ioctl(line, TIOCEXCL) == 0 && csupport_serial_open(device) == -EBUSY);
  CHECK(ioctl(line, TIOCNXCL) == 0);
  close(line);
  link_serial(device, "usb-Plumb_two-if00");
  CHECK(csupport_serial_open("") == -ENOTUNIQ);
  CHECK(csupport_serial_open(in_folder("serial")) == -ENOTTY && csupport_serial_open("/dev/null") == -ENOTTY);
  CHECK(csupport_serial_open(in_folder("absent")) == -ENOENT);
  unsetenv("PLUMB_SERIAL");
  CHECK(csupport_serial_board(1000, device, sizeof device) == 0);
  close(other);
  CHECK(csupport_connect_trouble(ENOTUNIQ) == CSUPPORT_CONNECT_SEVERAL);
  CHECK(csupport_connect_trouble(EBUSY) == CSUPPORT_CONNECT_IN_USE);
}

// ---- Programs -------------------------------------------------------------------------------------------------------

// Runs a shell's script, in its own group or not, with its output in the file "out". Returns as csupport_spawn_wait.
static int run_script(const char *script, char *const *variables, bool in_own_group, int milliseconds) {
  write_file("out", "", 0);
  int file = open(in_folder("out"), O_RDWR);
  char *words[] = {"sh", "-c", exactly(script, strlen(script) + 1), NULL};
  int process = csupport_spawn("sh", words, variables, (int[]){-1, file, 2}, in_own_group);
  CHECK(process > 0 && (getpgid(process) == process) == in_own_group);
  int status = csupport_spawn_wait(process, milliseconds);
  CHECK(waitpid(process, NULL, WNOHANG) == -1 && errno == ECHILD);
  free(words[2]);
  close(file);
  return status;
}

static void programs(void) {
  char text[20] = "", *nothing[] = {"nothing", NULL}, *variables[] = {"A=7", NULL};
  CHECK(csupport_spawn("/nowhere/nothing", nothing, NULL, (int[]){0, 1, 2}, false) == -ENOENT);
  CHECK(run_script("read line || exit 3", NULL, false, 5000) == 3 << 8);
  CHECK(run_script("echo $A; kill -PIPE $$", variables, false, 5000) == SIGPIPE);
  int file = open(in_folder("out"), O_RDONLY);
  CHECK(read(file, text, sizeof text) == 2 && strcmp(text, "7\n") == 0);
  close(file);
  for (int in_own_group = 0; in_own_group < 2; in_own_group++)
    CHECK(run_script("exec sleep 600", NULL, in_own_group, 20) == -ETIMEDOUT);
}

// ---- Screens --------------------------------------------------------------------------------------------------------

// A tool of PATH that writes `text`, and ends with `code`.
static void make_tool(const char *name, const char *text, int code) {
  char script[5000];
  snprintf(script, sizeof script, "#!/bin/sh\necho '%s'\nexit %d\n", text, code);
  write_file(name, script, strlen(script));
  CHECK(chmod(in_folder(name), 0700) == 0);
}

// Whether cdesktop_screens_check writes `words` and returns `is_complete`.
static bool checks(const char *wanted, const char *words, bool is_complete) {
  char text[2000] = "";
  write_file("check", "", 0);
  int file = open(in_folder("check"), O_RDWR);
  bool is_right = cdesktop_screens_check(wanted, file) == is_complete;
  is_right = pread(file, text, sizeof text - 1, 0) > 0 && strstr(text, words) != NULL && is_right;
  close(file);
  return is_right;
}

static void screens(void) {
  static const char *const texts[] = {"",
                                      "\n\n",
                                      " ",
                                      "connected",
                                      "a connected",
                                      "a connected primary 1x1+0+0 left",
                                      "a connected 1x1+0+0",
                                      "  Enabled: yes",
                                      "  Transform: 90",
                                      "a\n  Enabled: yes\n  Transform: sideways",
                                      "Class originated from: 99999999999",
                                      "Touch mode: direct"};
  char path[200];
  snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  setenv("XDG_CURRENT_DESKTOP", "ubuntu:GNOME", 1);
  CHECK(cdesktop_screens_find() == -1 && strstr(cdesktop_screens_line(), "sensor-proxy"));
  unsetenv("XDG_CURRENT_DESKTOP");
  unsetenv("DISPLAY");
  CHECK(cdesktop_screens_find() == -1 && strstr(cdesktop_screens_line(), "no graphical session"));
  setenv("DISPLAY", ":0", 1);
  setenv("PATH", folder, 1);
  CHECK(cdesktop_screens_find() == -1 && strstr(cdesktop_screens_line(), "sudo apt install x11-xserver-utils"));
  setenv("PATH", path, 1);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    make_tool("xrandr", texts[i], 0);
    make_tool("xinput", texts[i], 0);
    CHECK(checks("none", "\nerror: output none is not connected, or off; on: ", false));
  }
  char text[4000] = "";
  for (int i = 0; i < 12; i++)
    strcat(text, "01234567890123456789012345678901234567890123 connected 1x1\n"
                 "DP-1234567890123456789012345678901234567890 connected 1x1 normal\nTouch mode: direct\n");
  make_tool("xrandr", text, 0);
  CHECK(checks("", "\nerror: which output has the board? ", false) && strlen(cdesktop_screens_line()) > 250);
  make_tool("xinput", text, 0);
  CHECK(checks("DP-1234567890123456789012345678901234567890", "\ntouch screens: 8, ", true));
  make_tool("xrandr", "eDP-1 connected 1x1+0+0 right", 0);
  make_tool("xinput", "Class originated from: 6\nTouch mode: direct", 0);
  CHECK(checks("",
               "session: X11, with xrandr\noutput: eDP-1, right\nturns: eDP-1\n"
               "touch screens: 1, mapped with xinput\n",
               true));
  CHECK(cdesktop_screens_follow("", -1) == 0 && cdesktop_screens_follow("", 1) == 1);
  CHECK(strcmp(cdesktop_screens_line(), "eDP-1 turned: left") == 0);
  make_tool("xinput", "no", 3);
  CHECK(cdesktop_screens_follow("", 1) == -1);
  CHECK(strcmp(cdesktop_screens_line(), "the touch screen does not follow eDP-1: xinput list --long failed: no") == 0);
  CHECK(cdesktop_screens_follow("", 1) == 0); // it is known
  CHECK(checks("", "\nerror: xinput list", false));
  cdesktop_screens_restore();
  make_tool("xrandr", "'; yes; echo '", 0);
  CHECK(cdesktop_screens_find() == -1 && strstr(cdesktop_screens_line(), "xrandr --current failed"));

  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int listener[2];
  for (int i = 0; i < 2; i++) {
    strcpy(address.sun_path, in_folder(i == 0 ? "wayland-7" : "sway-ipc.0.1.sock"));
    listener[i] = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listener[i], (struct sockaddr *)&address, sizeof address) == 0 && listen(listener[i], 99) == 0);
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
      make_tool("wlr-randr", texts[j], 0);
      CHECK(checks("none", "\nerror: output none is not connected, or off; on: ", false));
    }
    // More than is kept is read all the same.
    make_tool("wlr-randr", "x\n  Transform: normal\n'; yes | head -c 100000; echo '", 0);
    CHECK(checks("x", i == 0 ? "rc.xml of labwc" : "swaymsg", true));
    make_tool("swaymsg", "", 0);
    CHECK(cdesktop_screens_follow("", 1) == 1);
  }
  close(listener[0]);
  close(listener[1]);
  for (char **name = (char *[]){"XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "SWAYSOCK", "DISPLAY", NULL}; *name != NULL;
       name++)
    unsetenv(*name);
}

// Each device, refused at each of its requests in turn; reports; and a device that is gone.
static void inputs(void) {
  struct cdesktop_input_event events[CDESKTOP_INPUT_MOST_EVENTS] = {{CDESKTOP_ABS_X, 1}};
  for (int kind = CDESKTOP_INPUT_WHEEL; kind <= CDESKTOP_INPUT_MOTION; kind++) {
    int requests = 0, device;
    do {
      fake_left = requests;
      device = cdesktop_input_create("/dev/uinput", (enum cdesktop_input_kind)kind);
      fake_left = -1;
      CHECK(device >= 0 || device == -EPERM);
    } while (device < 0 && ++requests < 100);
    csupport_file_close(device);
    CHECK(requests > 7 && requests < 30 && strncmp(fake_name, "Plumb ", 6) == 0);
  }
  int device = cdesktop_input_create("/dev/uinput", CDESKTOP_INPUT_NONE);
  CHECK(cdesktop_input_send(device, events, 0) == 0);
  CHECK(cdesktop_input_send(device, events, CDESKTOP_INPUT_MOST_EVENTS) == 0);
  CHECK(cdesktop_input_send(device, events, CDESKTOP_INPUT_MOST_EVENTS + 1) == -EINVAL);
  csupport_file_close(device);
  CHECK(cdesktop_input_send(device, events, 1) == -EBADF);
  CHECK(cdesktop_input_create("/nowhere/uinput", CDESKTOP_INPUT_NONE) == -ENOENT);
}

// The number of open descriptors.
static int descriptors(void) {
  int count = 0;
  for (int fd = 0; fd < 1024; fd++)
    count += fcntl(fd, F_GETFD) != -1;
  return count;
}

// Calls `cases`. They leave `kept` descriptors open; the shim must leave only that of its signals.
static void run(void (*cases)(void), int kept) {
  int before = descriptors();
  cases();
  int left = descriptors() - before;
  if (left != kept)
    fprintf(stderr, "%d descriptors are left open, not %d\n", left, kept);
  CHECK(left == kept);
}

int main(void) {
  CHECK(mkdtemp(folder) && strlen(folder) < sizeof fake_folder);
  strcpy(fake_folder, folder);
  signal(SIGALRM, SIG_DFL);
  alarm(300);
  run(ini_files, 0);
  run(lines, 0);
  run(buses, 0);
  run(views, 0);
  run(signals, 3);
  run(ready_lines, 3);
  run(sockets, 210);
  run(tokens, 0);
  run(environment, 1);
  run(saying, 0);
  run(terminals, 0);
  run(serial_lines, 0);
  run(frames, 0);
  run(devices, 0);
  run(realtime, 0);
  run(programs, 0);
  run(screens, 0);
  run(inputs, 0);
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0);
  puts("csupport: all functions of the C shim were called");
  return 0;
}
