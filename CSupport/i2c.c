#define _GNU_SOURCE // O_CLOEXEC and F_OFD_SETLK under -std=c11

#include "csupport_i2c.h"
#include "libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// After the kernel's headers, whose types it needs.
#include <i2c/smbus.h>

// The limits of i2c-dev: bytes in a message; and reads in a call, each with its write.
enum { longest_message = 8192, most_joined = I2C_RDWR_IOCTL_MAX_MSGS / 2 };

static int system_control(int fd, unsigned long request, void *argument) {
  int result = ioctl(fd, request, argument);
  return result < 0 ? -errno : result;
}

static const struct csupport_i2c_calls system_calls = {
    .control = system_control,
    .read_block = i2c_smbus_read_i2c_block_data,
    .write_block = i2c_smbus_write_i2c_block_data,
    .write_byte = i2c_smbus_write_byte,
};

int csupport_i2c_way(uint32_t functions, size_t written, size_t received) {
  if (written == 0)
    return -EINVAL;
  if (functions & I2C_FUNC_I2C)
    return written <= longest_message && received <= longest_message ? CSUPPORT_I2C_COMBINED : -EOPNOTSUPP;
  // SMBus sends a command byte of its own before the block.
  uint32_t needed = received > 0   ? I2C_FUNC_SMBUS_READ_I2C_BLOCK
                    : written == 1 ? I2C_FUNC_SMBUS_WRITE_BYTE
                                   : I2C_FUNC_SMBUS_WRITE_I2C_BLOCK;
  int fits = received > 0 ? written == 1 && received <= I2C_SMBUS_BLOCK_MAX : written <= 1 + I2C_SMBUS_BLOCK_MAX;
  return fits && (functions & needed) ? CSUPPORT_I2C_SMBUS : -EOPNOTSUPP;
}

int csupport_i2c_open_with(struct csupport_i2c *bus, int fd, const struct csupport_i2c_calls *calls) {
  unsigned long functions = 0;
  *bus = (struct csupport_i2c){.fd = fd, .functions = 0, .address = -1, .calls = calls};
  int result = calls->control(fd, I2C_FUNCS, &functions);
  if (result < 0) {
    csupport_i2c_close(bus);
    return result;
  }
  bus->functions = (uint32_t)functions;
  return 0;
}

int csupport_i2c_open(struct csupport_i2c *bus, const char *path) {
  *bus = (struct csupport_i2c){.fd = -1, .functions = 0, .address = -1, .calls = &system_calls};
  int fd = 0, tries = 0;
  do
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
  while (fd < 0 && errno == EINTR && ++tries < CSUPPORT_I2C_MOST_TRIES);
  return fd < 0 ? -errno : csupport_i2c_open_with(bus, fd, &system_calls);
}

void csupport_i2c_close(struct csupport_i2c *bus) {
  if (bus->fd >= 0)
    close(bus->fd);
  bus->fd = -1;
  bus->address = -1;
}

int csupport_i2c_claim(struct csupport_i2c *bus, uint8_t address) {
  if (bus->fd < 0)
    return -EBADF;
  if (bus->address == address)
    return 0;
  // i2c-dev takes the address itself where other requests take a pointer.
  int result = bus->calls->control(bus->fd, I2C_SLAVE, (void *)(uintptr_t)address);
  bus->address = result < 0 ? -1 : address;
  return result < 0 ? result : 0;
}

// The offset on the node at which the process that owns an address identifies itself.
enum { names = 128 };

static struct flock byte_lock(int byte) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

// Appends the last part of the path `text`, truncated; unprintable characters become question marks.
static void append_name(struct csupport_i2c_owner *owner, const char *text) {
  const char *slash = strrchr(text, '/');
  size_t length = strlen(owner->name);
  for (const char *next = slash ? slash + 1 : text; *next && length < sizeof owner->name - 1; next++)
    owner->name[length++] = *next > ' ' && *next <= '~' ? *next : '?';
  owner->name[length] = '\0';
}

// Reads the name of `owner->process`. Its command line may contain anything.
static void name_owner(struct csupport_i2c_owner *owner) {
  char path[32], line[128];
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)owner->process);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  ssize_t count = read(fd, line, sizeof line - 1);
  close(fd);
  if (count <= 0)
    return;
  line[count] = '\0';
  append_name(owner, line);
  size_t first = strlen(line) + 1;
  const char *command = line + first;
  if (strcmp(owner->name, "plumb") == 0 && first < (size_t)count && *command >= 'a' && *command <= 'z') {
    // Not by strcat: the C library has five versions of it, 8 KiB of a static program.
    owner->name[5] = ' ';
    append_name(owner, command);
  }
}

