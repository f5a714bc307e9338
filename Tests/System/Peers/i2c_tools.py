"""i2cdetect, i2cget, i2cset, i2cdump and i2ctransfer of i2c-tools: each a separate process, all on one bus."""

from __future__ import annotations

import struct
import subprocess
import time
from collections.abc import Iterable, Sequence

from bridge import Bus, Vector
from report import Report


def version() -> str:
    done = subprocess.run(["i2cdetect", "-V"], capture_output=True, text=True, check=True)
    return "i2c-tools " + (done.stdout + done.stderr).split()[-1]


def counts(data: Sequence[int], order: str) -> tuple[int, ...]:
    return struct.unpack(f"{order}{len(data) // 2}h", bytes(data))


def scaled(data: Sequence[int], order: str, step: float) -> list[float]:
    return [count * step for count in counts(data, order)]


def bytes_of(output: str) -> list[int]:
    return [int(word, 16) for word in output.split()]


def dumped(output: str) -> dict[int, int]:
    """The registers in a dump of bytes: rows that begin with `30:`, with a cell of three columns for each register."""
    found: dict[int, int] = {}
    for line in output.splitlines():
        row, colon, cells = line.partition(":")
        if colon:
            for column in range(16):
                cell = cells[1 + 3 * column : 3 + 3 * column].strip()
                if cell not in ("", "XX", "--"):
                    found[int(row, 16) + column] = int(cell, 16)
    return found


def scanned(output: str) -> tuple[set[int], set[int]]:
    """The addresses that responded to a scan, and those that did not."""
    present: set[int] = set()
    absent: set[int] = set()
    for line in output.splitlines()[1:]:
        row, _, cells = line.partition(":")
        for column in range(16):
            cell = cells[1 + 3 * column : 3 + 3 * column].strip()
            if cell:
                (absent if cell == "--" else present).add(int(row, 16) + column)
    return present, absent


def hexadecimal(addresses: Iterable[int]) -> str:
    return " ".join(f"{address:02x}" for address in sorted(addresses))


def detect(report: Report, bus: Bus) -> None:
    expected = {sensor.address for sensor in bus.sensors}
    for option, how in ((), "as it likes"), (("-q",), "quick write"), (("-r",), "receive byte"):
        present, absent = scanned(bus.run("i2cdetect", "-y", *option, "1").stdout)
        report.value("i2cdetect", f"scan, {how}", hexadecimal(expected), hexadecimal(present))
        report.value("i2cdetect", f"addresses shown as --, {how}", 112 - len(expected), len(absent))
    functions = bus.run("i2cdetect", "-F", "1").stdout.splitlines()[1:]
    lacking = [line.rsplit(maxsplit=1)[0] for line in functions if line.endswith("no")]
    report.value(
        "i2cdetect", "what a Pi's adapter cannot do", "SMBus Block Read, SMBus Block Process Call", ", ".join(lacking)
    )


def get(bus: Bus, address: int, register: int, mode: str = "b") -> int:
    return int(bus.run("i2cget", "-y", "1", str(address), str(register), mode).stdout, 16)


def put(bus: Bus, address: int, register: int, *values: int) -> None:
    done = bus.run(
        "i2cset", "-y", "1", str(address), str(register), *map(str, values), *(["i"] if len(values) > 1 else [])
    )
    if done.returncode != 0:
        raise RuntimeError(f"i2cset failed: {done.stderr}")


def wait_for_data(bus: Bus, address: int) -> None:
    """Waits until the DATA_READY bit of an ADXL345 is set."""
    deadline = time.monotonic() + 5
    while not get(bus, address, 0x30) & 0x80:
        if time.monotonic() > deadline:
            raise RuntimeError("no data within 5 s")


def words(bus: Bus, address: int, register: int) -> list[int]:
    """Six bytes as three words, low byte first, as i2cget defines a word."""
    return list(struct.pack("<3H", *(get(bus, address, register + offset, "w") for offset in (0, 2, 4))))


def transferred(bus: Bus, address: int, register: int, count: int) -> list[int]:
    return bytes_of(bus.run("i2ctransfer", "-y", "1", f"w1@{address:#x}", f"{register:#x}", f"r{count}").stdout)


