"""Runs under the bridge: reads the sensors with Adafruit's CircuitPython libraries over Blinka."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence

import adafruit_adxl34x
import adafruit_icm20x
import adafruit_lis3dh
import adafruit_lsm9ds1
import adafruit_mpu6050
import busio
from adafruit_blinka.microcontroller.generic_linux.i2c import I2C as LinuxI2C
from adafruit_lsm6ds.lsm6ds33 import LSM6DS33
from adafruit_lsm6ds.lsm6dsox import LSM6DSOX
from readings import Fact, Reading, fact, outcome, report
from smbus2 import SMBus

GRAVITY = 9.80665

ADXL345S = (0x53, 0x1D)
MPU6050S = (0x68, 0x69)
LIS3DHS = (0x18, 0x19)
LSM9DS1S = (0x6A, 0x6B)
# The magnetometer of an LSM9DS1, which the bridge does not emulate, and its identity.
MAGNETOMETER, MAGNETOMETER_IDENTITY = 0x1E, 0x3D
ICM20948 = 0x69

# adafruit_adxl34x multiplies counts by 0.004 g, but the part has 256 counts per g: 1.024 times too much.
ADXL345_SCALE = 0.004 * 256
ADXL345_REMARK = "library 2.4 % high: 4 mg a count for 3.90625 mg"


# adafruit_lis3dh divides by these, as if a count were 1/1024 g where the part has 1 mg; by 1365 where it has 12.
LIS3DH_DIVISORS = {2: 16380, 4: 8190, 8: 4096, 16: 1365}
LIS3DH_REMARK = "library 2.3 to 2.4 % low: 1/1024 g a count for 1 mg"


class Header(busio.I2C):  # type: ignore[misc]
    """Bus 1 as Blinka's own classes create it on a Raspberry Pi.

    `board.I2C()` is not an option: importing `board` detects the machine and installs packages for it.
    """

    def __init__(self) -> None:
        self._i2c = LinuxI2C(1)
        self._lock = threading.RLock()


class HeaderWithMagnetometer(Header):
    """The same with registers at the address of the magnetometer, without which the library does not start."""

    def __init__(self) -> None:
        super().__init__()
        self._registers = {0x0F: MAGNETOMETER_IDENTITY}

    def writeto(self, address: int, buffer: bytes, *, start: int = 0, end: int | None = None) -> object:
        if address != MAGNETOMETER:
            return super().writeto(address, buffer, start=start, end=end)
        written = bytes(buffer[start:end])
        if len(written) > 1:
            self._registers[written[0] & 0x7F] = written[1]
        return None

    def writeto_then_readfrom(
        self,
        address: int,
        buffer_out: bytes,
        buffer_in: bytearray,
        *,
        out_start: int = 0,
        out_end: int | None = None,
        in_start: int = 0,
        in_end: int | None = None,
        stop: bool = False,
    ) -> object:
        if address != MAGNETOMETER:
            return super().writeto_then_readfrom(
                address,
                buffer_out,
                buffer_in,
                out_start=out_start,
                out_end=out_end,
                in_start=in_start,
                in_end=in_end,
                stop=stop,
            )
        register = buffer_out[out_start] & 0x7F
        for index in range(in_start, len(buffer_in) if in_end is None else in_end):
            buffer_in[index] = self._registers.get(register + index - in_start, 0)
        return None


def in_g(acceleration: Sequence[float]) -> list[float]:
    return [value / GRAVITY for value in acceleration]


def adxl345() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    bus = Header()
    for address in ADXL345S:
        sensor = adafruit_adxl34x.ADXL345(bus, address)
        time.sleep(0.025)
        name = f"ADXL345 {address:#04x}"
        for g, choice in ((2, None), (2, 0), (4, 1), (8, 2), (16, 3)):
            if choice is not None:
                sensor.range = choice
                time.sleep(0.025)
            what = f"{name} ±{g} g" + (", as it starts" if choice is None else "")
            force = in_g(sensor.acceleration)
            found.append(Reading(what, address, force, 1 / 256, g, scale=ADXL345_SCALE, remark=ADXL345_REMARK))
        raw = [sensor.raw_x / 256, sensor.raw_y / 256, sensor.raw_z / 256]
        found.append(Reading(f"{name} raw, axis by axis", address, raw, 1 / 256, 16))
        sensor.data_rate = adafruit_adxl34x.DataRate.RATE_200_HZ
        found.append(fact(f"{name} data rate code read back", 0x0B, sensor.data_rate))
    return found


def adxl345_left_in_10_bits() -> list[Reading | Fact]:
    """Another program has left ±16 g without full resolution, 31.25 mg per count. The library does not check."""
    with SMBus(1) as bus:
        bus.write_byte_data(0x53, 0x31, 0x03)
    sensor = adafruit_adxl34x.ADXL345(Header())
    time.sleep(0.025)
    force = in_g(sensor.acceleration)
    remark = "library reads 1/8: it takes for granted a format that it does not set"
    what = "ADXL345 0x53 left at ±16 g, 10-bit"
    return [Reading(what, 0x53, force, 1 / 32, 16, scale=ADXL345_SCALE / 8, remark=remark)]


def mpu6050() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    bus = Header()
    for address in MPU6050S:
        sensor = adafruit_mpu6050.MPU6050(bus, address)
        name = f"MPU-6050 {address:#04x}"
        time.sleep(0.1)
        for code in range(4):
            sensor.accelerometer_range = code
            time.sleep(0.01)
            g = 2 << code
            found.append(Reading(f"{name} ±{g} g", address, in_g(sensor.acceleration), g / 32768, g))
        for code, counts in enumerate((131, 65.5, 32.8, 16.4)):
            sensor.gyro_range = code
            time.sleep(0.01)
            turn = [math.degrees(value) for value in sensor.gyro]
            limit = 32768 / counts
            found.append(Reading(f"{name} ±{250 << code} °/s", address, turn, 1 / counts, limit, "turn"))
        found.append(Reading(f"{name} temperature", address, [sensor.temperature], 1 / 340, 200, "temperature"))
    return found


def lis3dh() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    bus = Header()
    for address in LIS3DHS:
        sensor = adafruit_lis3dh.LIS3DH_I2C(bus, address=address)
        name = f"LIS3DH {address:#04x}"
        for code, (g, divisor) in enumerate(LIS3DH_DIVISORS.items()):
            sensor.range = code
            time.sleep(0.04)
            # The library has 9.806 m/s² to a g.
            force = [value / 9.806 for value in sensor.acceleration]
            count = 0.012 if g == 16 else g / 2000
            # The word reaches beyond the range.
            limit = count * 2048
            scale = 16000 / (g / 2) / divisor if g < 16 else 4000 / 3 / divisor
            found.append(
                Reading(f"{name} ±{g} g", address, force, count, limit, scale=scale, remark=LIS3DH_REMARK)
            )
        sensor.data_rate = adafruit_lis3dh.DATARATE_100_HZ
        found.append(fact(f"{name} data rate code read back", 5, sensor.data_rate))
        found.append(fact(f"{name} range code read back", 3, sensor.range))
        found.append(fact(f"{name} nothing at the ADC", 0, sensor.read_adc_raw(3)))
        sensor.set_tap(1, 40)
        found.append(fact(f"{name} no tap", False, sensor.tapped))
    return found


def lsm6ds() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    bus = Header()
    for address, kind in ((0x6A, LSM6DSOX), (0x6B, LSM6DS33)):
        sensor = kind(bus, address)
        # The gyroscope needs 80 ms after its start.
        time.sleep(0.3)
        name = f"{kind.__name__} {address:#04x}"
        # The codes of ±2, ±4, ±8 and ±16 g; 0.061 mg a count at ±2 g.
        for doublings, code in enumerate((0, 2, 3, 1)):
            sensor.accelerometer_range = code
            time.sleep(0.04)
            count = 0.061e-3 * 2**doublings
            force = in_g(sensor.acceleration)
            found.append(Reading(f"{name} ±{2 << doublings} g", address, force, count, count * 32768))
        # 125 °/s is the library's own code for it.
        for doublings, code in enumerate((125, 0, 1, 2, 3)):
            sensor.gyro_range = code
            time.sleep(0.04)
            count = 4.375e-3 * 2**doublings
            turn = [math.degrees(value) for value in sensor.gyro]
            found.append(Reading(f"{name} ±{125 << doublings} °/s", address, turn, count, count * 32768, "turn"))
        is_old = kind is LSM6DS33
        remark = "library has 256 counts to a °C, the part 16" if is_old else ""
        scale, offset = (1 / 16, 25 * 15 / 16) if is_old else (1, 0)
        temperature = [sensor.temperature]
        found.append(
            Reading(f"{name} temperature", address, temperature, 1 / 256, 200, "temperature", scale, offset, remark)
        )
        found.append(fact(f"{name} rate code read back", 4, sensor.accelerometer_data_rate))
    return found


def lsm9ds1() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    bus = HeaderWithMagnetometer()
    printed = "Y as printed: opposite to the board's"

    def of_board(values: Sequence[float]) -> list[float]:
        x, y, z = values
        return [x, -y, z]

    for address in LSM9DS1S:
        sensor = adafruit_lsm9ds1.LSM9DS1_I2C(bus, MAGNETOMETER, address)
        time.sleep(0.3)
        name = f"LSM9DS1 {address:#04x}"
        for code, g, count in ((0, 2, 0.061), (2, 4, 0.122), (3, 8, 0.244), (1, 16, 0.732)):
            sensor.accel_range = code << 3
            time.sleep(0.04)
            force = of_board(in_g(list(sensor.acceleration)))
            # The words reach beyond the range at ±16 g.
            found.append(
                Reading(f"{name} ±{g} g", address, force, count / 1000, count * 32.768, remark=printed)
            )
        for code, limit, count in ((0, 245, 8.75), (1, 500, 17.5), (3, 2000, 70)):
            sensor.gyro_scale = code << 3
            time.sleep(0.04)
            turn = of_board([math.degrees(value) for value in sensor.gyro])
            found.append(
                Reading(f"{name} ±{limit} °/s", address, turn, count / 1000, count * 32.768, "turn", remark=printed)
            )
        # 31.5 °C are 104 counts; the library drops four bits and adds 27.5.
        remark = "library takes the temperature for left-aligned, and its zero for 27.5 °C"
        found.append(fact(f"{name} temperature", 27.875, sensor.temperature, remark))
        found.append(fact(f"{name} range code read back", 1, sensor.accel_range >> 3))
    return found


def icm20948() -> list[Reading | Fact]:
    """Its class also starts the magnetometer through the I2C master, of which the emulated part has the identity alone."""
    found: list[Reading | Fact] = []
    sensor = adafruit_icm20x.ICM20948(Header(), ICM20948)
    name = f"ICM-20948 {ICM20948:#04x}"
    time.sleep(0.1)
    for code, counts in enumerate((131, 65.5, 32.8, 16.4)):
        sensor.accelerometer_range = code
        sensor.gyro_range = code
        time.sleep(0.05)
        g = 2 << code
        found.append(Reading(f"{name} ±{g} g", ICM20948, in_g(sensor.acceleration), g / 32768, g))
        turn = [math.degrees(value) for value in sensor.gyro]
        found.append(Reading(f"{name} ±{250 << code} °/s", ICM20948, turn, 1 / counts, 32768 / counts, "turn"))
    sensor.accelerometer_data_rate_divisor = 10
    found.append(fact(f"{name} divider read back", 10, sensor.accelerometer_data_rate_divisor))
    sensor.accel_dlpf_cutoff = 3
    found.append(fact(f"{name} filter read back", 3, sensor.accel_dlpf_cutoff))
    return found


def nobody() -> list[Fact]:
    bus = Header()
    return [
        fact(
            "nobody at 0x1e, ADXL345",
            "ValueError: No I2C device at address: 0x1e",
            outcome(lambda: adafruit_adxl34x.ADXL345(bus, 0x1E)),
        ),
        fact(
            "nobody at 0x1e, MPU6050",
            "ValueError: No I2C device at address: 0x1e",
            outcome(lambda: adafruit_mpu6050.MPU6050(bus, 0x1E)),
        ),
        fact(
            "ADXL345 taken for an MPU-6050",
            "RuntimeError: Failed to find MPU6050 - check your wiring!",
            outcome(lambda: adafruit_mpu6050.MPU6050(bus, 0x53)),
        ),
        fact(
            "MPU-6050 taken for an ADXL345",
            "accepted",
            "accepted" if adafruit_adxl34x.ADXL345(bus, 0x68) else "",
            "library asks for no identity",
        ),
        fact("scan", "[0x18, 0x19, 0x1d, 0x53, 0x68, 0x69, 0x6a, 0x6b]", "[" + ", ".join(f"{found:#04x}" for found in bus.scan()) + "]"),
    ]


def mpu6500() -> list[Fact]:
    """An MPU-6500 is at 0x68: equivalent for reading forces, but with another identity."""
    what = "MPU-6500 0x68 as an MPU-6050"
    told = "RuntimeError: Failed to find MPU6050 - check your wiring!"
    return [fact(what, told, outcome(lambda: adafruit_mpu6050.MPU6050(Header())), "library knows 0x68 only")]


if __name__ == "__main__":
    report(
        {
            "adxl345": adxl345,
            "adxl345_left_in_10_bits": adxl345_left_in_10_bits,
            "icm20948": icm20948,
            "lis3dh": lis3dh,
            "lsm6ds": lsm6ds,
            "lsm9ds1": lsm9ds1,
            "mpu6050": mpu6050,
            "mpu6500": mpu6500,
            "nobody": nobody,
        }
    )
