"""A simulated GPIO chip for kernel.py, and a sensor that signals a new sample on one of its lines."""

import array
import errno
import fcntl
import socket
import struct
import termios
import threading
import time

from sensors import ADXL345

# linux/gpio.h: struct gpiochip_info has 68 bytes, gpio_v2_line_info 256, gpio_v2_line_request 592.
GET_CHIPINFO, GET_LINEINFO, GET_LINE = 0x8044B401, 0xC100B405, 0xC250B407
FLAG_USED, FLAG_INPUT, FLAG_RISING, FLAG_PULL_DOWN = 1 << 0, 1 << 2, 1 << 4, 1 << 9
EVENT = struct.Struct("=QIIII24x")
RISING = 1


class Chip:
    """A chip with one line whose edges can be requested. `fault` is an errno that the request returns."""

    def __init__(self, label="pinctrl-bcm2835", lines=54):
        self.label, self.lines = label, lines
        self.fault = 0
        self.requests = []  # (offset, flags, consumer)
        self.edges = 0
        self.lost = 0  # edges dropped for lack of room
        self.ours = self.theirs = None
        self.kept = 0

    def answer(self, request, memory, argument, hand_over):
        """Answers an ioctl; returns 0 or an errno."""
        if request == GET_CHIPINFO:
            memory.seek(argument)
            memory.write(struct.pack("=32s32sI", b"gpiochip0", self.label.encode(), self.lines))
            return 0
        memory.seek(argument)
        data = bytearray(memory.read(request >> 16 & 0x3FFF))
        if request == GET_LINEINFO:
            offset = struct.unpack_from("=I", data, 64)[0]
            holder = next((consumer for taken, _, consumer in self.requests if taken == offset), None)
            struct.pack_into("=32s", data, 32, (holder or "").encode())
            struct.pack_into("=Q", data, 72, 0 if holder is None else FLAG_USED)
        elif request == GET_LINE:
            if self.fault:
                return self.fault
            offset, consumer = struct.unpack_from("=I", data, 0)[0], data[256:288].split(b"\0")[0].decode()
            flags, count, self.kept = *struct.unpack_from("=Q", data, 288), *struct.unpack_from("=II", data, 560)
            if count != 1 or offset >= self.lines or any(data[300:320]) or any(data[568:588]):
                return errno.EINVAL
            self.requests.append((offset, flags, consumer))
            self.close()
            self.ours, self.theirs = socket.socketpair()
            struct.pack_into("=i", data, 588, hand_over(self.theirs.fileno()))
        else:
            return errno.EINVAL
        memory.seek(argument)
        memory.write(data)
        return 0

    def close(self):
        ours, self.ours = self.ours, None
        for end in (ours, self.theirs):
            if end:
                end.close()

    def edge(self):
        """A rising edge. As in gpiolib-cdev, nothing is woken when there is no room left."""
        self.edges += 1
        if not self.ours:
            return
        unread = array.array("i", [0])
        fcntl.ioctl(self.theirs.fileno(), termios.FIONREAD, unread)
        if unread[0] < self.kept * EVENT.size:
            self.ours.send(EVENT.pack(time.monotonic_ns(), RISING, self.requests[-1][0], self.edges, self.edges))
        else:
            self.lost += 1


def ticks(source):
    """Yields every `period` of `source` until it is over. On a busy machine some are skipped: a sensor never makes two
    at once."""
    due = time.monotonic()
    while not source.is_over:
        due = max(due + source.period, time.monotonic())
        time.sleep(max(0, due - time.monotonic()))
        yield


class Pulses:
    """A line of `chip` that rises every `period` seconds, like the pin of a sensor with short pulses."""

    def __init__(self, chip, period):
        self.chip, self.period, self.is_over = chip, period, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for _ in ticks(self):
            self.chip.edge()

    def end(self):
        self.is_over = True
        self.thread.join()
        self.chip.close()


class ReadySensor(ADXL345):
    """An ADXL345 whose INT1 is a line of `chip`: it rises with each sample, every `period` seconds, and falls when the
    sample is read.

    With `pulses` it falls on its own, as an MPU-6050's does. `is_wired` says whether the line is connected.
    """

    def __init__(self, chip, period=0.01, pulses=False):
        super().__init__()
        self.chip, self.period, self.pulses = chip, period, pulses
        self.is_up = self.is_over = False
        self.is_wired = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for _ in ticks(self):
            measures = self.registers[0x2D] & 0x08 and self.registers[0x2E] & 0x80 and not self.registers[0x2F] & 0x80
            if not measures or self.is_up and not self.pulses:
                continue
            self.is_up = True
            if self.is_wired:
                self.chip.edge()

    def prepare(self, register):
        super().prepare(register)
        if register in (0x31, 0x32):
            self.is_up = False

    def end(self):
        """Ends the sensor, then its line."""
        self.is_over = True
        self.thread.join()
        self.chip.close()
