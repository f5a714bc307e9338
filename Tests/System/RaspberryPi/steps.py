"""The steps of the test: everything that may happen to a board, with a check of the pins after each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from publishing import published
from remote import SHARED
from trial import ALL, DARK, LINES, LOG, POSES, RECOVERY_LIMIT, START_LIMIT, TROUBLE_LIMIT, Trial, line

BOARD = "/etc/plumb/board.ini"
# From a movement to the next check of a sensor without an interrupt wire, and to the pose.
LOOK_LIMIT = 61.0


@dataclass(frozen=True)
class Sensor:
    """A sensor, as the board file and the bench name it."""

    model: str
    address: int
    identity: int
    # An identity that the program must reject, and the part that has it, if any.
    rejected: int
    # A register that the program configures: its number and reset value.
    configured: tuple[int, int]
    # The power register, and its value while the sensor watches for movement.
    watching: tuple[int, int]


SENSORS = (
    Sensor("adxl345", 0x53, 0xE5, 0xE6, (0x31, 0x00), (0x2D, 0x0C)),
    Sensor("mpu6050", 0x68, 0x68, 0x55, (0x37, 0x00), (0x6B, 0x28)),
)


class Part(Protocol):
    """What a board file needs to know of a sensor."""

    @property
    def model(self) -> str: ...

    @property
    def address(self) -> int: ...


def board(sensor: Part, lines: dict[str, int] = LINES, extra: str = "") -> str:
    text = f"[i2c]\nbus = /dev/i2c-1\n[sensor]\nmodel = {sensor.model}\naddress = {sensor.address:#x}\n{extra}"
    # The sensor on the bench has registers, but its gyroscope does not turn with the force.
    return text + outputs(lines) + ("" if sensor.model in ("adxl345", "lis3dh") else "[filter]\ngravity = low-pass\n")


def outputs(lines: dict[str, int] = LINES) -> str:
    text = "[lines]\nchip = pinctrl-bcm2835\n" + "".join(f"{pose} = {pin}\n" for pose, pin in lines.items())
    return text + f"[share]\nsocket = {SHARED}\n"


def write_board(trial: Trial, text: str) -> None:
    trial.shell.must(f"printf '%s' '{text}' >{BOARD}")


def six_poses(trial: Trial) -> None:
    """Every pose after every other would be 30 steps; in this tour each of the six comes and goes, including by
    opposites."""
    before = "portrait"
    trial.lit(before, trial.hold(before))
    for pose in (*list(POSES)[1:], "portrait", "faceUp", "landscapeLeft", "faceDown", "portrait"):
        trial.lit(pose, trial.hold(pose), meanwhile=(line(before),))
        before = pose
    trial.stays("then", line(before), 0.5)
    trial.nothing_lost()


def starts(trial: Trial) -> None:
    """The board need not be turned first, and no other line is lit before the right one."""
    for pose in reversed(POSES):
        trial.hold(pose)
        trial.lit(pose, trial.start(), START_LIMIT, (DARK,))
        since = trial.signal("TERM")
        trial.becomes(f"{pose}, then SIGTERM", DARK, 0.5, since, (line(pose),))
        trial.equal("exit code", 0, trial.ended())
        trial.equal("outputs left", frozenset(), trial.emulator.outputs(ALL))


def losses(trial: Trial, sensor: Sensor) -> None:
    trial.hold("landscapeLeft")
    trial.becomes("before", line("landscapeLeft"), 1.0, trial.emulator.now())
    trial.heard("before", "pose")
    trial.blinks("off the bus", trial.tell("unplug"))
    trial.lit("landscapeLeft", trial.tell("plug"), RECOVERY_LIMIT, (ALL, DARK))
    trial.heard("off the bus and back", "trouble", "recovery", "pose")
    trial.blinks("without supply", trial.tell("cut"))
    trial.lit("landscapeLeft", trial.tell("plug"), RECOVERY_LIMIT, (ALL, DARK))
    trial.says("the log", trial.said("recovered"), ("pose unknown: no acknowledge", "recovered"))
    trial.blinks("data that stand still", trial.tell("freeze"))
    # The next attempt is up to 0.4 s away, and then samples are in doubt until enough of them have differed.
    trial.lit("landscapeLeft", trial.tell("thaw"), RECOVERY_LIMIT + 0.5, (ALL, DARK))
    # A short loss of supply: the sensor responds, but has forgotten everything.
    trial.tell("brown-out")
    trial.hold("faceDown")
    trial.lit("faceDown", trial.emulator.now(), RECOVERY_LIMIT)
    register, reset = sensor.configured
    found = int(trial.shell.must(f"bench get {sensor.address} {register} 1"), 16)
    trial.report("configured again", found != reset, f"register {register:#04x} is {found:#04x}")
    trial.stays("then", line("faceDown"), 0.5)
    trial.nothing_lost()


def another_part(trial: Trial, sensor: Sensor) -> None:
    trial.hold("faceUp")
    trial.becomes("before", line("faceUp"), 1.0, trial.emulator.now())
    trial.blinks("another part in its place", cut_and_plug(trial, f"{sensor.rejected:#x}"))
    words = (f"{sensor.rejected:02x}", f"{sensor.identity:02x}")
    trial.says("the log", trial.said(words[0]), words)
    trial.lit("faceUp", cut_and_plug(trial), RECOVERY_LIMIT, (ALL, DARK))
    trial.stop()
    cut_and_plug(trial, f"{sensor.rejected:#x}")
    trial.blinks("there from the start", trial.start())
    trial.says("the log", trial.said(words[0]), words)
    trial.lit("faceUp", cut_and_plug(trial), RECOVERY_LIMIT, (ALL, DARK))
    trial.stop()


def cut_and_plug(trial: Trial, identity: str = "") -> float:
    trial.tell("cut", identity)
    return trial.tell("plug")


def nobody(trial: Trial, sensor: Sensor) -> None:
    """No device at the address when the program starts; it appears later."""
    trial.tell("cut")
    trial.hold("landscapeRight")
    trial.blinks("no device", trial.start())
    trial.says("the log", trial.said("pose unknown: "), ("pose unknown: ", f"{sensor.address:02x}"))
    trial.lit("landscapeRight", trial.tell("plug"), RECOVERY_LIMIT, (ALL, DARK))
    trial.stop()


def busy_bus(trial: Trial, sensor: Sensor) -> None:
    """Another process reads the same sensor as fast as the bus allows."""
    trial.shell.must(f"bench busy {sensor.address} & busy=$!")
    six_poses(trial)
    trial.shell.must("kill $busy; wait $busy; :")


def taken_line(trial: Trial) -> None:
    trial.shell.must("bench hold 22 'the greenhouse' >/tmp/hold & hold=$!")
    trial.shell.must("while ! grep -q held /tmp/hold; do sleep 0.05; done")
    done = trial.shell.run(f"timeout 60 {trial.program} >{LOG} 2>&1")
    trial.equal("exit code with GPIO22 taken", 69, done.code)
    trial.says("it", trial.log(), ("22", "the greenhouse"))
    trial.equal("pins", DARK, trial.look()[0])
    trial.shares_nothing("afterwards")
    trial.shell.must("kill $hold; wait $hold; :")
    trial.hold("portrait")
    trial.lit("portrait", trial.start(), START_LIMIT, (DARK,))


def another_board(trial: Trial, sensor: Sensor) -> None:
    """SIGHUP; expects that the program is running and portrait is lit."""
    pins = list(LINES.values())
    turned = dict(zip(LINES, pins[1:] + pins[:1]))
    write_board(trial, board(sensor, turned))
    since = trial.reload(turned)
    trial.becomes("SIGHUP, other lines, portrait", frozenset({turned["portrait"]}), START_LIMIT, since)
    since = trial.hold("faceDown")
    trial.becomes("faceDown", frozenset({turned["faceDown"]}), 0.5, since)
    write_board(trial, board(sensor, turned).replace("faceUp", "faceSideways"))
    trial.signal("HUP")
    trial.says("SIGHUP, a bad file: the log", trial.said("faceSideways"), (BOARD, "faceSideways"))
    trial.stays("after it", frozenset({turned["faceDown"]}), 1.0)
    since = trial.hold("portrait")
    trial.becomes("portrait", frozenset({turned["portrait"]}), 0.5, since)
    write_board(trial, board(sensor))
    since = trial.reload(LINES)
    trial.becomes("SIGHUP, the first file, portrait", line("portrait"), START_LIMIT, since)


def signals(trial: Trial) -> None:
    """Expects that the program is running and portrait is lit."""
    trial.signal("USR1")
    trial.says("SIGUSR1: the log", trial.said("samples"), ("samples", "transactions"))
    trial.stays("after it", line("portrait"), 0.3)
    since = trial.signal("KILL")
    trial.equal("exit code after SIGKILL", 137, trial.ended())
    trial.becomes("after SIGKILL", DARK, 0.5, since, (line("portrait"),))
    trial.hold("landscapeLeft")
    trial.lit("landscapeLeft", trial.start(), START_LIMIT, (DARK,))
    trial.forget_stream()
    trial.shell.must(f"sh -c 'kill -KILL $1; exec {trial.program} >{LOG} 2>&1' - $plumbd & wait $plumbd; plumbd=$!")
    trial.lit("landscapeLeft", trial.emulator.now(), START_LIMIT, (DARK, line("landscapeLeft")))
    trial.stays("after kill -9 and a restart at once", line("landscapeLeft"), 1.0)
    since = trial.signal("INT")
    trial.becomes("SIGINT", DARK, 0.5, since, (line("landscapeLeft"),))
    trial.equal("exit code", 0, trial.ended())


def service(trial: Trial) -> None:
    """What a service manager receives if it requires a keep-alive twice a second. Expects that the program is not
    running."""
    notices = "/tmp/notices"
    trial.shell.must(f"rm -f /run/notify; bench notices /run/notify >{notices} & notices=$!; while [ ! -S /run/notify ]; do sleep 0.05; done")
    trial.hold("faceUp")
    since = trial.start(environment="NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=1000000")
    trial.lit("faceUp", since, START_LIMIT, (DARK,))
    trial.stays("then", line("faceUp"), 3.0)
    trial.stop()
    told = trial.shell.must(f"timeout 60 sh -c 'until grep -q STOPPING {notices}; do sleep 0.05; done'; cat {notices}")
    trial.says("it", told, ("READY=1", "STATUS=pose: face up", "WATCHDOG=1", "STOPPING=1"))
    count = told.count("WATCHDOG=1")
    trial.report("signs of life in 3 s", 5 <= count <= 40, f"{count}")
    trial.shell.must("kill $notices; wait $notices; :")


def sleeping(trial: Trial, sensor: Sensor) -> None:
    """Expects that the program is not running. No wire leads from the sensor to a GPIO of the emulator: the check that
    the board makes once a minute wakes it."""
    write_board(trial, board(sensor, extra="data-ready = 26\n") + "[power]\nstill = 1\nleds = off\n")
    trial.hold("portrait")
    since = trial.start()
    trial.lit("portrait", since, START_LIMIT, (DARK,))
    trial.becomes("at rest", DARK, 4.0, since, (line("portrait"),), agrees=False)
    trial.heard("at rest", "asleep")
    register, watching = sensor.watching
    trial.shell.must("sleep 0.5")
    found = int(trial.shell.must(f"bench get {sensor.address} {register} 1"), 16)
    trial.equal(f"register {register:#04x}", watching, found)
    before = transactions(trial)
    trial.shell.must("sleep 5")
    trial.equal("transactions in 5 s", 0, transactions(trial) - before)
    # Without the network: an idle guest takes half a core of the host, most of it for the network's emulated USB.
    trial.shell.must("ip link set eth0 down")
    trial.becomes("moved", line("faceUp"), LOOK_LIMIT, trial.hold("faceUp"), (DARK,), agrees=False)
    trial.shell.must("ip link set eth0 up")
    trial.lit("faceUp", trial.emulator.now(), meanwhile=(DARK,))
    trial.heard("moved", "awake", "pose")
    trial.stop()
    write_board(trial, board(sensor))


def transactions(trial: Trial) -> int:
    """How many the program has made, by its own count."""
    word = " transactions"
    told = trial.log().count(word)
    trial.signal("USR1")
    return int(re.findall(r"(\d+)" + word, trial.said(word, told + 1))[-1])


def bad_start(trial: Trial, sensor: Sensor) -> None:
    write_board(trial, board(sensor).replace("portrait = 17", "portrait = 2"))
    trial.equal("exit code with a bad file", 78, trial.shell.run(f"timeout 60 {trial.program} >{LOG} 2>&1").code)
    trial.says("it", trial.log(), (BOARD + ":", "2"))
    write_board(trial, board(sensor))
    trial.says("--version", trial.shell.must(f"{trial.program} --version"), ("plumbd ",))


def begin(trial: Trial, sensor: Sensor) -> None:
    """A sensor that has just been powered."""
    write_board(trial, board(sensor))
    connect(trial, f"part {sensor.model} {sensor.address}")
    trial.tell("plug")
    trial.tell("brown-out")


def end(trial: Trial) -> None:
    trial.tell("cut")
    disconnect(trial)


def connect(trial: Trial, words: str) -> None:
    """Starts the bench as something that obeys commands."""
    trial.shell.must(f"rm -f /run/part; bench {words} & part=$!; while [ ! -S /run/part ]; do sleep 0.05; done")


def disconnect(trial: Trial) -> None:
    trial.shell.must("kill $part; wait $part; :")


def tour(trial: Trial, with_tool: bool = False) -> None:
    """Starts the program and leaves it running; if requested, `plumb run` on the host also listens."""
    trial.hold("portrait")
    trial.lit("portrait", trial.start(), START_LIMIT, (DARK,))
    if with_tool:
        trial.start_tool()
    six_poses(trial)


def watched(trial: Trial) -> None:
    """`plumb watch` on a terminal of the host, which listens through ssh. Expects that the program is running."""
    watch = trial.remote.watch()
    try:
        for pose, letter in zip(POSES, "PULRFD"):
            trial.lit(pose, trial.hold(pose))
            trial.report(f"plumb watch shows {pose}", watch.lights(letter), watch.row())
        trial.equal("plumb watch, then q: exit code", 0, watch.quit())
    finally:
        watch.close()


def status(trial: Trial) -> tuple[int, object, object]:
    code, told = trial.remote.status()
    return code, told["well"], told["hello"]["pose"]


def asked(trial: Trial) -> None:
    """`plumb status`, through ssh: its exit code is for scripts. Expects that the program is running and face down is
    lit."""
    what = "plumb status: exit code, well, pose"
    trial.equal(what, (0, True, "faceDown"), status(trial))
    trial.becomes("off the bus", ALL, TROUBLE_LIMIT, trial.tell("unplug"))
    trial.equal(what, (69, False, "fault"), status(trial))
    trial.lit("faceDown", trial.tell("plug"), RECOVERY_LIMIT, (ALL, DARK))


def walk_lines(trial: Trial, sensor: Sensor) -> None:
    """The steps that concern the lines."""
    begin(trial, sensor)
    with trial.section("start"):
        starts(trial)
    with trial.section("poses"):
        tour(trial)
        trial.stop()
    with trial.section("taken line"):
        taken_line(trial)
    with trial.section("board file"):
        another_board(trial, sensor)
    with trial.section("signals"):
        signals(trial)
    end(trial)


def walk(trial: Trial, sensor: Sensor) -> None:
    """All steps."""
    begin(trial, sensor)
    with trial.section("start"):
        starts(trial)
    with trial.section("poses"):
        tour(trial, with_tool=True)
    with trial.section("busy bus"):
        busy_bus(trial, sensor)
    with trial.section("loss"):
        losses(trial, sensor)
    if sensor is SENSORS[0]:
        with trial.section("watch"):
            watched(trial)
        with trial.section("status"):
            asked(trial)
        if trial.broker is not None:
            with trial.section("MQTT"):
                published(trial, trial.broker)
    # The program restarts there; the tool keeps running.
    with trial.section("identity"):
        another_part(trial, sensor)
        trial.stop_tool()
    with trial.section("no device"):
        nobody(trial, sensor)
    with trial.section("taken line"):
        taken_line(trial)
    with trial.section("board file"):
        another_board(trial, sensor)
    with trial.section("signals"):
        signals(trial)
    with trial.section("service"):
        service(trial)
    if sensor.model == trial.emulator.machine.sleeper:
        with trial.section("sleep"):
            sleeping(trial, sensor)
    with trial.section("bad start"):
        bad_start(trial, sensor)
    end(trial)
