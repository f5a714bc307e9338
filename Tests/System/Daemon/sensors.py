"""Sensors for kernel.py, from the data sheets, as far as plumbd needs them.

These are not the bridge's: plumbd is static and makes its system calls itself, so the bridge cannot see them, and a
test changes pose and faults while it runs. Sensors that buffer samples have their FIFO and their own oscillator.
"""

import errno
import struct
import time

from kernel import Target

# What an ADXL345 at rest measures in each pose, in units of 1/256 g.
POSES = {
    "portrait": (0, 256, 0),
    "portraitUpsideDown": (0, -256, 0),
    "landscapeLeft": (256, 0, 0),
    "landscapeRight": (-256, 0, 0),
    "faceUp": (0, 0, 256),
    "faceDown": (0, 0, -256),
}


class ADXL345(Target):
    """Registers as after power-on: 0x00 identity E5, 0x0A BW_RATE 0A; data from 0x32, with noise as in real parts."""

    def __init__(self, pose="portrait"):
        super().__init__({0x00: 0xE5, 0x2C: 0x0A})
        self.pose = pose
        self.samples = 0

    def lose_configuration(self):
        """A dip of the supply: resets all registers to their power-on values."""
        self.registers[:] = bytes(256)
        self.registers[0x00], self.registers[0x2C] = 0xE5, 0x0A

    def prepare(self, register):
        if register not in (0x31, 0x32):
            return
        self.samples += 1
        self.registers[0x32:0x38] = struct.pack("<hhh", *self.measured())

    def measured(self):
        """What it measures now, in units of 1/256 g."""
        noise = (self.samples % 3 - 1, self.samples % 5 - 2, self.samples % 7 - 3)
        return [value + extra for value, extra in zip(POSES[self.pose], noise)]


class LooseContact(ADXL345):
    """An ADXL345 with a loose wire that makes and breaks contact all the time, until it is fixed."""

    def __init__(self, pose="portrait"):
        self.looks = 0
        self.is_fixed = False
        super().__init__(pose)

    @property
    def fault(self):
        self.looks += 1
        return errno.EREMOTEIO if self.looks % 70 < 8 and not self.is_fixed else 0

    @fault.setter
    def fault(self, code):
        assert code == 0, "this one has faults of its own"


class Oscillator:
    """Counts the periods since its start by a clock that runs `error` too fast: 0.01 means one percent."""

    def __init__(self, error):
        self.error = error
        self.hertz = 0
        self.begin = None

    def start(self, hertz):
        self.hertz, self.begin = hertz * (1 + self.error), time.monotonic()

    def stop(self):
        self.begin = None

    def count(self):
        return 0 if self.begin is None else int((time.monotonic() - self.begin) * self.hertz)


class WaitingADXL345(ADXL345):
    """An ADXL345 with its FIFO: 32 entries behind the output register. Data sheet Rev. E, "FIFO" and register 0x39.

    In stream mode a full FIFO discards its oldest entry. Reading any data register moves the next entry up.
    """

    def __init__(self, pose="portrait", error=0.01):
        super().__init__(pose)
        self.clock = Oscillator(error)
        self.made = self.taken = self.lost = 0
        self.waiting = []  # the content of the output register, then the entries

    def write(self, data):
        before = self.registers[0x2D]
        super().write(data)
        if len(data) > 1:
            measures = self.registers[0x2D] & 0x08
            if measures and not before & 0x08:
                self.made = 0
                self.clock.start(3200 / 2 ** (15 - (self.registers[0x2C] & 0x0F)))
            elif not measures:
                self.clock.stop()
            if self.registers[0x38] >> 6 == 0:
                self.waiting = self.waiting[:1]

    def advance(self):
        """Makes the samples for the time that has passed."""
        while self.made < self.clock.count():
            self.made += 1
            self.samples += 1
            self.waiting.append(struct.pack("<hhh", *self.measured()))
            room = 33 if self.registers[0x38] >> 6 == 2 else 1
            if len(self.waiting) > room:
                # The output register keeps its content; in bypass mode it shows the newest sample.
                del self.waiting[1 if room > 1 else 0]
                self.lost += room > 1

    def prepare(self, register):
        self.advance()
        self.registers[0x39] = max(0, len(self.waiting) - 1)
        if self.waiting:
            self.registers[0x32:0x38] = self.waiting[0]

    def read(self, count):
        first = self.pointer
        data = super().read(count)
        if first < 0x38 and first + count > 0x32:
            self.taken += len(self.waiting) > 0
            del self.waiting[:1]
            # If the burst goes on to the status, that is the status after the next entry has moved up.
            self.prepare(0x39)
            if first + count > 0x39:
                data = bytearray(data)
                data[0x39 - first] = self.registers[0x39]
        return bytes(data)


