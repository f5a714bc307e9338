"""plumb-desktop alongside plumbd in the guest: the programs that people have judge its input devices."""

from __future__ import annotations

import re
from pathlib import Path

from kernel_drivers import wait
from remote import SHARED
from steps import SENSORS, begin, board, end, write_board
from trial import Trial

PROGRAM = "plumb-desktop"
# A user without rights of its own, as the service has it.
USER = "plumb"
GROUP = "plumb-input"
DESKTOP_SETTINGS = "/etc/plumb/desktop.ini"
DESKTOP_LOG = "/tmp/plumb-desktop.log"
BUS = "/etc/bus.conf"
SENSOR = SENSORS[1]
# Full lock at 90 degrees.
LOCK = 32_767
NAMES = {"wheel": "Plumb wheel", "scroll": "Plumb scroll", "motion": "Plumb motion"}
# In s of the guest: from the end of a program to the end of its devices, and until a still board is known to be still.
GONE_LIMIT, STILL = 1.0, 2.0
# A rotation of gravity by 30 degrees, in mg.
STRAIGHT, RIGHT, LEFT = (-1000, 0, 0), (-866, -500, 0), (-866, 500, 0)


def files(judges: Path, programs: Path, own: Path, rules: Path) -> dict[str, Path | bytes]:
    """The files that the guest needs, by their names there."""
    found: dict[str, Path | bytes] = {
        f"bin/{PROGRAM}": programs / PROGRAM,
        "bin/sdl": own / "sdl",
        f"usr/lib/udev/rules.d/{rules.name}": rules,
        BUS[1:]: bus(),
    }
    for file in judges.iterdir():
        folder = {".rules": "usr/lib/udev/rules.d", ".quirks": "usr/share/libinput", ".ko": "judges"}.get(file.suffix)
        found[f"{folder or ('lib' if '.so' in file.name else 'bin')}/{file.name}"] = file
    return found


def bus() -> bytes:
    """A system bus that allows everything: its policy is not what is tested."""
    return b"""<busconfig><type>system</type><listen>unix:path=/run/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
<allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
"""


class Devices:
    """plumb-desktop on the board of a trial, with its devices."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.shell = trial.shell

    def run(self, as_user: bool = False) -> tuple[int, str]:
        """The exit code of a start that must fail, and what it said."""
        done = self.shell.run(f"{self._command(as_user)} 2>&1")
        return done.code, done.output

    def start(self) -> None:
        """Starts it as the user of the service; the shell has its process ID in $desktop."""
        self.shell.must(f"chgrp {USER} {SHARED}; {self._command(True)} >{DESKTOP_LOG} 2>&1 & desktop=$!")
        self.shell.must(f"timeout 20 sh -c 'until grep -q connected {DESKTOP_LOG}; do sleep 0.05; done'")

    @staticmethod
    def _command(as_user: bool) -> str:
        return f"su -s /bin/sh {USER} -c 'exec {PROGRAM}'" if as_user else PROGRAM

    def handlers(self, device: str) -> list[str]:
        """The names of a device's nodes; none if it is not there."""
        for block in self.shell.must("cat /proc/bus/input/devices").split("\n\n"):
            if f'Name="{NAMES[device]}"' in block:
                found = re.search(r"Handlers=(.*)", block)
                return found[1].split() if found else []
        return []

    def node(self, device: str, kind: str = "event") -> str:
        return next((f"/dev/input/{name}" for name in self.handlers(device) if name.startswith(kind)), "none")

    def properties(self, device: str) -> str:
        """What udev knows of it."""
        return self.shell.must(f"udevadm settle; udevadm info --query=property {self.node(device)} </dev/null | cat")

    def watch(self, device: str) -> None:
        """Starts evtest on a device, which begins by describing it."""
        self.shell.must(f"evtest {self.node(device)} </dev/null >/tmp/{device} & {device}=$!")
        self.shell.must(f"timeout 20 sh -c 'until grep -q Testing /tmp/{device}; do sleep 0.05; done'")

    def watched(self, device: str) -> str:
        """What it has printed, which it may hold back until it ends."""
        self.shell.must(f"kill ${device}; wait ${device} 2>/dev/null; :")
        return self.shell.must(f"cat /tmp/{device}")

    def are_gone(self, what: str, since: float) -> None:
        self.shell.run("timeout 20 sh -c 'while grep -q Plumb /proc/bus/input/devices; do sleep 0.01; done'")
        took = self._trial.emulator.now() - since
        self._trial.report(f"{what}: no device", took <= GONE_LIMIT, f"{took:.3f} s, at most {GONE_LIMIT} s")


def values(text: str, code: str) -> list[int]:
    """The values of a code that evtest has shown."""
    return [int(value) for value in re.findall(rf"Event:.*\({code}\), value (-?\d+)", text)]


