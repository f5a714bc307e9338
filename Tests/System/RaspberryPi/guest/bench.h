// The parts of the program in the emulated board: a sensor that lives in a register file, and small helpers.
#ifndef BENCH_H
#define BENCH_H

#include <linux/i2c.h>
#include <stdbool.h>
#include <stdint.h>

// The switch between the bus and the sensor; bit 0 connects it.
#define SWITCH_ADDRESS 0x70

enum { REGISTERS = 128 };

// What makes a register file behave like a sensor.
struct behaviour {
  const char *name;
  uint8_t identity_register;
  // The registers at power-on; those not set here are 0.
  void (*power_on)(uint8_t registers[REGISTERS]);
  // One step: does what the sensor does on its own, and shows `force`, in mg, with noise, if it is awake. If `force` is
  // NULL the data do not change.
  void (*tick)(uint8_t address, const int *force);
};

extern const struct behaviour adxl345;
extern const struct behaviour mpu6050;
extern const struct behaviour lis3dh;
extern const struct behaviour lsm6dso;
extern const struct behaviour lsm9ds1;

// 0, or a negative errno. All messages of a call form one transaction, which nothing interrupts.
int bus_open(void);
int bus_transfer(struct i2c_msg *messages, int count);
int bus_read(uint8_t address, uint8_t from, uint8_t *bytes, int count);
int bus_write(uint8_t address, uint8_t to, const uint8_t *bytes, int count);

// Noise of a sensor at rest: 0, or in half of the cases 1 in either direction.
int noise(void);

// Commands arrive as datagrams. A socket for them, or -1 if it is there already.
int commands_open(void);
// Has the next command obeyed, which gives 0 or a negative errno. The answer is the guest's monotonic time in
// microseconds when it was done.
void commands_answer(int receiver, int (*obey)(void *context, const char *words), void *context);

// A sensor waits for no program: from now on this one runs before the one under test, which requests priority 20.
void hurry(void);

// The guest's monotonic time in microseconds.
long long now(void);

// The subcommands; they return an exit code.
int run_part(const char *name, uint8_t address);
int run_hid(void);
int tell_part(int count, char *const words[]);
int keep_bus_busy(uint8_t address);
int hold_line(uint32_t line, const char *name);
int listen_to_notices(const char *path);

#endif
