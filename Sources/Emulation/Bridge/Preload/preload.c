// A library to preload (LD_PRELOAD): a program that opens /dev/i2c-1 gets Plumb's emulated sensors; its other files are
// unaffected.
//
//     PLUMB_BRIDGE          the sensors and what they measure: "adxl345@0x53=0,0,1; mpu6050@0x68=0.5,-0.25,0.8"
//     PLUMB_BRIDGE_PATH     the bus's path, or several separated by colons; by default /dev/i2c-1
//     PLUMB_BRIDGE_ADAPTER  bcm2835 (the default) accepts a read only as the last message; designware accepts any
//     PLUMB_BRIDGE_JOURNAL  a file through which processes share the bus; else each has its own, just powered on
//
// An open bus is a small anonymous file in memory that holds all that is known of it, so that dup, fork and exec need
// no special care. It differs from i2c-dev where programs do not look: fstat calls it a regular file, and readv, pread
// and stdio see that file's bytes.
#undef _FORTIFY_SOURCE // its inline functions are those defined here
#define _GNU_SOURCE

#include "plumb_bridge.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// The contents of the file that represents an open bus.
struct open_bus {
  char mark[16];
  uint16_t address; // as set by I2C_SLAVE
  uint16_t access;  // O_RDONLY, O_WRONLY or O_RDWR
  uint16_t locks;   // whether any of its bytes were locked
};

static const char mark[16] = "plumb-i2c-bus-1";

// i2c-dev's number among the kernel's character devices.
enum { i2c_major = 89 };

// The bus takes one transaction at a time.
static pthread_mutex_t bus = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handlers = PTHREAD_ONCE_INIT;

static void lock(void) { pthread_mutex_lock(&bus); }
static void unlock(void) { pthread_mutex_unlock(&bus); }
// A child must not inherit a lock held by a thread that it does not have.
static void handle_forks(void) { pthread_atfork(lock, unlock, unlock); }

