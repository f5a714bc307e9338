"""Runs under the bridge: reads an MPU-6050 with mpu6050-raspberrypi."""

from __future__ import annotations

import sys
import time

import smbus2

# The unmodified library imports smbus, which is Debian's python3-smbus; smbus2 from PyPI has the same interface.
sys.modules["smbus"] = smbus2

from mpu6050 import mpu6050 as Library  # noqa: E402
from readings import Fact, Reading, fact, outcome, report  # noqa: E402

ADDRESSES = (0x68, 0x69)
AXES = ("x", "y", "z")


def mpu6050() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    for address in ADDRESSES:
        sensor = Library(address)
        time.sleep(0.1)
        name = f"MPU-6050 {address:#04x}"
        for code in range(4):
            sensor.set_accel_range(code << 3)
            time.sleep(0.01)
            data = sensor.get_accel_data(g=True)
            g = 2 << code
            found.append(Reading(f"{name} ±{g} g", address, [data[axis] for axis in AXES], g / 32768, g))
        found.append(fact(f"{name} range read back", 16, sensor.read_accel_range()))
        metric = sensor.get_accel_data()
        force = [metric[axis] / 9.80665 for axis in AXES]
        found.append(Reading(f"{name} ±16 g, in m/s²", address, force, 16 / 32768, 16))
        for code, counts in enumerate((131, 65.5, 32.8, 16.4)):
            sensor.set_gyro_range(code << 3)
            time.sleep(0.01)
            data = sensor.get_gyro_data()
            turn = [data[axis] for axis in AXES]
            limit = 32768 / counts
            found.append(Reading(f"{name} ±{250 << code} °/s", address, turn, 1 / counts, limit, "turn"))
        celsius = sensor.get_temp()
        found.append(Reading(f"{name} temperature", address, [celsius], 1 / 340, 200, "temperature"))
    return found


def mpu6500() -> list[Reading | Fact]:
    """An MPU-6500 is at 0x68. The library does not check the identity; forces are right, the temperature is not.

    That part has 333.87 counts per degree and 0 at 21 °C; the library assumes 340 and 36.53 °C.
    """
    sensor = Library(0x68)
    time.sleep(0.1)
    data = sensor.get_accel_data(g=True)
    scale = 333.87 / 340
    return [
        Reading("MPU-6500 0x68 ±2 g", 0x68, [data[axis] for axis in AXES], 1 / 16384, 2),
        Reading(
            "MPU-6500 0x68 temperature",
            0x68,
            [sensor.get_temp()],
            1 / 333.87,
            200,
            "temperature",
            scale,
            36.53 - 21 * scale,
            "library knows the MPU-6050's thermometer only",
        ),
    ]


def nobody() -> list[Fact]:
    return [fact("nobody at 0x1e", "OSError 121", outcome(lambda: Library(0x1E)))]


if __name__ == "__main__":
    report({"mpu6050": mpu6050, "mpu6500": mpu6500, "nobody": nobody})