int csupport_i2c_own(struct csupport_i2c *bus, uint8_t address, struct csupport_i2c_owner *owner) {
  *owner = (struct csupport_i2c_owner){.process = 0};
  int result = csupport_i2c_claim(bus, address);
  if (result < 0)
    return result;
  struct flock lock = byte_lock(address), name = byte_lock(names + address);
  if (fcntl(bus->fd, F_OFD_SETLK, &lock) == 0) {
    // Only for identification: without it, others do not know whose the sensor is.
    (void)fcntl(bus->fd, F_SETLK, &name);
    return 0;
  }
  if (errno != EAGAIN && errno != EACCES)
    return 0;
  owner->is_other = true;
  if (fcntl(bus->fd, F_GETLK, &name) == 0 && name.l_type != F_UNLCK && name.l_pid > 0) {
    owner->process = (int32_t)name.l_pid;
    name_owner(owner);
  }
  return -EBUSY;
}

// The way to do a transaction with a target, to which the handle is then set, or -errno. A closed bus has no way.
static int prepare(struct csupport_i2c *bus, uint8_t address, size_t written, size_t received) {
  int way = bus->fd < 0 ? -EBADF : csupport_i2c_way(bus->functions, written, received);
  int result = way < 0 ? way : csupport_i2c_claim(bus, address);
  return result < 0 ? result : way;
}

// A transaction takes milliseconds and cannot be half done, so a signal must not count as a bus fault. An adapter that
// never finishes one must.
static int combined(const struct csupport_i2c *bus, struct i2c_msg *messages, uint32_t count) {
  struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = count};
  int result = 0, tries = 0;
  do
    result = bus->calls->control(bus->fd, I2C_RDWR, &data);
  while (result == -EINTR && ++tries < CSUPPORT_I2C_MOST_TRIES);
  if (result < 0)
    return result;
  return (uint32_t)result == count ? 0 : -EIO;
}

// The kernel only reads these bytes, but i2c_msg has no const.
static struct i2c_msg write_message(uint8_t address, const uint8_t *bytes, size_t count) {
  return (struct i2c_msg){.addr = address, .flags = 0, .len = (uint16_t)count, .buf = (uint8_t *)(uintptr_t)bytes};
}

static struct i2c_msg read_message(uint8_t address, uint8_t *bytes, size_t count) {
  return (struct i2c_msg){.addr = address, .flags = I2C_M_RD, .len = (uint16_t)count, .buf = bytes};
}

int csupport_i2c_write(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count) {
  int way = prepare(bus, address, count, 0);
  int result = 0, tries = 0;
  if (way < 0)
    return way;
  if (way == CSUPPORT_I2C_COMBINED) {
    struct i2c_msg message = write_message(address, bytes, count);
    return combined(bus, &message, 1);
  }
  do
    result = count == 1 ? bus->calls->write_byte(bus->fd, bytes[0])
                        : bus->calls->write_block(bus->fd, bytes[0], (uint8_t)(count - 1), bytes + 1);
  while (result == -EINTR && ++tries < CSUPPORT_I2C_MOST_TRIES);
  return result < 0 ? result : 0;
}

int csupport_i2c_write_read(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                            uint8_t *buffer, size_t capacity) {
  // A read of zero bytes is not a write either.
  int way = capacity == 0 ? -EINVAL : prepare(bus, address, count, capacity);
  int result = 0, tries = 0;
  if (way < 0)
    return way;
  if (way == CSUPPORT_I2C_COMBINED) {
    // The BCM2835 adapter accepts a read only as the last message.
    struct i2c_msg messages[2] = {
        write_message(address, bytes, count),
        read_message(address, buffer, capacity),
    };
    result = combined(bus, messages, 2);
    return result < 0 ? result : (int)capacity;
  }
  do
    result = bus->calls->read_block(bus->fd, bytes[0], (uint8_t)capacity, buffer);
  while (result == -EINTR && ++tries < CSUPPORT_I2C_MOST_TRIES);
  return result;
}

size_t csupport_i2c_joined_reads(const struct csupport_i2c *bus) {
  return (bus->functions & I2C_FUNC_I2C) && !bus->refuses_joined ? most_joined : 1;
}

int csupport_i2c_write_reads(struct csupport_i2c *bus, uint8_t address, const uint8_t *bytes, size_t count,
                             uint8_t *buffer, size_t length, size_t reads) {
  if (length == 0 || reads == 0)
    return -EINVAL;
  if (reads > csupport_i2c_joined_reads(bus))
    return -EOPNOTSUPP;
  int way = prepare(bus, address, count, length);
  if (way < 0)
    return way;
  struct i2c_msg messages[2 * most_joined];
  for (size_t index = 0; index < reads; index++) {
    messages[2 * index] = write_message(address, bytes, count);
    messages[2 * index + 1] = read_message(address, buffer + index * length, length);
  }
  int result = combined(bus, messages, 2 * (uint32_t)reads);
  if (result == -EOPNOTSUPP)
    bus->refuses_joined = true;
  return result;
}
