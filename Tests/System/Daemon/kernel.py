"""A simulated bus for an unmodified program: this process answers in place of the kernel's /dev/i2c-1.

The program under test runs under a seccomp filter that passes its openat() and its I2C and GPIO ioctl()s to this
process (user notification). This process answers I2C from register files and GPIO from a chip of gpio.py. The program
may be static or traced: it makes the very system calls that it makes on a Raspberry Pi. Needs Linux 5.14 or later, but
no privileges.
"""

import ctypes
import errno
import os
import platform
import select
import socket
import struct
import threading

LIBC = ctypes.CDLL(None, use_errno=True)

# Numbers of the system calls (unistd.h) and the architecture (linux/audit.h).
SECCOMP, OPENAT, IOCTL, AUDIT = {
    "x86_64": (317, 257, 16, 0xC000003E),
    "aarch64": (277, 56, 29, 0xC00000B7),
}[platform.machine()]

# linux/seccomp.h: ioctls on the listener, and the return values of a filter.
NOTIF_RECV, NOTIF_SEND, NOTIF_ID_VALID, NOTIF_ADDFD = 0xC0502100, 0xC0182101, 0x40082102, 0x40182103
RET_ALLOW, RET_USER_NOTIF = 0x7FFF0000, 0x7FC00000
NOTIFICATION = struct.Struct("=QIIiIQ6Q")
RESPONSE = struct.Struct("=QqiI")
CONTINUE = 1

# linux/i2c-dev.h
I2C_SLAVE, I2C_FUNCS, I2C_RDWR = 0x703, 0x705, 0x707
FUNC_I2C = 0x0EFF0009  # what the Raspberry Pi's driver reports
MESSAGE = struct.Struct("=HHHxxQ")


def filter_program():
    """The filter: openat and the ioctls of I2C (type 07) and GPIO (type B4) come to us; the kernel handles the rest."""

    def op(code, true, false, value):
        return struct.pack("=HBBI", code, true, false, value)

    load, equal, mask, give = 0x20, 0x15, 0x54, 0x06
    return b"".join(
        [
            op(load, 0, 0, 4),
            op(equal, 0, 7, AUDIT),
            op(load, 0, 0, 0),
            op(equal, 6, 0, OPENAT),
            op(equal, 0, 4, IOCTL),
            op(load, 0, 0, 24),
            op(mask, 0, 0, 0xFF00),
            op(equal, 2, 0, 0x0700),
            op(equal, 1, 0, 0xB400),
            op(give, 0, 0, RET_ALLOW),
            op(give, 0, 0, RET_USER_NOTIF),
        ]
    )


def install_filter():
    """Installs the filter for this process and returns the listener."""
    program = filter_program()
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    if LIBC.prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
        raise OSError(ctypes.get_errno(), "prctl")
    listener = LIBC.syscall(SECCOMP, 1, 8, ctypes.c_char_p(header))  # SET_MODE_FILTER, NEW_LISTENER
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return listener


class Target:
    """A register file with auto-increment that responds at one address. `fault` is an errno to return instead."""

    def __init__(self, registers=None):
        self.registers = bytearray(256)
        for register, value in (registers or {}).items():
            self.registers[register] = value
        self.pointer = 0
        self.fault = 0
        self.writes = []

    def write(self, data):
        self.pointer = data[0]
        for value in data[1:]:
            self.registers[self.pointer] = value
            self.writes.append((self.pointer, value))
            self.pointer = (self.pointer + 1) % 256

    def read(self, count):
        self.prepare(self.pointer)
        data = bytes(self.registers[(self.pointer + n) % 256] for n in range(count))
        self.pointer = (self.pointer + count) % 256
        return data

    def prepare(self, register):
        """Called before registers are read."""


