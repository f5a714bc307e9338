"""Boots a root with the package in it on an emulated Raspberry Pi 3, and walks through the life of the service.

    service.py --root FOLDER --boot FOLDER      (Tests/Packages/service.sh makes both)

Exit codes: 0 all passed; 1 a step failed; 69 the emulator or the guest does not do what the test relies on.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "RaspberryPi"))

import emulator as emulation
import tree
from emulator import Emulator, Failed
from machines import MACHINES
from raspberry_pi import devices
from trial import ALL, DARK, POSES, Trial, line

# A whole system takes longer to come up than one program.
BOOT_PATIENCE = 300.0
# RestartSec=1s (RestartSteps= makes the first three 1, 2 and 4 s where systemd knows it), the start of a service with its sandbox on a slow machine, and the 1.5 s that the program itself may take.
RESTART_LIMIT = 6.0
# WatchdogSec=10s before that.
WATCHDOG_LIMIT = 10.0 + RESTART_LIMIT

BOARD = "/etc/plumb/board.ini"
TEMPLATE = "/usr/share/plumb/boards/raspberry-pi-adxl345.ini"


class Service(Trial):
    """plumbd as a service on one board."""

    def of(self, name: str) -> str:
        """What systemd says of it."""
        return self.shell.must(f"systemctl show --value -p {name} plumbd")

    def does(self, what: str, command: str, expected: int = 0) -> str:
        """Runs a command whose exit code is told."""
        done = self.shell.run(command, 90)
        said = done.output.strip().splitlines()
        detail = f"exit code {done.code}" + (f', "{said[-1]}"' if said else "")
        self.report(what, done.code == expected, detail)
        return done.output

    def journal(self) -> str:
        return self.shell.must("journalctl -u plumbd -o cat --no-pager")

    def log(self) -> str:
        """What `section` shows where something failed."""
        return self.shell.must("systemctl status plumbd --no-pager -l; journalctl -u plumbd --no-pager | tail -n 30; true")

    def status(self, name: str) -> str:
        """A field of the process."""
        return self.shell.must(f"sed -n 's/^{name}:[[:space:]]*//p' /proc/{self.of('MainPID')}/status")


def before_a_board(pi: Service) -> None:
    with pi.section("no board file"):
        pi.equal("service", "inactive", pi.of("ActiveState"))
        pi.equal("condition", "no", pi.of("ConditionResult"))
        pi.stays("lines", DARK, 0.5)
    with pi.section("devices"):
        pi.shell.must("udevadm settle")
        for device, group in (("gpiochip0", "gpio"), ("i2c-1", "i2c")):
            pi.equal(device, f"root {group} 660", pi.shell.must(f"stat -c '%U %G %a' /dev/{device}"))
    with pi.section("check by the service's user"):
        pi.shell.must(f"cp {TEMPLATE} {BOARD}")
        said = pi.does("says that all is well", "su -s /bin/sh -c 'plumbd --check' plumb")
        pi.says("each thing", said, ("board file: OK", "identity: OK", "lines of the LEDs: OK"))


def start_and_turn(pi: Service) -> None:
    with pi.section("start"):
        pi.hold("landscapeLeft")
        since = pi.emulator.now()
        pi.shell.must("systemctl start --no-block plumbd")
        pi.lit("landscapeLeft", since, RESTART_LIMIT, (DARK,))
        pi.equal("service", "active", pi.of("ActiveState"))
        # The program sends one a second at most.
        pi.shell.run("timeout 5 sh -c 'until systemctl show -p StatusText plumbd | grep -q pose:; do sleep 0.2; done'", 10)
        pi.equal("status", "pose: landscape, left edge down", pi.of("StatusText"))
    with pi.section("turn"):
        last = "landscapeLeft"
        for pose in POSES:
            if pose != last:
                pi.lit(pose, pi.hold(pose), meanwhile=(line(last),))
            last = pose
    with pi.section("rights"):
        user = pi.shell.must("id -u plumb")
        pi.equal("user", "\t".join([user] * 4), pi.status("Uid"))
        for field in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
            pi.equal(field, 0, int(pi.status(field), 16))
        pi.equal("no new privileges", "1", pi.status("NoNewPrivs"))
        pi.equal("system calls are filtered", "2", pi.status("Seccomp"))
        policy = pi.shell.must(f"sed -n 's/^policy *: *//p' /proc/{pi.of('MainPID')}/sched")
        pi.equal("SCHED_FIFO", "1", policy)
        locked, code, resident = (int(pi.status(field).split()[0]) for field in ("VmLck", "VmExe", "VmRSS"))
        pi.report("the program is locked in memory", locked >= code > 0, f"{locked} KiB, of code {code}")
        pi.report("resident memory below 1 MB", 0 < resident < 1000, f"{resident} KiB")


def reload(pi: Service) -> None:
    with pi.section("reload"):
        since = pi.hold("faceUp")
        pi.lit("faceUp", since)
        pi.shell.must(f"sed -i 's/^faceUp = .*/faceUp = 25/; s/^faceDown = .*/faceDown = 24/' {BOARD}")
        since = pi.emulator.now()
        pi.does("another board file", "systemctl reload plumbd")
        pi.becomes("faceUp on its new line", line("faceDown"), 3.0, since)
        pi.shell.must(f"echo nonsense >>{BOARD}")
        pi.does("a bad board file", "systemctl reload plumbd")
        pi.stays("the line", line("faceDown"), 1.0)
        pi.says("journal", pi.journal(), ('cannot understand "nonsense"', "continuing with the previous board file"))
        pi.shell.must(f"cp {TEMPLATE} {BOARD}")
        since = pi.emulator.now()
        pi.does("the first board file", "systemctl reload plumbd")
        pi.lit("faceUp", since, 3.0)


def fall_over(pi: Service) -> None:
    with pi.section("kill -9"):
        pi.shell.must(f"kill -9 {pi.of('MainPID')}")
        since = pi.emulator.now()
        pi.becomes("lines", DARK, 0.5, since)
        pi.lit("faceUp", since, RESTART_LIMIT, (DARK,))
        pi.equal("restarts", "1", pi.of("NRestarts"))
    with pi.section("a program that hangs"):
        pi.shell.must(f"kill -STOP {pi.of('MainPID')}")
        since = pi.emulator.now()
        pi.becomes("lines", DARK, WATCHDOG_LIMIT, since, (line("faceUp"),))
        pi.lit("faceUp", since, WATCHDOG_LIMIT, (DARK,))
        pi.equal("restarts", "2", pi.of("NRestarts"))
        pi.says("journal", pi.journal(), ("Watchdog timeout",))
    with pi.section("a bus that is root's at first"):
        # As each is for a moment after it has appeared, until udev has been there.
        pi.does("stop", "systemctl stop plumbd")
        pi.shell.must("chown root:root /dev/i2c-1 && chmod 600 /dev/i2c-1")
        pi.does("start", "systemctl start plumbd", 1)
        pi.equal("exit code", "77", pi.of("ExecMainStatus"))
        pi.stays("lines", DARK, 2.0)
        since = pi.emulator.now()
        pi.does("udev", "udevadm trigger --settle --subsystem-match=i2c-dev")
        pi.lit("faceUp", since, RESTART_LIMIT, (DARK,))
    with pi.section("a bad board file at the start"):
        pi.shell.must(f"echo nonsense >>{BOARD}")
        pi.does("restart", "systemctl restart plumbd", 1)
        pi.stays("lines", DARK, 3.0)
        pi.equal("service", "failed", pi.of("ActiveState"))
        pi.equal("exit code", "78", pi.of("ExecMainStatus"))
        pi.equal("restarts", "0", pi.of("NRestarts"))
        pi.shell.must(f"cp {TEMPLATE} {BOARD}")
        pi.does("start with a good one", "systemctl start plumbd")
        pi.lit("faceUp", pi.emulator.now(), RESTART_LIMIT)


def upgrade_and_purge(pi: Service) -> None:
    with pi.section("upgrade"):
        process = pi.of("MainPID")
        pi.does("dpkg --install", "dpkg --install /opt/plumb.deb")
        pi.lit("faceUp", pi.emulator.now(), RESTART_LIMIT, (DARK,))
        pi.report("the service is another process", pi.of("MainPID") not in (process, "0"))
        pi.does("the board file is as it was", f"cmp {TEMPLATE} {BOARD}")
    with pi.section("purge"):
        pi.does("dpkg --purge", "dpkg --purge plumb")
        pi.becomes("lines", DARK, 0.5, pi.emulator.now())
        pi.equal("lines that stay outputs", frozenset(), pi.emulator.outputs(ALL))
        pi.equal("what systemd knows of it", "not-found", pi.of("LoadState"))
        pi.does("nothing left", "! ls -d /etc/plumb /usr/share/plumb /etc/systemd/system/*/plumbd.service 2>/dev/null")


def walk(pi: Service) -> None:
    pi.shell.must("systemctl is-system-running --wait")
    pi.shell.must("bench part adxl345 0x53 >/run/bench.log 2>&1 & sleep 1")
    pi.tell("plug")
    pi.tell("brown-out")
    for steps in (before_a_board, start_and_turn, reload, fall_over, upgrade_and_purge):
        steps(pi)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--boot", type=Path, required=True)
    options = parser.parse_args()
    began = time.monotonic()
    emulation.BOOT_PATIENCE = BOOT_PATIENCE
    machine = dataclasses.replace(MACHINES["pi3"], name="Debian with systemd on a Raspberry Pi 3")
    with tempfile.TemporaryDirectory(prefix="plumb-service-") as name:
        folder = Path(name)
        tree.write(options.root, folder / "initrd")
        with Emulator(machine, folder, options.boot, folder / "initrd", devices()) as emulator:
            pi = Service(emulator, "", "plumbd.service")
            try:
                emulator.shell.wait_until_up()
                print(f"{machine.name}: up after {time.monotonic() - began:.0f} s", flush=True)
                walk(pi)
            except Failed as error:
                print(f"{emulator.log()[-4000:]}\ntest-deb: {error}", file=sys.stderr)
                return 69
    for failure in pi.failures:
        print(f"test-deb: failed: {failure}")
    passed = pi.count - len(pi.failures)
    print(f"test-deb: {passed} passed, {len(pi.failures)} failed, {time.monotonic() - began:.0f} s")
    return 1 if pi.failures or pi.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