def adxl345(report: Report, bus: Bus, address: int, force: Vector) -> None:
    name = f"ADXL345 {address:#04x}"
    report.value("i2cget", f"{name} DEVID", "0xe5", f"{get(bus, address, 0x00):#04x}")
    asleep = transferred(bus, address, 0x32, 6)
    report.value("i2ctransfer", f"{name} data in standby", [0] * 6, asleep)
    put(bus, address, 0x31, 0x0B)
    put(bus, address, 0x2D, 0x08)
    wait_for_data(bus, address)
    step = 1 / 256
    report.vector(
        "i2ctransfer", f"{name} ±16 g, full", force, scaled(transferred(bus, address, 0x32, 6), "<", step), step
    )
    report.vector("i2cget", f"{name} ±16 g, full, words", force, scaled(words(bus, address, 0x32), "<", step), step)
    block = bytes_of(bus.run("i2cget", "-y", "1", str(address), "0x32", "i", "6").stdout)
    report.vector("i2cget", f"{name} ±16 g, full, I2C block", force, scaled(block, "<", step), step)
    registers = dumped(bus.run("i2cdump", "-y", "-r", "0x1d-0x39", "1", str(address), "b").stdout)
    data = [registers[register] for register in range(0x32, 0x38)]
    report.vector("i2cdump", f"{name} ±16 g, full", force, scaled(data, "<", step), step)
    shown = " ".join(f"{registers[register]:02x}" for register in (0x2C, 0x2D, 0x31))
    report.value("i2cdump", f"{name} BW_RATE, POWER_CTL, DATA_FORMAT", "0a 08 0b", shown)


def mpu6050(report: Report, bus: Bus, address: int, force: Vector) -> None:
    name = f"MPU-6050 {address:#04x}"
    report.value("i2cget", f"{name} WHO_AM_I", "0x68", f"{get(bus, address, 0x75):#04x}")
    report.value("i2cget", f"{name} PWR_MGMT_1 after power-on", "0x40", f"{get(bus, address, 0x6B):#04x}")
    report.value("i2ctransfer", f"{name} data asleep", [0] * 6, transferred(bus, address, 0x3B, 6))
    put(bus, address, 0x6B, 0x01)
    put(bus, address, 0x1C, 0x08)
    time.sleep(0.1)
    step = 4 / 32768
    report.vector("i2ctransfer", f"{name} ±4 g", force, scaled(transferred(bus, address, 0x3B, 6), ">", step), step)
    report.vector("i2cget", f"{name} ±4 g, words", force, scaled(words(bus, address, 0x3B), ">", step), step)
    registers = dumped(bus.run("i2cdump", "-y", "-r", "0x3b-0x40", "1", str(address), "b").stdout)
    data = [registers[register] for register in range(0x3B, 0x41)]
    report.vector("i2cdump", f"{name} ±4 g", force, scaled(data, ">", step), step)
    block = dumped(bus.run("i2cdump", "-y", "1", str(address), "i").stdout)
    data = [block[register] for register in range(0x3B, 0x41)]
    report.vector("i2cdump", f"{name} ±4 g, I2C block", force, scaled(data, ">", step), step)
    # 0x75 is WHO_AM_I, but a burst from 0x60 does not get past FIFO_R_W at 0x74, where the pointer stays.
    report.value("i2cdump", f"{name} beyond FIFO_R_W, I2C block", "00 00", f"{block[0x75]:02x} {block[0x7F]:02x}")


def missing(report: Report, bus: Bus) -> None:
    """No device is at 0x1e."""
    commands = (
        (("i2cget", "-y", "1", "0x1e", "0x00"), 2, "Error: Read failed"),
        (("i2cset", "-y", "1", "0x1e", "0x2d", "0x08"), 1, "Error: Write failed"),
        (("i2ctransfer", "-y", "1", "w1@0x1e", "0x00", "r1"), 1, "Error: Sending messages failed: Remote I/O error"),
    )
    for command, code, words_said in commands:
        done = bus.run(*command)
        report.value(command[0], "nobody at 0x1e", words_said, done.stderr.strip())
        report.value(command[0], "nobody at 0x1e: exit code", code, done.returncode)
    registers = dumped(bus.run("i2cdump", "-y", "-r", "0x00-0x0f", "1", "0x1e", "b").stdout)
    report.value("i2cdump", "nobody at 0x1e: registers shown", 0, len(registers))