class Kernel:
    """Starts a program under the filter and answers for `targets`, which are keyed by address."""

    def __init__(self, targets, path="/dev/i2c-1"):
        self.targets = targets
        self.path = path
        self.transactions = 0
        self.clocks = 0  # of the bus: nine per byte with its acknowledge, one per start or stop
        self.joins = False  # whether another message may follow a read; the driver of the BCM2835 refuses that
        self.busy = False  # whether a kernel driver has the addresses in use
        self.missing = 0  # an errno that opening the bus returns
        self.chip = None  # the GPIO chip, /dev/gpiochip0
        self.node = os.memfd_create("i2c")  # the node of the bus, on which programs lock bytes

    def start(self, arguments, environment=None, **streams):
        """Starts the program; `streams` are descriptors for stdout and stderr. Returns its process ID."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                for name, number in (("stdout", 1), ("stderr", 2)):
                    if name in streams:
                        os.dup2(streams[name], number)
                socket.send_fds(theirs, [b"!"], [install_filter()])
                theirs.recv(1)  # until the parent is ready to answer
                os.execvpe(arguments[0], arguments, environment or os.environ)
            finally:
                os._exit(127)
        theirs.close()
        _, listeners, _, _ = socket.recv_fds(ours, 1, 1)
        if not listeners:
            raise OSError("the program could not be put under a seccomp filter")
        threading.Thread(target=self.serve, args=(listeners[0],), daemon=True).start()
        ours.send(b"!")
        ours.close()
        return pid

    def serve(self, listener):
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while True:
            events = poll.poll()[0][1]
            if not events & select.POLLIN:
                return os.close(listener)
            buffer = ctypes.create_string_buffer(NOTIFICATION.size)
            if LIBC.ioctl(listener, ctypes.c_ulong(NOTIF_RECV), buffer) < 0:
                continue
            identity, pid, _, number, _, _, *arguments = NOTIFICATION.unpack(buffer.raw)
            try:
                if number == OPENAT:
                    self.answer_open(listener, identity, pid, arguments)
                else:
                    self.answer_control(listener, identity, pid, arguments)
            except (OSError, struct.error):
                # If the program was killed in the meantime, its memory can no longer be read.
                if LIBC.ioctl(listener, ctypes.c_ulong(NOTIF_ID_VALID), ctypes.byref(ctypes.c_uint64(identity))) == 0:
                    raise

    def answer(self, listener, identity, value=0, code=0, flags=0):
        LIBC.ioctl(listener, ctypes.c_ulong(NOTIF_SEND), RESPONSE.pack(identity, value, -code, flags))

    def answer_open(self, listener, identity, pid, arguments):
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(arguments[1])
            name = memory.read(256).split(b"\0")[0].decode(errors="replace")
        if name != self.path and not (self.chip and name == "/dev/gpiochip0"):
            return self.answer(listener, identity, flags=CONTINUE)
        if name == self.path and self.missing:
            return self.answer(listener, identity, code=self.missing)
        # Opened each time, because locks belong to an open file.
        file = os.open(f"/proc/self/fd/{self.node}", os.O_RDWR)
        # SEND: returns the number of the new descriptor as the answer, in one step.
        self.hand_over(listener, identity, file, 2)
        return os.close(file)

    def hand_over(self, listener, identity, file, flags=0):
        """Gives the program a descriptor, and returns its number there."""
        message = struct.pack("=QIIII", identity, flags, file, 0, os.O_CLOEXEC)
        return LIBC.ioctl(listener, ctypes.c_ulong(NOTIF_ADDFD), message)

    def answer_control(self, listener, identity, pid, arguments):
        request, argument = arguments[1] & 0xFFFFFFFF, arguments[2]
        value, code = 0, 0
        with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
            if request == I2C_FUNCS:
                memory.seek(argument)
                memory.write(struct.pack("=Q", FUNC_I2C))
            elif request == I2C_SLAVE:
                code = errno.EBUSY if self.busy else 0
            elif request & 0xFF00 == 0xB400 and self.chip:
                code = self.chip.answer(
                    request, memory, argument, lambda file: self.hand_over(listener, identity, file))
            elif request == I2C_RDWR:
                value, code = self.transact(memory, argument)
            else:
                code = errno.ENOTTY
        self.answer(listener, identity, value, code)

    def transact(self, memory, argument):
        """Answers I2C_RDWR: returns the number of messages, or 0 and an errno."""

        def peek(address, count):
            memory.seek(address)
            data = memory.read(count)
            if len(data) < count:  # the program has just ended; `serve` handles that
                raise OSError(errno.EIO, f"{len(data)} of {count} bytes at {address:#x}")
            return data

        self.transactions += 1
        start, count = struct.unpack("=QI", peek(argument, 12))
        messages = [MESSAGE.unpack(peek(start + index * MESSAGE.size, MESSAGE.size)) for index in range(count)]
        if not self.joins and any(flags & 1 for _, flags, _, _ in messages[:-1]):
            return 0, errno.EOPNOTSUPP
        for address, flags, length, data in messages:
            target = self.targets.get(address)
            if target is None or target.fault:
                return 0, target.fault if target else errno.EREMOTEIO
            if flags & 1:
                memory.seek(data)
                memory.write(target.read(length))
            else:
                target.write(peek(data, length))
            self.clocks += 1 + 9 * (1 + length)
        self.clocks += 1
        return count, 0
