"""Boots a root with the packages on an emulated Raspberry Pi 3 and goes through the life cycle of their services.

    service.py --root FOLDER --boot FOLDER      (Tests/System/Packages/service.sh makes both)

Exit codes: 0 all passed; 1 a step failed; 69 the emulator or the guest lacks something that the test relies on.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "RaspberryPi"))

import emulator as emulation
import publishing
import tree
from emulator import Emulator, Failed
from machines import MACHINES
from publishing import DEVICE, GONE_LIMIT, PASSWORD, POSE_LIMIT, SETTINGS, Broker, Device, is_unknown
from raspberry_pi import devices
from stream import Object
from trial import ALL, DARK, POSES, Trial, line

# A whole system takes longer to boot than one program to start.
BOOT_PATIENCE = 300.0
# RestartSec=1s (RestartSteps= makes the first three 1, 2 and 4 s if systemd supports it), the start of a sandboxed
# service on a slow machine, and the 1.5 s that the program itself may take.
RESTART_LIMIT = 6.0
# WatchdogSec=10s comes before that.
WATCHDOG_LIMIT = 10.0 + RESTART_LIMIT

BOARD = "/etc/plumb/board.ini"
TEMPLATE = "/usr/share/plumb/boards/raspberry-pi-adxl345.ini"
EXAMPLE = "/usr/share/doc/plumb-mqtt/examples/mqtt.ini"
DESKTOP = "/etc/plumb/desktop.ini"
MONITOR = "/run/monitor.log"
# What a desktop calls each pose; a face keeps the last one.
ORIENTATIONS = {"portrait": "normal", "portraitUpsideDown": "bottom-up", "landscapeLeft": "right-up", "landscapeRight": "left-up"}
# A client of the stream that prints its first line, the hello.
CLIENT = """timeout 60 perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new("/run/plumb/stream") or die $!; print scalar <$s>'"""
SLOW_START = "/run/systemd/system/plumbd.service.d/slow.conf"


class Service(Trial):
    """plumbd as a service on one board, with plumb-mqtt beside it."""

    def of(self, name: str, unit: str = "plumbd") -> str:
        """What systemd reports about it."""
        return self.shell.must(f"systemctl show --value -p {name} {unit}")

    def does(self, what: str, command: str, expected: int = 0) -> str:
        """Runs a command and checks its exit code."""
        done = self.shell.run(command, BOOT_PATIENCE)
        said = done.output.strip().splitlines()
        detail = f"exit code {done.code}" + (f', "{said[-1]}"' if said else "")
        self.report(what, done.code == expected, detail)
        return done.output

    def journal(self, unit: str = "plumbd") -> str:
        return self.shell.must(f"journalctl -u {unit} -o cat --no-pager")

    def log(self) -> str:
        """What `section` shows if something failed."""
        units = "plumbd.service plumbd.socket plumb-mqtt.service plumb-desktop.service"
        return self.shell.must(f"systemctl status {units} --no-pager -l; journalctl -b --no-pager | tail -n 40; true")

    def status(self, name: str, unit: str = "plumbd") -> str:
        """A field of the process status."""
        return self.shell.must(f"sed -n 's/^{name}:[[:space:]]*//p' /proc/{self.of('MainPID', unit)}/status")

    def has_no_rights(self, unit: str) -> None:
        """No capability, and a filter for system calls."""
        for field in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.equal(field, 0, int(self.status(field, unit), 16))
        self.equal("no new privileges", "1", self.status("NoNewPrivs", unit))
        self.equal("system calls are filtered", "2", self.status("Seccomp", unit))

    def greets(self, what: str, command: str) -> Object:
        """The hello of the stream, from the output of a command."""
        done = self.shell.run(command, BOOT_PATIENCE)
        try:
            hello: Object = json.loads(done.output.splitlines()[-1])
        except (ValueError, IndexError):
            hello = {}
        self.report(what, done.code == 0 and hello.get("event") == "hello", f"exit code {done.code}, {done.output[:60]}")
        return hello


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
        # The program sends one per second at most.
        pi.shell.run("timeout 60 sh -c 'until systemctl show -p StatusText plumbd | grep -q pose:; do sleep 0.2; done'")
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
        pi.has_no_rights("plumbd")
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
        # The state of each for a moment after it has appeared, until udev has handled it.
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


