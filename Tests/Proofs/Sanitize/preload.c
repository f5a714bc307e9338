// Calls every function of the preloaded library, on a bus, on files and on other things, with a stand-in for the
// emulated sensors behind it that uses all of each buffer: the sanitizers see every write beyond its end.
#define _GNU_SOURCE
#include "plumb_bridge.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t count, size_t capacity);

static int failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "preload.c:%d: not so: %s (errno %d)\n", __LINE__, #condition, errno);                           \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

// ---- the stand-in
// ----------------------------------------------------------------------------------------------------

static int start_code;
static uint16_t last_address;

int plumb_bridge_start(const char *description, const char *journal, const char *adapter) {
  (void)journal;
  (void)adapter;
  return description && strcmp(description, "nonsense") == 0 ? -EINVAL : start_code;
}

int plumb_bridge_control(uint16_t *address, unsigned long request, void *argument) {
  if (request == I2C_SLAVE) {
    *address = (uint16_t)(unsigned long)argument;
    return 0;
  }
  if (request != I2C_RDWR)
    return -ENOTTY;
  struct i2c_rdwr_ioctl_data *data = argument;
  for (unsigned index = 0; index < data->nmsgs; index++)
    if (data->msgs[index].flags & I2C_M_RD)
      memset(data->msgs[index].buf, 0x5A, data->msgs[index].len);
  return (int)data->nmsgs;
}

static int locked;

int plumb_bridge_lock(bool asks, struct flock *lock) {
  if (asks)
    lock->l_type = F_UNLCK;
  else
    locked++;
  return lock->l_len == 0 ? -EAGAIN : 0;
}

void plumb_bridge_unlock(void) { locked = 0; }

ssize_t plumb_bridge_read(uint16_t address, void *buffer, size_t count) {
  last_address = address;
  if (count > PLUMB_BRIDGE_LONGEST_MESSAGE)
    return -EINVAL;
  memset(buffer, 0xA5, count);
  return (ssize_t)count;
}

ssize_t plumb_bridge_write(uint16_t address, const void *bytes, size_t count) {
  last_address = address;
  unsigned sum = 0;
  for (size_t index = 0; index < count; index++)
    sum += ((const unsigned char *)bytes)[index];
  return sum == 0xFFFF ? -EREMOTEIO : (ssize_t)count;
}

// ---- what is called
// ----------------------------------------------------------------------------------------------------

static void check_bus(int fd) {
  CHECK(fd >= 0);
  CHECK(ioctl(fd, I2C_SLAVE, 0x53) == 0);
  unsigned char *bytes = malloc(6);
  CHECK(write(fd, "\x32", 1) == 1 && last_address == 0x53);
  CHECK(read(fd, bytes, 6) == 6 && bytes[5] == 0xA5);
  CHECK(__read_chk(fd, bytes, 6, 6) == 6);
  struct i2c_msg messages[] = {{.addr = 0x53, .len = 1, .buf = bytes},
                               {.addr = 0x53, .flags = I2C_M_RD, .len = 6, .buf = bytes}};
  struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = 2};
  CHECK(ioctl(fd, I2C_RDWR, &data) == 2 && bytes[0] == 0x5A);
  CHECK(ioctl(fd, I2C_SMBUS, &data) == -1 && errno == ENOTTY);
  // A duplicate is the same bus, with the same address.
  int copy = dup(fd);
  CHECK(ioctl(copy, I2C_SLAVE, 0x68) == 0 && read(fd, bytes, 1) == 1 && last_address == 0x68);
  free(bytes);
  close(copy);
  close(fd);
  CHECK(read(fd, &failures, 0) == -1 && errno == EBADF);
}

static void check_opening(const char *path) {
  check_bus(open(path, O_RDWR));
  check_bus(open64(path, O_RDWR | O_CLOEXEC));
  check_bus(openat(AT_FDCWD, path, O_RDWR));
  check_bus(openat64(AT_FDCWD, path, O_RDWR));
  check_bus(__open_2(path, O_RDWR));
  check_bus(__open64_2(path, O_RDWR));
  check_bus(__openat_2(AT_FDCWD, path, O_RDWR));
  check_bus(__openat64_2(AT_FDCWD, path, O_RDWR));
  char byte;
  int fd = open(path, O_RDONLY);
  CHECK(write(fd, "x", 1) == -1 && errno == EBADF && read(fd, &byte, 1) == 1);
  close(fd);
  fd = open(path, O_WRONLY);
  CHECK(read(fd, &byte, 1) == -1 && errno == EBADF && write(fd, "x", 1) == 1);
  close(fd);
  struct stat info;
  struct stat64 info64;
  CHECK(stat(path, &info) == 0 && S_ISCHR(info.st_mode));
  CHECK(lstat(path, &info) == 0 && S_ISCHR(info.st_mode));
  CHECK(stat64(path, &info64) == 0 && S_ISCHR(info64.st_mode));
  CHECK(lstat64(path, &info64) == 0 && S_ISCHR(info64.st_mode));
  CHECK(fstatat(AT_FDCWD, path, &info, 0) == 0 && S_ISCHR(info.st_mode));
  CHECK(fstatat64(AT_FDCWD, path, &info64, 0) == 0 && S_ISCHR(info64.st_mode));
  CHECK(access(path, R_OK) == 0 && access(path, X_OK) == -1 && errno == EACCES);
  CHECK(faccessat(AT_FDCWD, path, W_OK, 0) == 0 && faccessat(AT_FDCWD, path, X_OK, 0) == -1);
}

