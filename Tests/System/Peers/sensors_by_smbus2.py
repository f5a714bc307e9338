"""Runs under the bridge: reads both sensors with smbus2, in each way that it offers."""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Callable, Sequence

from readings import Fact, Reading, fact, outcome, report
from smbus2 import SMBus, i2c_msg

ADXL345S = (0x53, 0x1D)
MPU6050S = (0x68, 0x69)
NOBODY = 0x1E


def little(data: Sequence[int]) -> tuple[int, ...]:
    return struct.unpack("<hhh", bytes(data))


def big(data: Sequence[int]) -> tuple[int, ...]:
    return struct.unpack(f">{len(data) // 2}h", bytes(data))


def combined(bus: SMBus, address: int, register: int, count: int) -> list[int]:
    write, read = i2c_msg.write(address, [register]), i2c_msg.read(address, count)
    bus.i2c_rdwr(write, read)
    return list(bytes(read))


def bytewise(bus: SMBus, address: int, register: int, count: int) -> list[int]:
    return [bus.read_byte_data(address, register + index) for index in range(count)]


def wordwise(bus: SMBus, address: int, register: int, count: int) -> list[int]:
    words = [bus.read_word_data(address, register + index) for index in range(0, count, 2)]
    return list(struct.pack(f"<{count // 2}H", *words))


def sequential(bus: SMBus, address: int, register: int, count: int) -> list[int]:
    bus.write_byte(address, register)
    return [bus.read_byte(address) for _ in range(count)]


WAYS: dict[str, Callable[[SMBus, int, int, int], list[int]]] = {
    "I2C block": lambda bus, *where: list(bus.read_i2c_block_data(*where)),
    "I2C_RDWR": combined,
    "byte data": bytewise,
    "word data": wordwise,
    "send, receive byte": sequential,
}


def adxl345() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    with SMBus(1) as bus:
        for address in ADXL345S:
            found.append(fact(f"ADXL345 {address:#04x} DEVID", 0xE5, bus.read_byte_data(address, 0x00)))
            bus.write_byte_data(address, 0x2D, 0x08)
            for code in range(4):
                for full in (True, False):
                    bus.write_byte_data(address, 0x31, code | (0x08 if full else 0))
                    time.sleep(0.025)
                    g = 2 << code
                    step = 1 / 256 if full else (1 << code) / 256
                    data = little(bus.read_i2c_block_data(address, 0x32, 6))
                    name = f"ADXL345 {address:#04x} ±{g} g, {'full' if full else '10-bit'}"
                    found.append(Reading(name, address, [count * step for count in data], step, g))
        bus.write_byte_data(0x53, 0x31, 0x0B)
        time.sleep(0.025)
        for name, read in WAYS.items():
            force = [count / 256 for count in little(read(bus, 0x53, 0x32, 6))]
            found.append(Reading(f"ADXL345 0x53 by {name}", 0x53, force, 1 / 256, 16))
    return found


def mpu6050() -> list[Reading | Fact]:
    found: list[Reading | Fact] = []
    with SMBus(1) as bus:
        for address in MPU6050S:
            found.append(fact(f"MPU-6050 {address:#04x} WHO_AM_I", 0x68, bus.read_byte_data(address, 0x75)))
            bus.write_byte_data(address, 0x6B, 0x01)
        time.sleep(0.1)
        for address in MPU6050S:
            for code in range(4):
                bus.write_byte_data(address, 0x1C, code << 3)
                time.sleep(0.01)
                g, step = 2 << code, (2 << code) / 32768
                data = big(bus.read_i2c_block_data(address, 0x3B, 14))
                name = f"MPU-6050 {address:#04x} ±{g} g"
                found.append(Reading(name, address, [count * step for count in data[:3]], step, g))
            found.append(thermometer(address, data[3] / 340 + 36.53))
            turn = [count / 131 for count in data[4:]]
            found.append(Reading(f"MPU-6050 {address:#04x} ±250 °/s", address, turn, 1 / 131, 250.13, "turn"))
        bus.write_byte_data(0x68, 0x1C, 0x00)
        time.sleep(0.01)
        for name, read in WAYS.items():
            force = [count / 16384 for count in big(read(bus, 0x68, 0x3B, 6))]
            found.append(Reading(f"MPU-6050 0x68 by {name}", 0x68, force, 1 / 16384, 2))
    return found


def thermometer(address: int, celsius: float) -> Reading:
    return Reading(f"MPU-6050 {address:#04x} temperature", address, [celsius], 1 / 340, 200, "temperature")


def offsets() -> list[Reading | Fact]:
    """Offsets of 15.625 mg per count, written as a block, are added to what the sensor shows."""
    steps = (-3, 20, 7)
    with SMBus(1) as bus:
        bus.write_byte_data(0x53, 0x31, 0x0B)
        bus.write_i2c_block_data(0x53, 0x1E, [step & 0xFF for step in steps])
        back = bus.read_i2c_block_data(0x53, 0x1E, 3)
        bus.write_byte_data(0x53, 0x2D, 0x08)
        time.sleep(0.025)
        data = little(bus.read_i2c_block_data(0x53, 0x32, 6))
    force = [(count - 4 * step) / 256 for count, step in zip(data, steps)]
    return [
        fact("ADXL345 0x53 offsets read back", [0xFD, 0x14, 0x07], back),
        Reading("ADXL345 0x53 less its offsets", 0x53, force, 1 / 256, 16),
    ]


def nobody() -> list[Fact]:
    """If there is no sensor, each way ends in EREMOTEIO, as on a Raspberry Pi."""
    with SMBus(1) as bus:
        attempts: dict[str, Callable[[], object]] = {
            "quick": lambda: bus.write_quick(NOBODY),
            "receive byte": lambda: bus.read_byte(NOBODY),
            "byte data": lambda: bus.read_byte_data(NOBODY, 0),
            "write byte data": lambda: bus.write_byte_data(NOBODY, 0x2D, 8),
            "I2C block": lambda: bus.read_i2c_block_data(NOBODY, 0x32, 6),
            "I2C_RDWR": lambda: combined(bus, NOBODY, 0x32, 6),
        }
        return [fact(f"nobody at 0x1e, {name}", "OSError 121", outcome(act)) for name, act in attempts.items()]


def threads() -> list[Fact]:
    """Two threads read one sensor at once, starting at different registers; the reads are long so that they overlap.

    On a bus of this process alone: a journal takes so much longer than the sensor that they would hardly overlap.
    """
    del os.environ["PLUMB_BRIDGE_JOURNAL"]
    wrong: list[int] = []

    def read(register: int, expected: list[int]) -> None:
        with SMBus(1) as bus:
            wrong.extend(register for _ in range(2500) if combined(bus, 0x53, register, 8000) != expected)

    workers = []
    with SMBus(1) as bus:
        bus.write_i2c_block_data(0x53, 0x1D, [3, 1, 4, 1, 5, 9, 2, 6])
        for register in (0x1D, 0x20):
            workers.append(threading.Thread(target=read, args=(register, combined(bus, 0x53, register, 8000))))
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return [fact("two threads, 5000 long readings, wrong ones", 0, len(wrong))]


if __name__ == "__main__":
    report({"adxl345": adxl345, "mpu6050": mpu6050, "offsets": offsets, "nobody": nobody, "threads": threads})