def socket_activation(pi: Service) -> None:
    """The service runs, its board file has no [share], and face up is lit."""
    with pi.section("plumbd.socket"):
        pi.equal("not enabled by the package", "disabled", pi.of("UnitFileState", "plumbd.socket"))
        pi.does("enable", "systemctl enable plumbd.socket")
        pi.does("stop the service", "systemctl stop plumbd")
        pi.does("start the socket", "systemctl start plumbd.socket")
        pi.equal("the socket", "plumb plumb 660", pi.shell.must("stat -c '%U %G %a' /run/plumb/stream"))
        pi.equal("the service", "inactive", pi.of("ActiveState"))
        first = pi.greets("a client that connects before the service runs gets its hello", CLIENT)
        pi.lit("faceUp", pi.emulator.now(), RESTART_LIMIT)
        pi.equal("the service", "active", pi.of("ActiveState"))
    with pi.section("a client while the service restarts"):
        # Enough for the slowest machine to connect while the socket exists but no program is behind it.
        pi.shell.must(f"mkdir -p $(dirname {SLOW_START}) && printf '[Service]\\nExecStartPre=/bin/sleep 5\\n' >{SLOW_START}")
        pi.shell.must("systemctl daemon-reload")
        starting = "until [ $(systemctl show --value -p SubState plumbd) = start-pre ]; do :; done"
        again = pi.greets("its hello", f"systemctl restart --no-block plumbd; timeout 60 sh -c '{starting}' && {CLIENT}")
        pi.report("is of another run", again.get("owner") not in (None, first.get("owner")), f"{again.get('owner')}")
        pi.lit("faceUp", pi.emulator.now(), RESTART_LIMIT)
        pi.shell.must(f"rm {SLOW_START} && systemctl daemon-reload")


def before_settings(pi: Service, device: Device) -> None:
    """No settings; then settings with a missing password file."""
    with pi.section("plumb-mqtt without settings"):
        pi.does("start", "systemctl start plumb-mqtt")
        pi.equal("service", "inactive", pi.of("ActiveState", "plumb-mqtt"))
        pi.equal("condition", "no", pi.of("ConditionResult", "plumb-mqtt"))
        pi.does("the example", f"test -s {EXAMPLE}")
    with pi.section("plumb-mqtt without a password"):
        pi.shell.must("timeout 90 sh -c 'until grep -q 10.0.2.15 /proc/net/fib_trie; do sleep 0.2; done'")
        # A board has no clock, and a certificate is not valid at systemd's default date.
        pi.shell.must(f"date -u -s @{int(time.time())} >/dev/null")
        device.write(SETTINGS, publishing.settings())
        pi.shell.must(f"chmod 644 {SETTINGS}")
        pi.does("a login without it, start", "systemctl start plumb-mqtt", 1)
        pi.report("is not refused by systemd", pi.of("ExecMainStatus", "plumb-mqtt") in ("77", "78"), pi.of("ExecMainStatus", "plumb-mqtt"))
        pi.says("journal", pi.journal("plumb-mqtt"), (PASSWORD,))
        pi.shell.must(f"sed -i '/^user\\|^password-file/d' {SETTINGS}")
        pi.does("no login, start", "systemctl restart plumb-mqtt")
        pi.equal("service", "active", pi.of("ActiveState", "plumb-mqtt"))


