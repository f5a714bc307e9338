// The other side of the board under test: runs in the emulated Raspberry Pi, in parallel with the program under test.
//
//     bench part NAME ADDRESS                makes a register file behave like that part, until it is killed:
//                                            adxl345, mpu6050, lis3dh, lsm6dso, lsm9ds1
//     bench hid                              is an accelerometer on a HID sensor hub, until it is killed: see hid.c
//     bench tell WORDS…                      sends it a command: see part.c
//     bench get ADDRESS REGISTER COUNT       reads registers, prints them in hexadecimal
//     bench busy ADDRESS                     reads from the bus without a pause, until it is killed
//     bench hold LINE NAME                   requests a line of gpiochip0 under that name, until it is killed
//     bench notices PATH                     prints the messages to that socket, as systemd would get them
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int keep_bus_busy(uint8_t address) {
  uint8_t bytes[32];
  for (;;)
    bus_read(address, 0x00, bytes, sizeof bytes);
}

int hold_line(uint32_t line, const char *name) {
  struct gpio_v2_line_request request = {.offsets = {line}, .num_lines = 1};
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  strncpy(request.consumer, name, sizeof request.consumer - 1);
  int chip = open("/dev/gpiochip0", O_RDWR | O_CLOEXEC);
  if (chip < 0 || ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) != 0) {
    perror("bench: hold");
    return 1;
  }
  puts("held");
  fflush(stdout);
  for (;;)
    pause();
}

int listen_to_notices(const char *path) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  strncpy(place.sun_path, path, sizeof place.sun_path - 1);
  int receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  unlink(path);
  if (receiver < 0 || bind(receiver, (struct sockaddr *)&place, sizeof place) != 0) {
    perror("bench: notices");
    return 1;
  }
  for (;;) {
    char message[512];
    ssize_t count = recv(receiver, message, sizeof message - 1, 0);
    if (count < 0)
      return 1;
    message[count] = '\0';
    puts(message);
    fflush(stdout);
  }
}

static int get_registers(uint8_t address, uint8_t from, int count) {
  uint8_t bytes[REGISTERS];
  if (count > REGISTERS)
    count = REGISTERS;
  int code = bus_read(address, from, bytes, count);
  if (code != 0) {
    fprintf(stderr, "bench: get: %s\n", strerror(-code));
    return 1;
  }
  for (int index = 0; index < count; index++)
    printf("%s%02x", index > 0 ? " " : "", bytes[index]);
  putchar('\n');
  return 0;
}

static uint8_t byte(const char *text) { return (uint8_t)strtoul(text, NULL, 0); }

int main(int count, char *words[]) {
  const char *command = count > 1 ? words[1] : "";
  if (strcmp(command, "tell") == 0 && count > 2)
    return tell_part(count - 2, words + 2);
  if (strcmp(command, "hold") == 0 && count == 4)
    return hold_line(byte(words[2]), words[3]);
  if (strcmp(command, "hid") == 0 && count == 2)
    return run_hid();
  if (strcmp(command, "notices") == 0 && count == 3)
    return listen_to_notices(words[2]);
  int code = bus_open();
  if (code != 0) {
    fprintf(stderr, "bench: /dev/i2c-1: %s\n", strerror(-code));
    return 1;
  }
  if (strcmp(command, "part") == 0 && count == 4)
    return run_part(words[2], byte(words[3]));
  if (strcmp(command, "busy") == 0 && count == 3)
    return keep_bus_busy(byte(words[2]));
  if (strcmp(command, "get") == 0 && count == 5)
    return get_registers(byte(words[2]), byte(words[3]), byte(words[4]));
  fprintf(stderr, "bench: wrong usage\n");
  return 64;
}