// The libc function that `name` hides, looked up once: a signal handler may write, and must not call dlsym.
#define LIBC(name)                                                                                                     \
  ({                                                                                                                   \
    static _Atomic(void *) found;                                                                                      \
    (__typeof__(&(name)))libc_function(&found, #name);                                                                 \
  })

static void *libc_function(_Atomic(void *) *found, const char *name) {
  void *function = *found;
  if (!function)
    function = *found = dlsym(RTLD_NEXT, name);
  if (!function)
    abort();
  return function;
}

static bool names_bus(const char *path) {
  const char *list = getenv("PLUMB_BRIDGE_PATH");
  if (!path || path[0] == '\0')
    return false;
  size_t length = strlen(path);
  for (const char *rest = list ? list : "/dev/i2c-1"; rest; rest = strchr(rest, ':')) {
    rest += *rest == ':';
    if (strncmp(rest, path, length) == 0 && (rest[length] == '\0' || rest[length] == ':'))
      return true;
  }
  return false;
}

static int failed(int code) {
  errno = code;
  return -1;
}

static int open_bus(int flags) {
  pthread_once(&fork_handlers, handle_forks);
  lock();
  int code = plumb_bridge_start(getenv("PLUMB_BRIDGE"), getenv("PLUMB_BRIDGE_JOURNAL"), getenv("PLUMB_BRIDGE_ADAPTER"));
  unlock();
  if (code < 0)
    return failed(-code);
  int fd = memfd_create("i2c", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (fd < 0)
    return -1;
  struct open_bus file = {.address = 0, .access = (uint16_t)(flags & O_ACCMODE)};
  memcpy(file.mark, mark, sizeof mark);
  if (pwrite(fd, &file, sizeof file, 0) != sizeof file) {
    close(fd);
    return failed(ENOMEM);
  }
  return fd;
}

// Whether `fd` is a bus; if it is, fills `file` with what is known of it.
static bool recall(int fd, struct open_bus *file) {
  struct stat info;
  int before = errno;
  bool is_bus = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0 && info.st_size == sizeof *file &&
                pread(fd, file, sizeof *file, 0) == sizeof *file && memcmp(file->mark, mark, sizeof mark) == 0;
  errno = before;
  return is_bus;
}

// ---- open -----------------------------------------------------------------------------------------------------------

// The mode that the caller gave, or 0 if the flags require none.
#define MODE(flags, mode)                                                                                              \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                             \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    mode = va_arg(list, mode_t);                                                                                       \
    va_end(list);                                                                                                      \
  }

static int open_any(int folder, const char *path, int flags, mode_t mode) {
  return names_bus(path) ? open_bus(flags) : LIBC(openat64)(folder, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_any(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_any(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return open_any(folder, path, flags, mode);
}

// The functions called by programs built with _FORTIFY_SOURCE; no header declares them. None takes a mode.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t count, size_t capacity);

int __open_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char *path, int flags) { return open_any(folder, path, flags, 0); }
int __openat64_2(int folder, const char *path, int flags) { return open_any(folder, path, flags, 0); }

// ---- ioctl, read, write ---------------------------------------------------------------------------------------------

int ioctl(int fd, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  struct open_bus file;
  if (!recall(fd, &file))
    return LIBC(ioctl)(fd, request, argument);
  lock();
  uint16_t address = file.address;
  int result = plumb_bridge_control(&address, request, argument);
  if (address != file.address)
    pwrite(fd, &address, sizeof address, offsetof(struct open_bus, address));
  unlock();
  return result < 0 ? failed(-result) : result;
}

static ssize_t read_bus(const struct open_bus *file, void *buffer, size_t count) {
  if (file->access == O_WRONLY)
    return failed(EBADF);
  lock();
  ssize_t result = plumb_bridge_read(file->address, buffer, count);
  unlock();
  return result < 0 ? failed((int)-result) : result;
}

ssize_t read(int fd, void *buffer, size_t count) {
  struct open_bus file;
  return recall(fd, &file) ? read_bus(&file, buffer, count) : LIBC(read)(fd, buffer, count);
}

ssize_t __read_chk(int fd, void *buffer, size_t count, size_t capacity) {
  struct open_bus file;
  return recall(fd, &file) && count <= capacity ? read_bus(&file, buffer, count)
                                                : LIBC(__read_chk)(fd, buffer, count, capacity);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  struct open_bus file;
  if (!recall(fd, &file))
    return LIBC(write)(fd, bytes, count);
  if (file.access == O_RDONLY)
    return failed(EBADF);
  lock();
  ssize_t result = plumb_bridge_write(file.address, bytes, count);
  unlock();
  return result < 0 ? failed((int)-result) : result;
}

// ---- locks on bytes of the bus: how its owners know of each other ---------------------------------------------------

// All locks are the process's own, even those that are said to belong to the open file.
static int control_lock(int fd, int command, struct flock *wanted) {
  bool asks = command == F_GETLK || command == F_OFD_GETLK;
  uint16_t locks = 1;
  lock();
  int result = wanted ? plumb_bridge_lock(asks, wanted) : -EFAULT;
  if (result == 0 && !asks)
    pwrite(fd, &locks, sizeof locks, offsetof(struct open_bus, locks));
  unlock();
  return result < 0 ? failed(-result) : 0;
}

static bool is_lock(int command) {
  return command == F_GETLK || command == F_SETLK || command == F_OFD_GETLK || command == F_OFD_SETLK;
}

// The C library's `function`, but with locks on the bus.
#define CONTROL(function)                                                                                              \
  int function(int fd, int command, ...) {                                                                             \
    va_list list;                                                                                                      \
    va_start(list, command);                                                                                           \
    void *argument = va_arg(list, void *);                                                                             \
    va_end(list);                                                                                                      \
    struct open_bus file;                                                                                              \
    return is_lock(command) && recall(fd, &file) ? control_lock(fd, command, argument)                                 \
                                                 : LIBC(function)(fd, command, argument);                              \
  }

CONTROL(fcntl)
CONTROL(fcntl64)

// As for any file, closing a descriptor releases the process's locks on it.
int close(int fd) {
  struct open_bus file;
  if (recall(fd, &file) && file.locks) {
    lock();
    plumb_bridge_unlock();
    unlock();
  }
  return LIBC(close)(fd);
}

// ---- stat, access: some programs look before they open -----------------------------------------------------------

static int describe(struct stat *info) {
  *info = (struct stat){.st_mode = S_IFCHR | 0660, .st_nlink = 1, .st_rdev = makedev(i2c_major, 1)};
  return 0;
}

// On 64 bits the two structures are identical.
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "the bridge is for 64-bit Linux");

int stat(const char *path, struct stat *info) { return names_bus(path) ? describe(info) : LIBC(stat)(path, info); }

int stat64(const char *path, struct stat64 *info) {
  return names_bus(path) ? describe((struct stat *)info) : LIBC(stat64)(path, info);
}

int lstat(const char *path, struct stat *info) { return names_bus(path) ? describe(info) : LIBC(lstat)(path, info); }

int lstat64(const char *path, struct stat64 *info) {
  return names_bus(path) ? describe((struct stat *)info) : LIBC(lstat64)(path, info);
}

int fstatat(int folder, const char *path, struct stat *info, int flags) {
  return names_bus(path) ? describe(info) : LIBC(fstatat)(folder, path, info, flags);
}

int fstatat64(int folder, const char *path, struct stat64 *info, int flags) {
  return names_bus(path) ? describe((struct stat *)info) : LIBC(fstatat64)(folder, path, info, flags);
}

int access(const char *path, int mode) {
  return !names_bus(path) ? LIBC(access)(path, mode) : mode & X_OK ? failed(EACCES) : 0;
}

int faccessat(int folder, const char *path, int mode, int flags) {
  return !names_bus(path) ? LIBC(faccessat)(folder, path, mode, flags) : mode & X_OK ? failed(EACCES) : 0;
}
