"""A user's connection from the host to the emulated board: ssh, and the tool."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from emulator import Emulator, Failed
from stream import PATIENCE, Account, Object

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support" / "Python"))
from mosquitto import Broker
from processes import plain_environment
from screen import Screen
from terminal import Terminal

SHARED = "/run/plumb/stream"
# QEMU's internal network, which reaches only the forwarded port of the host.
GUEST = "10.0.2.15"
ADDRESS = "ssh:root@pi"

# Keys only. The key exchange is an old one: the default takes an emulated Pi half a second longer.
SSHD = (
    "/sbin/sshd -f /dev/null -h /etc/ssh/key -E /tmp/sshd.log -o PidFile=none -o UsePAM=no -o UseDNS=no "
    "-o AuthenticationMethods=publickey -o AuthorizedKeysFile=/etc/ssh/authorized_keys -o PasswordAuthentication=no "
    f"-o KexAlgorithms=curve25519-sha256 -o ListenAddress={GUEST}"
)


class Remote:
    """The network of one emulated board, with an sshd that has its own keys."""

    def __init__(self, folder: Path, plumb: Path) -> None:
        self._folder = folder
        self._plumb = plumb
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name], check=True)
        self._forwarding: subprocess.Popen[bytes] | None = None
        # The forwarded stream, on the host.
        self.path = folder / "stream"

    def files(self, boot: Path) -> dict[str, Path | bytes]:
        """The files that the guest needs for it, by their names there."""
        found: dict[str, Path | bytes] = {
            "etc/ssh/key": self._folder / "host",
            "etc/ssh/authorized_keys": self._folder / "user.pub",
            "etc/passwd": b"root:x:0:0:root:/:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n"
            b"plumb:x:101:101::/:/bin/false\n",
            "etc/group": b"root:x:0:\nplumb:x:101:\nplumb-input:x:102:plumb\ninput:x:103:\n",
        }
        for file in (boot / "ssh").iterdir():
            found[("sbin/" if file.name == "sshd" else "lib/") + file.name] = file
        return found

    def open(self, emulator: Emulator) -> None:
        """Waits for the guest's network, starts sshd there, and forwards the stream."""
        shell = emulator.shell
        shell.must("while [ ! -e /sys/class/net/eth0 ]; do sleep 0.05; done")
        shell.must(f"ip link set lo up; ip addr add {GUEST}/24 dev eth0; ip link set eth0 up")
        shell.must("mkdir -p /run/sshd /run/plumb; chmod 755 /; chmod 600 /etc/ssh/key")
        shell.must(SSHD)
        config = self._folder / "config"
        key = (self._folder / "host.pub").read_text().split()
        (self._folder / "known").write_text(f"pi {key[0]} {key[1]}\n")
        config.write_text(
            f"Host pi\n  HostName 127.0.0.1\n  Port {emulator.ssh_port()}\n  User root\n  HostKeyAlias pi\n"
            f"  IdentityFile {self._folder}/user\n  IdentitiesOnly yes\n  UserKnownHostsFile {self._folder}/known\n"
            "  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n  BatchMode yes\n"
        )
        wrapper = self._folder / "ssh"
        wrapper.write_text(f'#!/bin/sh\nexec ssh -F {shlex.quote(str(config))} "$@"\n')
        wrapper.chmod(0o755)
        with (self._folder / "ssh.log").open("wb") as log:
            words = [wrapper, "-N", "-T", "-o", "ExitOnForwardFailure=yes", "-L", f"{self.path}:{SHARED}", "root@pi"]
            # A separate session: Ctrl-C reaches the test, which then ends it.
            self._forwarding = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + PATIENCE
        while not self.path.exists():
            if self._forwarding.poll() is not None or time.monotonic() > deadline:
                said = (self._folder / "ssh.log").read_text(errors="replace")
                raise Failed(f"ssh does not connect: {said}{shell.run('cat /tmp/sshd.log').output}")
            time.sleep(0.02)

    def close(self) -> None:
        if self._forwarding is not None:
            end(self._forwarding)

    @property
    def environment(self) -> Mapping[str, str]:
        return plain_environment(PLUMB_SSH=str(self._folder / "ssh"), TMPDIR=str(self._folder))

    def run_tool(self, poses: Iterable[str]) -> Run:
        """`plumb run`, which listens through its own ssh."""
        return Run(self._plumb, self.environment, self._folder / "run", poses)

    def status(self) -> tuple[int, Object]:
        """The exit code of `plumb status` and the object that it prints."""
        done = subprocess.run(
            [self._plumb, "status", "--from", ADDRESS, "--format", "json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(self.environment),
            timeout=2 * PATIENCE,
        )
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError as error:
            raise Failed(f"plumb status prints {done.stdout!r}, and says {done.stderr!r}") from error

    def watch(self) -> Watch:
        """`plumb watch`, on a terminal."""
        return Watch(self._plumb, self.environment)


class Run(Account):
    """`plumb run --from ssh:…`, with its output in a file."""

    def __init__(self, plumb: Path, environment: Mapping[str, str], file: Path, poses: Iterable[str]) -> None:
        super().__init__("plumb run", poses)
        self._errors = file.with_suffix(".err")
        with file.open("wb") as output, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [plumb, "run", "--from", ADDRESS, "--format", "json"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env=dict(environment),
                start_new_session=True,
            )
        self._file = file.open("rb")

    def hear(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while True:
            data = self._file.read()
            self.feed(data)
            left = deadline - time.monotonic()
            if data or left <= 0:
                return
            time.sleep(min(0.02, left))

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def said(self) -> str:
        """What it wrote to standard error."""
        return self._errors.read_text(errors="replace").strip()

    def stop(self) -> int:
        """Sends SIGINT and returns the exit code."""
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGINT)
        try:
            return self._process.wait(PATIENCE)
        finally:
            self.close()

    def close(self) -> None:
        end(self._process)
        self._file.close()


class Watch:
    """`plumb watch --from ssh:…`, on its own terminal."""

    def __init__(self, plumb: Path, environment: Mapping[str, str]) -> None:
        self._screen = Screen(80, 24)
        self._terminal = Terminal(24, 80)
        self._job = self._terminal.start([str(plumb), "watch", "--from", ADDRESS], env=dict(environment))

    def lights(self, letter: str) -> bool:
        """Whether, sooner or later, of the six lamps that it draws only that one is lit."""
        wanted = "   ".join(("\u25cf " if lamp == letter else "\u25cb ") + lamp for lamp in "PULRFD")
        deadline = time.monotonic() + PATIENCE
        while not (self._screen.is_whole and self.row() == wanted):
            if time.monotonic() > deadline or self._job.poll() is not None:
                return False
            self._screen.feed(self._terminal.take(0.05))
        return True

    def row(self) -> str:
        """The row of lamps; if there is none, everything that it shows."""
        found = re.search("[\u25cf\u25cb] P(   [\u25cf\u25cb] [ULRFD]){5}", self._screen.text())
        return found[0] if found else self._screen.text()

    def quit(self) -> int:
        """Types q and returns the exit code."""
        self._terminal.type(b"q")
        deadline = time.monotonic() + PATIENCE
        while self._job.poll() is None and time.monotonic() < deadline:
            self._screen.feed(self._terminal.take(0.05))
        return self._job.wait()

    def close(self) -> None:
        if self._job.poll() is None:
            self._job.kill()
        self._terminal.close()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process, by its ID."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
