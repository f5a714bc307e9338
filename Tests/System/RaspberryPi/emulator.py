"""Runs QEMU: its interface for tests, which reads pins from outside, its monitor, and a shell in the guest."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from machines import Machine

# The limit for the kernel to boot; it takes 4 s on an idle machine.
BOOT_PATIENCE = 120.0
# Ends a hang and does not measure speed: a busy host may take its time.
PATIENCE = 120.0
# Where the guest finds a broker; QEMU's internal network has no other use for the address.
BROKER = ("10.0.2.4", 8883)

Pins = frozenset[int]


class Failed(Exception):
    """The emulator or the guest lacks something that the test relies on."""


def connected(path: Path, deadline: float) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(PATIENCE)
    while True:
        try:
            link.connect(str(path))
            return link
        except OSError as error:
            if time.monotonic() > deadline:
                raise Failed(f"QEMU does not answer: {error}") from error
            time.sleep(0.05)


class Monitor:
    """QEMU's monitor for people. The one for programs has a thread, which each timer that the guest sets wakes."""

    PROMPT = b"(qemu) "

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._answer()

    def ask(self, command: str) -> str:
        """What the monitor prints, with the echo of the command before it."""
        self._link.sendall(command.encode() + b"\n")
        return self._answer()

    def _answer(self) -> str:
        received = b""
        while not received.endswith(self.PROMPT):
            data = self._link.recv(65536)
            if not data:
                raise Failed("QEMU has ended")
            received += data
        return received.decode(errors="replace")


class Memory:
    """The guest's physical memory, through QEMU's protocol for tests: it takes a command at once, a monitor a
    character at a time."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._lines = link.makefile("r", encoding="ascii")

    def words(self, *blocks: tuple[int, int]) -> list[tuple[int, ...]]:
        """The 32-bit words of the guest's physical memory: for each address, `count` words from there.

        All are requested at once, so they are read one right after another, however busy the host is.
        """
        self._link.sendall("".join(f"read {address:#x} {4 * count:#x}\n" for address, count in blocks).encode())
        found = []
        for address, count in blocks:
            reply = self._lines.readline()
            if not reply:
                raise Failed("QEMU has ended")
            data = reply.removeprefix("OK 0x").strip()
            if len(data) != 8 * count:
                raise Failed(f"QEMU does not read {address:#x}: {reply}")
            found.append(struct.unpack(f"<{count}I", bytes.fromhex(data)))
        return found


@dataclass(frozen=True)
class Done:
    """The output of a command in the guest, and its exit code."""

    output: str
    code: int


class Shell:
    """A shell in the guest."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._received = b""
        self._count = 0

    def wait_until_up(self) -> None:
        """Waits for the message that the guest prints when its shell is about to listen."""
        self._answer("0", BOOT_PATIENCE, "the guest does not come up")

    def run(self, command: str, patience: float = PATIENCE) -> Done:
        """Runs a command to its end, whatever its exit code."""
        self._count += 1
        self._link.settimeout(PATIENCE)
        self._link.sendall(f"{command}\nprintf '\\036{self._count}:%d\\036' $?\n".encode())
        return self._answer(str(self._count), patience, f'no answer from the guest to "{command}"')

    def _answer(self, mark: str, patience: float, complaint: str) -> Done:
        pattern = re.compile(rb"\x1e" + mark.encode() + rb":(\d+)\x1e")
        deadline = time.monotonic() + patience
        while True:
            found = pattern.search(self._received)
            if found:
                output = self._received[: found.start()].decode(errors="replace")
                self._received = self._received[found.end() :]
                # Cuts off what an earlier command that timed out has printed meanwhile.
                return Done(output.rpartition("\x1e")[2].replace("\r\n", "\n").strip("\n"), int(found[1]))
            left = deadline - time.monotonic()
            if left <= 0:
                said = self._received.decode(errors="replace")
                raise Failed(f"{complaint} within {patience:.0f} s; it said: {said!r}")
            self._link.settimeout(left)
            try:
                data = self._link.recv(65536)
            except TimeoutError:
                continue
            if not data:
                raise Failed("QEMU has ended")
            self._received += data

    def must(self, command: str) -> str:
        """Runs a command that must succeed; returns its output."""
        done = self.run(command)
        if done.code != 0:
            raise Failed(f'"{command}" fails in the guest with exit code {done.code}: {done.output}')
        return done.output