def publish(pi: Service, device: Device, password: str) -> None:
    with pi.section("plumb-mqtt, start"):
        device.write(SETTINGS, publishing.settings())
        device.write(PASSWORD, password)
        pi.shell.must(f"chmod 644 {SETTINGS}")
        pi.equal("the password is root's alone", "root 600", pi.shell.must(f"stat -c '%U %a' {PASSWORD}"))
        device.look_from_now()
        pi.does("restart", "systemctl restart plumb-mqtt")
        device.says_it_is("online")
        device.tells_pose("faceUp")
        pi.equal("service", "active", pi.of("ActiveState", "plumb-mqtt"))
        device.look_from_now()
        since = pi.hold("portrait")
        pi.lit("portrait", since)
        device.tells_pose("portrait", since, POSE_LIMIT)
    with pi.section("plumb-mqtt, rights"):
        users = set(pi.status("Uid", "plumb-mqtt").split())
        others = {"0", pi.shell.must("id -u plumb")}
        pi.report("a user of its own", len(users) == 1 and not users & others, f"{users}")
        group = pi.shell.must("getent group plumb | cut -d: -f3")
        pi.report("the group of the stream", group in pi.status("Groups", "plumb-mqtt").split(), pi.status("Groups", "plumb-mqtt"))
        pi.has_no_rights("plumb-mqtt")
        process = pi.of("MainPID", "plumb-mqtt")
        told = pi.shell.must(f"tr '\\0' '\\n' </proc/{process}/environ; tr '\\0' ' ' </proc/{process}/cmdline")
        pi.report("the password is in neither environment nor arguments", password not in told)
        pi.report("nor in the journal", password not in pi.shell.must("journalctl -b -o cat --no-pager"))
    with pi.section("plumb-mqtt, kill -9 of plumbd"):
        device.look_from_now()
        pi.shell.must(f"kill -9 {pi.of('MainPID')}")
        since = pi.emulator.now()
        device.tells("trouble", is_unknown, since, GONE_LIMIT)
        device.tells_pose("portrait")
        pi.equal("its own restarts", "0", pi.of("NRestarts", "plumb-mqtt"))
    with pi.section("plumb-mqtt, kill -9"):
        device.look_from_now()
        pi.shell.must(f"kill -9 {pi.of('MainPID', 'plumb-mqtt')}")
        device.says_it_is("offline")
        device.says_it_is("online")
        device.tells_pose("portrait")
        pi.equal("restarts", "1", pi.of("NRestarts", "plumb-mqtt"))
        pi.says("status", pi.of("StatusText", "plumb-mqtt"), ("broker",))
    with pi.section("plumb-mqtt, bad settings"):
        device.look_from_now()
        pi.shell.must(f"echo nonsense >>{SETTINGS}")
        pi.does("restart", "systemctl restart plumb-mqtt", 1)
        device.says_it_is("offline")
        pi.equal("exit code", "78", pi.of("ExecMainStatus", "plumb-mqtt"))
        pi.equal("restarts", "0", pi.of("NRestarts", "plumb-mqtt"))
        pi.shell.must(f"sed -i '$d' {SETTINGS}")
        pi.does("start with good ones", "systemctl start plumb-mqtt")
        device.says_it_is("online")


def on_a_desktop(pi: Service) -> None:
    """The orientation on the system bus, through its policy and polkit; input devices of an unprivileged service."""
    with pi.section("plumb-desktop without settings"):
        pi.does("start", "systemctl start plumb-desktop")
        pi.equal("service", "inactive", pi.of("ActiveState", "plumb-desktop"))
        pi.equal("condition", "no", pi.of("ConditionResult", "plumb-desktop"))
    with pi.section("plumb-desktop, start"):
        pi.shell.must(f"printf '[sensor-proxy]\\nenabled = yes\\n[wheel]\\nenabled = yes\\n' >{DESKTOP}")
        pi.does("start", "systemctl start plumb-desktop")
        pi.equal("service", "active", pi.of("ActiveState", "plumb-desktop"))
        pi.equal("its user", pi.shell.must("id -u plumb"), pi.status("Uid", "plumb-desktop").split()[0])
        pi.has_no_rights("plumb-desktop")
        pi.equal("/dev/uinput", "root plumb-input 660", pi.shell.must("stat -c '%U %G %a' /dev/uinput"))
        pi.does("the wheel", "timeout 60 sh -c 'until grep -q \"Plumb wheel\" /proc/bus/input/devices; do sleep 0.2; done'")
        properties = pi.shell.must("udevadm settle; udevadm info --export-db | grep -A30 'Plumb wheel\\|input/event' | cat; true")
        pi.says("what udev takes it for", properties, ("ID_INPUT_JOYSTICK=1",))
    with pi.section("plumb-desktop, poses"):
        pi.shell.must(f"timeout 600 stdbuf -oL monitor-sensor >{MONITOR} 2>&1 & true")
        last = ""
        for pose, orientation in ORIENTATIONS.items():
            pi.lit(pose, pi.hold(pose))
            pi.does(pose, f"timeout 30 sh -c 'until tail -n 3 {MONITOR} | grep -q {orientation}; do sleep 0.1; done'")
            last = pose
        pi.lit("faceUp", pi.hold("faceUp"))
        pi.does("a face keeps the last one", f"grep orientation {MONITOR} | tail -n 1 | grep -q {ORIENTATIONS[last]}")
        denied = pi.shell.run("timeout 20 su -s /bin/sh -c monitor-sensor nobody 2>&1; true", BOOT_PATIENCE).output
        pi.report("polkit denies it to a user without a session", "not authorized" in denied.lower() or "denied" in denied.lower(), denied[-120:])
    with pi.section("plumb-desktop, kill -9"):
        pi.shell.must(f"kill -9 {pi.of('MainPID', 'plumb-desktop')}")
        pi.does("the wheel goes", "timeout 30 sh -c 'while grep -q \"Plumb wheel\" /proc/bus/input/devices; do sleep 0.05; done'")
        pi.does("and comes back", "timeout 60 sh -c 'until grep -q \"Plumb wheel\" /proc/bus/input/devices; do sleep 0.2; done'")
        pi.equal("restarts", "1", pi.of("NRestarts", "plumb-desktop"))
        # As the upgrade expects it.
        pi.lit("portrait", pi.hold("portrait"))


