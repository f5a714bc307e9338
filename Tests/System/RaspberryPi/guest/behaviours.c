// What an ADXL345 and an MPU-6050 do on their own. Register numbers are taken from the data sheets.
#include "bench.h"

#include <stddef.h>

// ADXL345, Rev. E. DEVID, BW_RATE and INT_SOURCE are not 0 at power-on.
static void adxl345_power_on(uint8_t registers[REGISTERS]) {
  registers[0x00] = 0xE5;
  registers[0x2C] = 0x0A;
  registers[0x30] = 0x02;
}

// Measures while the bit Measure of POWER_CTL (0x2D, bit 3) is set; otherwise the data do not change.
static void adxl345_tick(uint8_t address, const int *force) {
  uint8_t control[5];
  if (bus_read(address, 0x2D, control, 5) != 0 || (control[0] & 0x08) == 0 || force == NULL)
    return;
  uint8_t format = control[4], data[6];
  // FULL_RES: 256 counts per g in every range; otherwise that of the range's ten bits.
  int counts = (format & 0x08) != 0 ? 256 : 256 >> (format & 3);
  int limit = (format & 0x08) != 0 ? 511 << (format & 3) : 511;
  for (int axis = 0; axis < 3; axis++) {
    int value = force[axis] * counts / 1000 + noise();
    value = value > limit ? limit : value < -limit - 1 ? -limit - 1 : value;
    data[2 * axis] = (uint8_t)(value & 0xFF);
    data[2 * axis + 1] = (uint8_t)(value >> 8 & 0xFF);
  }
  bus_write(address, 0x32, data, 6);
}

const struct behaviour adxl345 = {"adxl345", 0x00, adxl345_power_on, adxl345_tick};

// MPU-6050, RM-MPU-6000A rev. 4.2. Asleep at power-on.
static void mpu6050_power_on(uint8_t registers[REGISTERS]) {
  registers[0x6B] = 0x40;
  registers[0x75] = 0x68;
}

// DEVICE_RESET (0x6B, bit 7) resets all registers and clears itself. The identity is unchanged.
static void mpu6050_reset(uint8_t address) {
  uint8_t registers[REGISTERS] = {0};
  mpu6050_power_on(registers);
  bus_write(address, 0x00, registers, 0x75);
}

static void mpu6050_tick(uint8_t address, const int *force) {
  uint8_t power[2], once[3], data[14] = {0};
  if (bus_read(address, 0x6B, power, 1) != 0)
    return;
  if ((power[0] & 0x80) != 0) {
    mpu6050_reset(address);
    return;
  }
  // SIGNAL_PATH_RESET clears itself at once, as do the resets in USER_CTRL.
  if (bus_read(address, 0x68, once, 3) != 0)
    return;
  if (once[0] != 0 || (once[2] & 0x07) != 0) {
    once[0] = 0;
    once[2] &= 0xF8;
    bus_write(address, 0x68, once, 3);
  }
  if ((power[0] & 0x40) != 0 || force == NULL || bus_read(address, 0x1C, power, 1) != 0)
    return;
  int counts = 16384 >> (power[0] >> 3 & 3);
  for (int axis = 0; axis < 3; axis++) {
    int value = force[axis] * counts / 1000 + 3 * noise() + noise();
    value = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
    data[2 * axis] = (uint8_t)(value >> 8 & 0xFF);
    data[2 * axis + 1] = (uint8_t)(value & 0xFF);
  }
  bus_write(address, 0x3B, data, 14);
}

const struct behaviour mpu6050 = {"mpu6050", 0x75, mpu6050_power_on, mpu6050_tick};
