"""A sensor on a bench that a test moves through standard input; run as a program, it serves the bus of an owner.

    bench.py adxl345|mpu6050 LOG COMMAND...

Like Tests/System/Share/host.py, but each line of standard input is a JSON object with what to change:

    {"force": [x, y, z]}     the specific force, g, in the sensor's frame
    {"shaken": true}         it swings by 2 g along x, five times a second
    {"running": true}        it trembles and turns a little, as on a washing machine
    {"fault": true}          it does not respond
"""

import errno
import json
import pathlib
import random
import struct
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("Daemon", "Share")]
from host import serve
from kernel import Target
from sensors import ADXL345, POSES

RATE = 100
# Samples in one direction of a shake.
SWING = RATE // 10
FORCES = {pose: tuple(value / 256 for value in values) for pose, values in POSES.items()}


class Moved:
    """How a test moves a sensor, for both kinds."""

    # Class attributes, because the bus may be read before initialisation ends.
    force = FORCES["faceUp"]
    is_shaken = False
    is_running = False
    samples = 0
    chance = random.Random(17)

    def obey(self, line):
        wish = json.loads(line)
        self.force = wish.get("force", self.force)
        self.is_shaken = wish.get("shaken", self.is_shaken)
        self.is_running = wish.get("running", self.is_running)
        self.fault = errno.EREMOTEIO if wish.get("fault", self.fault != 0) else 0

    def forces(self):
        """The specific force of this sample without noise, in g."""
        x, y, z = self.force
        if self.is_shaken:
            x += 2 if self.samples // SWING % 2 else -2
        if self.is_running:
            x += 0.1 if self.samples % 7 < 3 else -0.1
        return x, y, z


class Plain(Moved, ADXL345):
    """An ADXL345."""

    def measured(self):
        return [round(value * 256 + self.chance.gauss(0, 0.7)) for value in self.forces()]


class WithGyroscope(Moved, Target):
    """An MPU-6050. Registers as after power-on: 0x6B PWR_MGMT_1 40, asleep; 0x75 WHO_AM_I 68; data from 0x3B."""

    TEMPERATURE = 31.0

    def __init__(self):
        super().__init__()
        self.power_on()

    def power_on(self):
        self.registers[:] = bytes(256)
        self.registers[0x6B], self.registers[0x75] = 0x40, 0x68

    def write(self, data):
        super().write(data)
        if self.registers[0x6B] & 0x80:
            self.power_on()

    def prepare(self, register):
        if register not in (0x37, 0x3B):
            return
        self.samples += 1
        force_unit = 16384 >> (self.registers[0x1C] >> 3 & 3)
        rate_unit = 131 / (1 << (self.registers[0x1B] >> 3 & 3))
        turn = (20 if self.samples % 11 < 5 else -20) if self.is_running or self.is_shaken else 0
        forces = [round((value + self.chance.gauss(0, 0.004)) * force_unit) for value in self.forces()]
        rates = [round((value + self.chance.gauss(0, 0.1)) * rate_unit) for value in (turn, turn / 2, 0)]
        self.registers[0x3B:0x49] = struct.pack(">7h", *forces, round((self.TEMPERATURE - 36.53) * 340), *rates)


if __name__ == "__main__":
    SENSOR, ADDRESS = (WithGyroscope(), 0x68) if sys.argv[1] == "mpu6050" else (Plain(), 0x53)
    serve({ADDRESS: SENSOR}, SENSOR.obey, *sys.argv[2:])