def near(trial: Trial, what: str, wanted: float, found: float | None, tolerance: float) -> None:
    passed = found is not None and abs(found - wanted) <= tolerance
    trial.report(what, passed, f"{found}, {wanted:.0f} within {tolerance:.0f}")


def walk_inputs(trial: Trial) -> None:
    """All steps with input devices."""
    begin(trial, SENSOR)
    devices = Devices(trial)
    trial.shell.must("ln -sf /bin/udevadm /bin/systemd-udevd; mkdir -p /run/udev; chmod 755 /run/plumb")
    trial.shell.must(f"printf '[wheel]\\nenabled = yes\\n[scroll]\\nenabled = yes\\n[motion]\\nenabled = yes\\n' >{DESKTOP_SETTINGS}")
    with trial.section("uinput"):
        refused(trial, devices)
    trial.tell("force", *STRAIGHT)
    trial.start()
    trial.reading()
    devices.start()
    with trial.section("udev"):
        classified(trial, devices)
    with trial.section("wheel"):
        steered(trial, devices)
    with trial.section("scroll"):
        scrolled(trial, devices)
    with trial.section("rest"):
        rested(trial, devices)
    with trial.section("motion"):
        moved(trial, devices)
    with trial.section("ends"):
        ended(trial, devices)
    end(trial)


def refused(trial: Trial, devices: Devices) -> None:
    """Without the module, and without permission."""
    code, said = devices.run()
    trial.equal("without the module: exit code", 69, code)
    trial.says("it", said, ("modprobe uinput", "/etc/modules-load.d"))
    trial.shell.must("for module in evdev joydev uinput; do insmod /judges/$module.ko || exit 1; done")
    wait(trial, "/dev/uinput")
    code, said = devices.run(as_user=True)
    trial.equal("without permission: exit code", 77, code)
    trial.says("it", said, ("no permission for /dev/uinput", GROUP))
    trial.shell.must("systemd-udevd --daemon; udevadm trigger --action=add --sysname-match=uinput; udevadm settle")
    found = trial.shell.must("stat -c '%U %G %a' /dev/uinput")
    trial.equal("with the rule of the package", f"root {GROUP} 660", found)


def classified(trial: Trial, devices: Devices) -> None:
    wait(trial, "/dev/input/js0")
    for device, kind in (("wheel", "JOYSTICK"), ("scroll", "MOUSE"), ("motion", "ACCELEROMETER")):
        found = devices.properties(device)
        kinds = sorted(set(re.findall(r"^ID_INPUT_([A-Z]+)=1", found, re.MULTILINE)))
        trial.equal(device, [kind], kinds)
    trial.says("motion", found, ("IIO_SENSOR_PROXY_TYPE=input-accel", ":uaccess:", "ACCEL_MOUNT_MATRIX=-1, 0, 0;"))


def steered(trial: Trial, devices: Devices) -> None:
    """evtest, jstest and SDL, with the board straight, to the right and to the left."""
    devices.watch("wheel")
    for force, side in ((RIGHT, 1), (LEFT, -1)):
        trial.tell("force", *force)
        trial.shell.must("sleep 1.5")
        said = trial.shell.run(f"timeout 0.5 jstest --event {devices.node('wheel', 'js')} </dev/null").output
        found = re.findall(r"type 130, time [-\d]+, number 0, value (-?\d+)", said)
        near(trial, "jstest, axis 0", side * LOCK / 3, float(found[-1]) if found else None, LOCK / 90)
        said = trial.shell.must("sdl")
        line = re.search(r"^Plumb wheel: 2 axes (-?\d+) (-?\d+), 2 buttons 0 0$", said, re.MULTILINE)
        near(trial, "SDL: 2 axes, 2 buttons; axis 0", side * LOCK / 3, float(line[1]) if line else None, LOCK / 90)
        near(trial, "SDL, axis 1", 0, float(line[2]) if line else None, LOCK / 90)
    text = devices.watched("wheel")
    trial.says("evtest", text, ("(BTN_TRIGGER)", "(BTN_THUMB)", "(ABS_X)", "(ABS_Y)"))
    steps = values(text, "ABS_X")
    trial.report("evtest, ABS_X to the right, then to the left", bool(steps) and max(steps) > LOCK / 3.2 and steps[-1] < -LOCK / 3.2,
                 f"{max(steps, default=None)}, then {steps[-1:]}")


