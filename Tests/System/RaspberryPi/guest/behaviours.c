// What the parts do on their own. Register numbers are taken from the data sheets.
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

// The parts of STMicroelectronics, which differ in a few numbers.
struct st_part {
  uint8_t identity;
  // Registers at power-on, as pairs of number and value, up to 0.
  uint8_t power_on[7];
  // The register with SW_RESET as bit 0, which resets all registers; 0 for a part without it.
  uint8_t reset;
  // The control register with the rate, which is 0 while the part is powered down, in the bits of this mask, and the
  // one with the two bits of the range, and their position.
  uint8_t rate, rate_mask, range, range_shift;
  // The nominal sensitivity for each range, in µg a count.
  int sensitivity[4];
};

// Data sheets: LIS3DH rev. 2 (the 12 bits are left-aligned), LSM6DSO rev. 2, LSM9DS1 rev. 3. WHO_AM_I is 0x0F, and X0
// of the accelerometer 0x28.
static const struct st_part lis3dh_numbers = {0x33, {0x1E, 0x10, 0x20, 0x07}, 0, 0x20, 0xF0, 0x23,
                                              4,    {1000, 2000, 4000, 12000}};
static const struct st_part lsm6dso_numbers = {0x6C, {0x12, 0x04, 0x18, 0xE0}, 0x12, 0x10, 0xF0, 0x10,
                                               2,    {61, 488, 122, 244}};
static const struct st_part lsm9ds1_numbers = {
    0x68, {0x1E, 0x38, 0x1F, 0x38, 0x22, 0x04}, 0x22, 0x20, 0xE0, 0x20, 3, {61, 732, 122, 244}};

static void st_power_on(const struct st_part *part, uint8_t registers[REGISTERS]) {
  registers[0x0F] = part->identity;
  for (int index = 0; part->power_on[index] != 0; index += 2)
    registers[part->power_on[index]] = part->power_on[index + 1];
}

static void st_tick(const struct st_part *part, uint8_t address, const int *force) {
  uint8_t control[0x24] = {0}, data[6];
  if (bus_read(address, 0x10, control + 0x10, 0x14) != 0)
    return;
  if (part->reset != 0 && (control[part->reset] & 0x01) != 0) {
    uint8_t registers[REGISTERS] = {0};
    st_power_on(part, registers);
    bus_write(address, 0x10, registers + 0x10, REGISTERS - 0x10);
    return;
  }
  if ((control[part->rate] & part->rate_mask) == 0 || force == NULL)
    return;
  int shift = part == &lis3dh_numbers ? 4 : 0;
  for (int axis = 0; axis < 3; axis++) {
    int value = force[axis] * 1000 / part->sensitivity[control[part->range] >> part->range_shift & 3] + noise();
    data[2 * axis] = (uint8_t)(value << shift & 0xFF);
    data[2 * axis + 1] = (uint8_t)(value << shift >> 8 & 0xFF);
  }
  bus_write(address, 0x28, data, 6);
}

static void lis3dh_power_on(uint8_t registers[REGISTERS]) { st_power_on(&lis3dh_numbers, registers); }
static void lis3dh_tick(uint8_t address, const int *force) { st_tick(&lis3dh_numbers, address, force); }
const struct behaviour lis3dh = {"lis3dh", 0x0F, lis3dh_power_on, lis3dh_tick};

static void lsm6dso_power_on(uint8_t registers[REGISTERS]) { st_power_on(&lsm6dso_numbers, registers); }
static void lsm6dso_tick(uint8_t address, const int *force) { st_tick(&lsm6dso_numbers, address, force); }
const struct behaviour lsm6dso = {"lsm6dso", 0x0F, lsm6dso_power_on, lsm6dso_tick};

static void lsm9ds1_power_on(uint8_t registers[REGISTERS]) { st_power_on(&lsm9ds1_numbers, registers); }
static void lsm9ds1_tick(uint8_t address, const int *force) { st_tick(&lsm9ds1_numbers, address, force); }
const struct behaviour lsm9ds1 = {"lsm9ds1", 0x0F, lsm9ds1_power_on, lsm9ds1_tick};