class Emulator:
    """One emulated Raspberry Pi, from start to end."""

    def __init__(
        self,
        machine: Machine,
        folder: Path,
        boot: Path,
        archive: Path,
        devices: Sequence[str],
        broker: tuple[str, int] | None = None,
        tree: Path | None = None,
    ) -> None:
        """`broker` is an address and port of the host, which the guest reaches at BROKER; `tree` a device tree other than
        Debian's."""
        self.machine = machine
        self._folder = folder
        monitor, memory, port = folder / "monitor", folder / "memory", folder / "port"
        ports = ["file:" + str(folder / "console.log")] * machine.shell_port + [f"unix:{port},server=on,wait=off"]
        options = f"console=ttyAMA0,115200 rdinit=/init panic=-1 quiet shell={machine.shell} {machine.kernel_options}"
        command = [machine.emulator, "-M", machine.model, "-display", "none", "-no-reboot", "-no-user-config"]
        command += [word for text in ports for word in ("-serial", text)]
        # An instruction takes 8 ns of guest time, whatever it takes on the host: on a busy host the guest's clock
        # waits, so measurements stay fair. 125 million instructions a second are fewer than any Pi executes.
        command += ["-icount", "shift=3", *machine.emulator_options]
        command += ["-monitor", f"unix:{monitor},server=on,wait=off"]
        command += ["-qtest", f"unix:{memory},server=on,wait=off", "-qtest-log", "none"]
        command += ["-kernel", str(boot / "vmlinuz"), "-dtb", str(tree or boot / machine.device_tree)]
        command += ["-initrd", str(archive), "-append", options]
        command += [word for text in devices for word in ("-device", text)]
        # An isolated network, except for a host port, chosen by the system, that leads to sshd, and a guest port that
        # leads to a broker: one program per connection, so each ends as the guest ends it.
        network = "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"
        if broker is not None:
            network += ",guestfwd=tcp:%s:%d-cmd:socat STDIO TCP:%s:%d" % (*BROKER, *broker)
        command += ["-netdev", network, "-device", "usb-net,netdev=net"]
        with (folder / "qemu.log").open("wb") as log:
            # A separate session: Ctrl-C reaches the test, which then ends QEMU.
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        try:
            deadline = time.monotonic() + PATIENCE
            self._monitor = Monitor(connected(monitor, deadline))
            self._memory = Memory(connected(memory, deadline))
            self.shell = Shell(connected(port, deadline))
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> Emulator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Ends QEMU, by its process ID."""
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                os.kill(self._process.pid, signal.SIGKILL)
                self._process.wait()

    def ssh_port(self) -> int:
        """The host port that leads to the guest's port 22."""
        table = self._monitor.ask("info usernet")
        found = re.search(r"HOST_FORWARD\]\s+\d+\s+\S+\s+(\d+)", table)
        if not found:
            raise Failed(f"QEMU forwards no port: {table}")
        return int(found[1])

    def log(self) -> str:
        """The output of QEMU and of the guest's console."""
        logs = (self._folder / name for name in ("qemu.log", "console.log"))
        return "".join(log.read_text(errors="replace") for log in logs if log.exists())

    def now(self) -> float:
        """Seconds by the emulated chip's own timer."""
        return self._memory.words((self.machine.timer, 1))[0][0] / 1e6

    def look(self) -> tuple[Pins, float]:
        """GPIO0 to GPIO31, as far as they are driven high, which means an output (function 1) with level 1; and the
        time.

        One block of registers is read between two instructions of the guest, and the timer right after it, so the
        observation is never older than the time.
        """
        words, timer = self._memory.words((self.machine.gpio, 14), (self.machine.timer, 1))
        level = words[0x34 // 4]
        pins = (pin for pin in range(32) if level >> pin & 1 and function(words, pin) == 1)
        return frozenset(pins), timer[0] / 1e6

    def outputs(self, lines: Pins) -> Pins:
        """Those of `lines` that are outputs."""
        words = self._memory.words((self.machine.gpio, 3))[0]
        return frozenset(pin for pin in lines if function(words, pin) == 1)


def function(words: Sequence[int], pin: int) -> int:
    """The function of a pin, from GPFSEL0 to GPFSEL2: 0 an input, 1 an output.

    - Source: BCM2835 ARM Peripherals, 6.1.
    """
    return words[pin // 10] >> pin % 10 * 3 & 7