class WaitingMPU6050(Target):
    """An MPU-6050 with its FIFO of 1024 bytes. RM-MPU-6000A rev. 4.2: registers 25, 26, 35, 58, 106, 107 and 114 to 117.

    Records follow the order of the registers: force, temperature, rotation, each high byte first.
    """

    SIZE = 1024

    def __init__(self, pose="portrait", error=0.01):
        super().__init__()
        self.pose = pose
        self.clock = Oscillator(error)
        self.samples = self.made = self.taken = self.lost = 0
        self.fifo = bytearray()
        self.reset()

    def reset(self):
        self.registers[:] = bytes(256)
        self.registers[0x75], self.registers[0x6B] = 0x68, 0x40
        self.clock.stop()
        self.fifo.clear()

    def write(self, data):
        slept = self.registers[0x6B] & 0x40
        super().write(data)
        if len(data) == 1:
            return
        if self.registers[0x6B] & 0x80:
            return self.reset()
        if self.registers[0x6A] & 0x04:
            self.fifo.clear()
        self.registers[0x6A] &= ~0x07  # FIFO_RESET and the two bits below clear themselves
        if self.registers[0x6B] & 0x40:
            self.clock.stop()
        elif slept or any(register in (0x19, 0x1A) for register, _ in self.writes[-(len(data) - 1):]):
            internal = 8000 if self.registers[0x1A] & 7 in (0, 7) else 1000
            self.made = 0
            self.clock.start(internal / (1 + self.registers[0x19]))

    def advance(self):
        """Makes the samples for the time that has passed."""
        enabled = self.registers[0x23] if self.registers[0x6A] & 0x40 else 0
        while self.made < self.clock.count():
            self.made += 1
            self.samples += 1
            noise = (self.samples % 3 - 1, self.samples % 5 - 2, self.samples % 7 - 3)
            lsb = 16384 >> (self.registers[0x1C] >> 3 & 3)
            force = [value * lsb // 256 + 8 * extra for value, extra in zip(POSES[self.pose], noise)]
            self.registers[0x3B:0x49] = struct.pack(">7h", *force, -521, *(16 * extra for extra in noise))
            record = bytearray()
            for bit, first, length in ((0x08, 0x3B, 6), (0x80, 0x41, 2), (0x40, 0x43, 2), (0x20, 0x45, 2), (0x10, 0x47, 2)):
                if enabled & bit:
                    record += self.registers[first:first + length]
            self.fifo += record
            if len(self.fifo) > self.SIZE:
                self.registers[0x3A] |= 0x10
                self.lost += 1
                del self.fifo[:len(self.fifo) - self.SIZE]

    def prepare(self, register):
        self.advance()
        self.registers[0x3A] |= 0x01
        self.registers[0x72:0x74] = len(self.fifo).to_bytes(2, "big")

    def read(self, count):
        if self.pointer == 0x74:
            self.advance()
            data = bytes(self.fifo[:count])
            del self.fifo[:count]
            self.taken += len(data)
            return data + bytes(count - len(data))
        first = self.pointer
        data = super().read(count)
        if first <= 0x3A < first + count:
            self.registers[0x3A] = 0
        return data