def upgrade_and_purge(pi: Service, device: Device) -> None:
    with pi.section("upgrade"):
        processes = {name: pi.of("MainPID", name) for name in ("plumbd", "plumb-mqtt", "plumb-desktop")}
        pi.does("dpkg --install", "dpkg --install /opt/plumb.deb /opt/plumb-mqtt.deb /opt/plumb-desktop.deb")
        pi.lit("portrait", pi.emulator.now(), RESTART_LIMIT, (DARK,))
        for name, process in processes.items():
            pi.report(f"{name} is another process", pi.of("MainPID", name) not in (process, "0"))
        pi.does("the board file is as it was", f"cmp {TEMPLATE} {BOARD}")
    with pi.section("purge"):
        device.look_from_now()
        pi.does("dpkg --purge", "dpkg --purge plumb-desktop plumb-mqtt plumb")
        device.says_it_is("offline")
        pi.becomes("lines", DARK, 0.5, pi.emulator.now())
        pi.equal("lines that stay outputs", frozenset(), pi.emulator.outputs(ALL))
        for name in ("plumbd.service", "plumbd.socket", "plumb-mqtt.service", "plumb-desktop.service"):
            pi.equal(f"what systemd knows of {name}", "not-found", pi.of("LoadState", name))
        pi.does("nothing left", "! ls -d /etc/plumb /usr/share/plumb /etc/systemd/system/*/plumb[d-]* 2>/dev/null")


def walk(pi: Service, broker: Broker) -> None:
    pi.shell.must("systemctl is-system-running --wait")
    pi.shell.must("bench part adxl345 0x53 >/run/bench.log 2>&1 & while [ ! -S /run/part ]; do sleep 0.05; done")
    pi.tell("plug")
    pi.tell("brown-out")
    for steps in (before_a_board, start_and_turn, reload, fall_over, socket_activation):
        steps(pi)
    with broker.subscriber() as judge:
        device = Device(pi, broker, judge)
        before_settings(pi, device)
        publish(pi, device, broker.users[DEVICE])
        on_a_desktop(pi)
        upgrade_and_purge(pi, device)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--boot", type=Path, required=True)
    options = parser.parse_args()
    began = time.monotonic()
    emulation.BOOT_PATIENCE = BOOT_PATIENCE
    machine = dataclasses.replace(MACHINES["pi3"], name="Debian with systemd on a Raspberry Pi 3")
    with tempfile.TemporaryDirectory(prefix="plumb-service-") as name, publishing.broker() as broker:
        folder = Path(name)
        shutil.copyfile(broker.authority.file, options.root / publishing.AUTHORITY[1:])
        tree.write(options.root, folder / "initrd")
        way = (broker.address, broker.tls_port)
        with Emulator(machine, folder, options.boot, folder / "initrd", devices(machine), way) as emulator:
            pi = Service(emulator, "", "services")
            try:
                emulator.shell.wait_until_up()
                print(f"{machine.name}: up after {time.monotonic() - began:.0f} s", flush=True)
                walk(pi, broker)
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
