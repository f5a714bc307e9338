"""Runs under the bridge and checks, where no library reaches, that it behaves as the kernel does.

Requests and layouts follow the kernel's documentation.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import stat
import struct
import tempfile
from collections.abc import Callable

from readings import Fact, fact, outcome, report

SLAVE, TENBIT, FUNCS, FORCE, RDWR, PEC, SMBUS = 0x703, 0x704, 0x705, 0x706, 0x707, 0x708, 0x720
RETRIES, TIMEOUT = 0x701, 0x702
PATH = "/dev/i2c-1"
REMOTE_IO, INVALID, UNSUPPORTED, NO_TERMINAL, BAD_ADDRESS, BAD_FILE = 121, 22, 95, 25, 14, 9


def opened(flags: int = os.O_RDWR, address: int = 0x53) -> int:
    bus = os.open(PATH, flags | os.O_CLOEXEC)
    fcntl.ioctl(bus, SLAVE, address)
    return bus


def smbus(bus: int, read: int, command: int, size: int, data: bytes = b"", null: bool = False) -> bytes:
    """Sends an I2C_SMBUS request; returns its 34 bytes of data afterwards."""
    block = ctypes.create_string_buffer(data, 34)
    pointer = 0 if null else ctypes.addressof(block)
    fcntl.ioctl(bus, SMBUS, struct.pack("@BBIP", read, command, size, pointer))
    return block.raw


def messages(bus: int, *parts: tuple[int, int, bytes | int]) -> list[bytes]:
    """Sends an I2C_RDWR request of (address, flags, bytes to write or count to read); returns the bytes read."""
    buffers = [
        ctypes.create_string_buffer(part, len(part) or 1)
        if isinstance(part, bytes)
        else ctypes.create_string_buffer(part or 1)
        for _, _, part in parts
    ]
    packed = b"".join(
        struct.pack("@HHHP", address, flags, len(part) if isinstance(part, bytes) else part, ctypes.addressof(buffer))
        for (address, flags, part), buffer in zip(parts, buffers)
    )
    table = ctypes.create_string_buffer(packed, max(1, len(packed)))
    fcntl.ioctl(bus, RDWR, struct.pack("@PI", ctypes.addressof(table), len(parts)))
    return [buffer.raw for buffer, (_, flags, _) in zip(buffers, parts) if flags & 1]


def refused(code: int) -> str:
    return f"OSError {code}"


def requests() -> list[Fact]:
    """What i2c-dev rejects, and with which error."""
    bus = opened()
    functions = array.array("L", [0])
    fcntl.ioctl(bus, FUNCS, functions)
    cases: list[tuple[str, Callable[[], object], object]] = [
        ("address above 0x7f", lambda: fcntl.ioctl(bus, SLAVE, 0x80), refused(INVALID)),
        ("forced address", lambda: fcntl.ioctl(bus, FORCE, 0x53), 0),
        ("seven-bit addresses", lambda: fcntl.ioctl(bus, TENBIT, 0), 0),
        ("ten-bit addresses", lambda: fcntl.ioctl(bus, TENBIT, 1), refused(UNSUPPORTED)),
        ("packet error codes", lambda: fcntl.ioctl(bus, PEC, 1), refused(UNSUPPORTED)),
        ("retries", lambda: fcntl.ioctl(bus, RETRIES, 3), 0),
        ("time-out", lambda: fcntl.ioctl(bus, TIMEOUT, 10), 0),
        ("unknown request", lambda: fcntl.ioctl(bus, 0x7FF, 0), refused(NO_TERMINAL)),
        ("unknown SMBus size", lambda: smbus(bus, 1, 0, 9), refused(INVALID)),
        ("unknown SMBus direction", lambda: smbus(bus, 2, 0, 2), refused(INVALID)),
        ("SMBus without data", lambda: smbus(bus, 1, 0, 2, null=True), refused(INVALID)),
        ("I2C block of 0 bytes", lambda: smbus(bus, 1, 0x32, 8, b"\x00"), refused(INVALID)),
        ("I2C block of 33 bytes", lambda: smbus(bus, 1, 0x32, 8, b"\x21"), refused(INVALID)),
        ("SMBus block read, as on a Pi", lambda: smbus(bus, 1, 0x32, 5), refused(UNSUPPORTED)),
        ("I2C_RDWR of nothing", lambda: messages(bus), refused(INVALID)),
        ("43 messages", lambda: messages(bus, *[(0x53, 0, b"\0")] * 43), refused(INVALID)),
        ("message of 8193 bytes", lambda: messages(bus, (0x53, 0, bytes(8193))), refused(INVALID)),
        ("read before the last message", lambda: messages(bus, (0x53, 1, 1), (0x53, 0, b"\0")), refused(UNSUPPORTED)),
        ("no repeated start", lambda: messages(bus, (0x53, 0x4000, b"\0")), refused(UNSUPPORTED)),
        ("I2C_RDWR to nobody", lambda: messages(bus, (0x1E, 0, b"\0")), refused(REMOTE_IO)),
        ("I2C_RDWR to a reserved address", lambda: messages(bus, (0x00, 0, b"\0")), refused(REMOTE_IO)),
    ]
    facts = [fact(what, told, outcome(act)) for what, act, told in cases]
    facts.append(fact("functions", "0x0eff0009", f"{functions[0]:#010x}"))
    return facts


def transactions() -> list[Fact]:
    """Each size of SMBus request that no library above uses, on THRESH_TAP and the registers after it."""
    bus = opened()
    smbus(bus, 0, 0x1D, 3, bytes([0x34, 0x12]))
    word = smbus(bus, 1, 0x1D, 3)[:2]
    smbus(bus, 0, 0x1D, 5, bytes([2, 0xAA, 0xBB]))
    block = smbus(bus, 1, 0x1D, 8, bytes([3]))[1:4]
    called = smbus(bus, 0, 0x1D, 4, bytes([0x55, 0x66]))[:2]
    after = smbus(bus, 1, 0x1D, 8, bytes([2]))[1:3]
    several = messages(bus, (0x53, 0, b"\x1d\x07"), (0x53, 0, b"\x1d"), (0x53, 1, 1))
    two = messages(bus, (0x53, 0, b"\x1d\x09"), (0x68, 0, b"\x75"), (0x68, 1, 1))
    return [
        fact("word data", "3412", word.hex()),
        fact("SMBus block write sends its length", "02aabb", block.hex()),
        fact("process call reads what follows", "bb00", called.hex()),
        fact("process call has written", "5566", after.hex()),
        fact("two writes and a read in one request", "07", several[0].hex()),
        fact("two targets in one request", "68", two[0].hex()),
        fact("the first of them was written", "09", smbus(bus, 1, 0x1D, 2)[:1].hex()),
    ]


def files() -> list[Fact]:
    """open, dup, fork, read and write; and files that are not a bus."""
    bus = opened()
    other = opened(address=0x68)
    os.write(other, b"\x75")
    copy = os.dup(bus)
    fcntl.ioctl(copy, SLAVE, 0x53)
    os.write(copy, b"\x00")
    facts = [
        fact("a copy by dup reads on", b"\xe5", os.read(bus, 1)),
        fact("another open file has its own address", b"\x68", os.read(other, 1)),
    ]
    os.close(bus)
    os.write(copy, b"\x00")
    facts.append(fact("a copy lives on after close", b"\xe5", os.read(copy, 1)))
    facts.append(fact("closed", refused(BAD_FILE), outcome(lambda: os.read(bus, 1))))
    fcntl.ioctl(copy, SLAVE, 0x1E)
    facts.append(fact("read from nobody", refused(REMOTE_IO), outcome(lambda: os.read(copy, 1))))
    facts.append(fact("write to nobody", refused(REMOTE_IO), outcome(lambda: os.write(copy, b"\0"))))
    facts.append(fact("no address set", refused(REMOTE_IO), outcome(lambda: os.read(os.open(PATH, os.O_RDWR), 1))))
    facts.append(fact("read-only", refused(BAD_FILE), outcome(lambda: os.write(opened(os.O_RDONLY), b"\0"))))
    facts.append(fact("another bus", refused(2), outcome(lambda: os.open("/dev/i2c-7", os.O_RDWR))))
    facts.append(
        fact("what stat says", (True, 89), (stat.S_ISCHR(os.stat(PATH).st_mode), os.major(os.stat(PATH).st_rdev)))
    )
    with tempfile.TemporaryFile() as ordinary:
        ordinary.write(b"ordinary")
        ordinary.seek(0)
        facts.append(fact("an ordinary file is read", b"ordinary", ordinary.read()))
        facts.append(
            fact(
                "an ordinary file is no bus",
                refused(NO_TERMINAL),
                outcome(lambda: fcntl.ioctl(ordinary, FUNCS, bytes(8))),
            )
        )
    return facts


def processes() -> list[Fact]:
    """A parent and its child write registers of one sensor; each reads back what it wrote, and the other's last
    value."""
    child = os.fork()
    register, values = (0x21, range(1, 200)) if child else (0x22, range(200, 0, -1))
    bus = opened()
    wrong = 0
    for value in values:
        smbus(bus, 0, register, 2, bytes([value]))
        wrong += smbus(bus, 1, register, 2)[0] != value
    if not child:
        os._exit(min(wrong, 100))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [
        fact("two processes, 399 registers written, wrong", 0, wrong + status),
        fact("what each has left", "c701", smbus(bus, 1, 0x21, 8, bytes([2]))[1:3].hex()),
    ]


if __name__ == "__main__":
    report({"requests": requests, "transactions": transactions, "files": files, "processes": processes})