def scrolled(trial: Trial, devices: Devices) -> None:
    """libinput, with the board upright, then flat: it scrolls up until it is still, and not at all when flat."""
    trial.tell("force", 0, 866, 500)
    trial.shell.must(f"sleep {STILL}; libinput-debug-events </dev/null >/tmp/libinput & libinput=$!; sleep 0.5")
    trial.tell("force", 0, 1000, 0)
    trial.shell.must(f"sleep {STILL}")
    first = libinput(trial)
    trial.says("libinput", first, ("Plumb scroll", "cap:p"))
    steps = [float(found) for found in re.findall(r"POINTER_SCROLL_WHEEL.*\svert (-?[\d.]+)/", first)]
    trial.report("upright: it scrolls up", len(steps) > 5 and max(steps) < 0, f"{len(steps)} events, {sum(steps):.0f} degrees")
    trial.tell("force", 0, 0, 1000)
    trial.shell.must("sleep 1")
    before = libinput(trial).count("SCROLL_WHEEL")
    trial.shell.must("sleep 1")
    trial.equal("flat: events in a second", 0, libinput(trial).count("SCROLL_WHEEL") - before)
    trial.shell.must("kill $libinput; wait $libinput; :")
    trial.equal("wheel and motion are no devices of libinput", 1, libinput(trial).count("DEVICE_ADDED"))


def libinput(trial: Trial) -> str:
    return trial.shell.must("cat /tmp/libinput")


def rested(trial: Trial, devices: Devices) -> None:
    """A still board sends nothing, although its sensor is noisy."""
    trial.tell("force", *STRAIGHT)
    trial.shell.must(f"sleep {STILL}")
    for device in NAMES:
        devices.watch(device)
    trial.shell.must("sleep 2")
    for device in NAMES:
        trial.equal(f"{device}: events in 2 s", 0, devices.watched(device).count("Event:"))


def moved(trial: Trial, devices: Devices) -> None:
    """The motion sensor, whose device is another when the board has a gyroscope; and iio-sensor-proxy on it."""
    devices.watch("motion")
    trial.tell("force", *RIGHT)
    trial.shell.must("sleep 0.5")
    text = devices.watched("motion")
    trial.says("evtest", text, ("(ABS_Z)", "Resolution    2048", "(INPUT_PROP_ACCELEROMETER)", "(MSC_TIMESTAMP)"))
    for code, wanted in (("ABS_X", RIGHT[0]), ("ABS_Y", RIGHT[1])):
        near(trial, f"evtest, {code}", wanted * 2.048, next(iter(values(text, code)[-1:]), None), 40)
    write_board(trial, board(SENSOR).replace("gravity = low-pass", "gravity = fusion"))
    trial.stop()
    trial.start()
    trial.reading()
    trial.shell.must(f"chgrp {USER} {SHARED}")
    trial.shell.must("timeout 30 sh -c 'until grep -q ABS=3f /proc/bus/input/devices; do sleep 0.05; done'")
    trial.shell.must("udevadm settle")
    devices.watch("motion")
    trial.says("evtest, with a gyroscope", devices.watched("motion"), ("(ABS_RX)", "(ABS_RZ)", "Resolution      16"))
    trial.shell.must(f"dbus-daemon --config-file={BUS} --fork; export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/bus")
    trial.shell.must("iio-sensor-proxy >/tmp/proxy 2>&1 & proxy=$!; monitor-sensor >/tmp/monitor 2>&1 & monitor=$!")
    for force, word in (((0, 1000, 0), "normal"), ((1000, 0, 0), "right-up"), ((0, -1000, 0), "bottom-up")):
        trial.tell("force", *force)
        done = trial.shell.run(f"timeout 10 sh -c 'until tail -n 1 /tmp/monitor | grep -q {word}; do sleep 0.1; done'")
        trial.report(f"iio-sensor-proxy: {word}", done.code == 0, trial.shell.must("tail -n 1 /tmp/monitor").strip())
    trial.shell.must("kill $monitor $proxy; wait $monitor $proxy; :")


def ended(trial: Trial, devices: Devices) -> None:
    """The owner, then the program, killed; and an orderly end."""
    trial.shell.must("sleep 1")
    devices.watch("wheel")
    trial.signal("KILL")
    trial.ended()
    trial.shell.must("sleep 1")
    trial.equal("kill -9 of plumbd: ABS_X", 0, next(iter(values(devices.watched("wheel"), "ABS_X")[-1:]), None))
    since = trial.emulator.now()
    trial.shell.must("kill -KILL $desktop; wait $desktop; :")
    devices.are_gone("kill -9", since)
    trial.tell("force", *RIGHT)
    write_board(trial, board(SENSOR))
    trial.start()
    trial.reading()
    devices.start()
    trial.equal("a start after it: the wheel", True, devices.node("wheel") != "none")
    since = trial.emulator.now()
    trial.shell.must("kill -TERM $desktop")
    trial.equal("SIGTERM: exit code", 0, trial.shell.run("wait $desktop").code)
    devices.are_gone("SIGTERM", since)
    trial.stop()
    trial.shell.must("udevadm control --exit; :")