// Everything else belongs to the system.
static void check_files(void) {
  char name[] = "/tmp/preload-XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0 && write(fd, "twelve bytes", 12) == 12);
  close(fd);
  int fds[] = {open(name, O_RDWR | O_CREAT, 0600),
               open64(name, O_RDONLY),
               openat(AT_FDCWD, name, O_RDONLY),
               openat64(AT_FDCWD, name, O_RDONLY),
               __open_2(name, O_RDONLY),
               __open64_2(name, O_RDONLY),
               __openat_2(AT_FDCWD, name, O_RDONLY),
               __openat64_2(AT_FDCWD, name, O_RDONLY)};
  for (size_t index = 0; index < sizeof fds / sizeof *fds; index++) {
    char text[12];
    CHECK(fds[index] >= 0 && read(fds[index], text, sizeof text) == 12 && memcmp(text, "twelve", 6) == 0);
    CHECK(lseek(fds[index], 0, SEEK_SET) == 0 && __read_chk(fds[index], text, 12, sizeof text) == 12);
    CHECK(ioctl(fds[index], I2C_SLAVE, 0x53) == -1 && errno == ENOTTY);
    close(fds[index]);
  }
  // A file of the size of the one that stands for a bus, with other bytes in it.
  fd = open(name, O_RDWR | O_TRUNC);
  CHECK(write(fd, "plumb-i2c-bus-2\0\0\0\0\0", 20) == 20 && unlink(name) == 0);
  char byte;
  CHECK(lseek(fd, 0, SEEK_SET) == 0 && read(fd, &byte, 1) == 1 && byte == 'p');
  close(fd);
  struct stat info;
  struct stat64 info64;
  CHECK(stat("/", &info) == 0 && S_ISDIR(info.st_mode) && lstat("/", &info) == 0);
  CHECK(stat64("/", &info64) == 0 && lstat64("/", &info64) == 0);
  CHECK(fstatat(AT_FDCWD, "/", &info, 0) == 0 && fstatat64(AT_FDCWD, "/", &info64, 0) == 0);
  CHECK(access("/", R_OK) == 0 && faccessat(AT_FDCWD, "/", R_OK, 0) == 0);
  CHECK(open("", O_RDONLY) == -1 && errno == ENOENT && access("", F_OK) == -1);
}

static void check_locks(void) {
  struct flock byte = {.l_type = F_WRLCK, .l_start = 0x53, .l_len = 1}, all = {.l_type = F_WRLCK};
  int fd = open("/dev/i2c-1", O_RDWR), other = open("/dev/i2c-1", O_RDWR);
  CHECK(fcntl(fd, F_OFD_SETLK, &byte) == 0 && fcntl64(fd, F_SETLK, &byte) == 0 && locked == 2);
  CHECK(fcntl(fd, F_SETLK, &all) == -1 && errno == EAGAIN && fcntl(fd, F_SETLK, NULL) == -1 && errno == EFAULT);
  CHECK(fcntl(fd, F_GETLK, &byte) == 0 && byte.l_type == F_UNLCK && fcntl(fd, F_GETFD) == 0);
  close(other);
  CHECK(locked == 3);
  close(fd);
  CHECK(locked == 0);
  CHECK(fcntl(fd, F_GETLK, &byte) == -1 && errno == EBADF && fcntl64(fd, F_GETFD) == -1 && close(fd) == -1);
}

// A prefix of a path, and a longer one, are not the bus; each of several is.
static void check_paths(void) {
  const char *others[] = {"/dev/i2c", "/dev/i2c-11", "/dev/i2c-1x", "x/dev/i2c-1"};
  for (size_t index = 0; index < sizeof others / sizeof *others; index++)
    CHECK(open(others[index], O_RDWR) == -1);
  // Exactly as long as it is, with nothing after it.
  char *list = strdup("/tmp/a:/tmp/bus-b:");
  setenv("PLUMB_BRIDGE_PATH", list, 1);
  free(list);
  check_opening("/tmp/a");
  check_opening("/tmp/bus-b");
  CHECK(open("/dev/i2c-1", O_RDWR) == -1 && open("/tmp/bus", O_RDWR) == -1);
  setenv("PLUMB_BRIDGE_PATH", "", 1);
  CHECK(open("/dev/i2c-1", O_RDWR) == -1);
  unsetenv("PLUMB_BRIDGE_PATH");
}

static void *talk(void *path) {
  for (int turn = 0; turn < 200; turn++) {
    char bytes[32];
    int fd = open(path, O_RDWR);
    CHECK(ioctl(fd, I2C_SLAVE, 0x53) == 0 && write(fd, bytes + 31, 0) == 0 && read(fd, bytes, sizeof bytes) == 32);
    close(fd);
  }
  return NULL;
}

int main(void) {
  check_opening("/dev/i2c-1");
  check_files();
  check_locks();
  check_paths();
  setenv("PLUMB_BRIDGE", "nonsense", 1);
  CHECK(open("/dev/i2c-1", O_RDWR) == -1 && errno == EINVAL);
  unsetenv("PLUMB_BRIDGE");
  pthread_t threads[4];
  for (int index = 0; index < 4; index++)
    CHECK(pthread_create(&threads[index], NULL, talk, "/dev/i2c-1") == 0);
  // A child has its own bus to lock.
  for (int turn = 0; turn < 20; turn++) {
    pid_t child = fork();
    if (child == 0) {
      char byte;
      int fd = open("/dev/i2c-1", O_RDWR);
      _exit(read(fd, &byte, 1) == 1 ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  for (int index = 0; index < 4; index++)
    CHECK(pthread_join(threads[index], NULL) == 0);
  return failures != 0;
}
