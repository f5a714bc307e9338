"""plumb-mqtt alongside plumbd in the guest: mosquitto_sub judges what it publishes with TLS on a broker of the host."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from emulator import BROKER
from stream import PATIENCE
from trial import ALL, DARK, POSES, RECOVERY_LIMIT, START_LIMIT, TROUBLE_LIMIT, Trial

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support" / "Python"))
from mosquitto import Broker, Message, Subscriber

# The device's id, which is also its user.
DEVICE = "pi"
PROGRAM = "plumb-mqtt"
SETTINGS = "/etc/plumb/mqtt.ini"
PASSWORD = "/etc/plumb/mqtt.password"
AUTHORITY = "/etc/broker.crt"
PUBLISHER_LOG = "/tmp/plumb-mqtt.log"
KEEP_ALIVE = 5
# The pose after the first turns.
HELD = "faceUp"
# The default of `interval`: angles are published at most once in this many seconds.
INTERVAL = 1.0
# The limits in the acceptance criteria of issue 17, in seconds: from a killed owner to the published trouble, and from
# a killed program to its last will.
GONE_LIMIT = 2.0
WILL_LIMIT = 1.5 * KEEP_ALIVE
# Our own limit for what is published at once: mostly the host's time, on a busy host.
POSE_LIMIT = 5.0

Object = dict[str, Any]


def broker() -> Broker:
    """A broker for one board, which knows it as BROKER."""
    return Broker(devices=(DEVICE,), hosts=(BROKER[0],))


def files(of: Broker, programs: Path) -> dict[str, Path | bytes]:
    """The files that the guest needs, by their names there."""
    return {f"bin/{PROGRAM}": programs / PROGRAM, AUTHORITY[1:]: Path(of.authority.file)}


def settings(extra: str = "") -> str:
    host, port = BROKER
    return (
        f"[broker]\nhost = {host}\nport = {port}\ntls = yes\nca-file = {AUTHORITY}\nuser = {DEVICE}\n"
        f"password-file = {PASSWORD}\nkeep-alive = {KEEP_ALIVE}\n[device]\nid = {DEVICE}\nname = Workbench\n{extra}"
    )


class Device:
    """plumb-mqtt on the board of a trial, as seen by the judge on the host."""

    def __init__(self, trial: Trial, of: Broker, judge: Subscriber) -> None:
        self._trial, self._broker, self._judge = trial, of, judge
        self._mark = 0
        self._patience = PATIENCE

    def write(self, name: str, text: str) -> None:
        # Not visible in arguments or in the log: the shell itself writes it.
        self._trial.shell.must(f"(umask 077; printf '%s\\n' '{text}' >{name})")

    def start(self) -> None:
        """Starts the program; the shell has its process ID in $publisher."""
        self.look_from_now()
        self._trial.shell.must(f"{PROGRAM} >>{PUBLISHER_LOG} 2>&1 & publisher=$!")

    def signal(self, name: str) -> float:
        self.look_from_now()
        since = self._trial.emulator.now()
        self._trial.shell.must(f"kill -{name} $publisher")
        return since

    def ended(self) -> int:
        return self._trial.shell.run("wait $publisher").code

    def log(self) -> str:
        return self._trial.shell.must(f"cat {PUBLISHER_LOG}")

    def look_from_now(self) -> None:
        """Ignores what has arrived so far."""
        self._mark = self._judge.mark()

    def publishes(
        self, what: str, topic: str, wanted: Callable[[Message], bool], since: float = 0.0, within: float = 0.0
    ) -> Message | None:
        """Such a message arrives; if `within` is given, in so many seconds by the board's own clock.

        The clock is read after the message has passed through QEMU, the broker and the judge, so the measured time is
        never too short.
        """
        try:
            found = self._judge.await_message(
                lambda one: one.topic == topic and wanted(one), what, self._mark, self._patience
            )
        except AssertionError as error:
            self._trial.report(what, False, str(error))
            # If one is missing, others may be: do not wait the whole time for each.
            self._patience = 3.0
            return None
        now = self._trial.emulator.now() - since
        timing = f"{now:.3f} s, at most {within} s" if within else ""
        self._trial.report(what, not within or now <= within, timing)
        return found

    def says_it_is(self, status: str, since: float = 0.0, within: float = 0.0) -> None:
        topic = f"plumb/{DEVICE}/status"
        self.publishes(status, topic, lambda one: one.text == status, since, within)

    def tells(
        self, what: str, wanted: Callable[[Object], bool], since: float = 0.0, within: float = 0.0
    ) -> Object | None:
        """A state for which `wanted` is true is published."""
        topic = f"plumb/{DEVICE}/state"
        found = self.publishes(f"state: {what}", topic, lambda one: wanted(one.object), since, within)
        return found.object if found is not None else None

    def tells_pose(self, pose: str, since: float = 0.0, within: float = 0.0) -> Object | None:
        return self.tells(pose, lambda state: state["pose"] == pose and not state["trouble"], since, within)

    def retained(self) -> dict[str, bytes]:
        """What the broker retains."""
        found: dict[str, bytes] = self._broker.retained()
        return found


def published(trial: Trial, of: Broker) -> None:
    """Expects that the program is running and face down is lit."""
    # A board has no clock, and a certificate is not valid in 1970.
    trial.shell.must(f"date -u -s @{int(time.time())} >/dev/null")
    with of.subscriber() as judge:
        device = Device(trial, of, judge)
        try:
            first_words(trial, device, of)
            follow(trial, device)
            lose_owner(trial, device)
            end(trial, device)
        finally:
            if trial.failures:
                print(f"      {PROGRAM} said:\n{device.log()}", flush=True)
    for word, text in (("the password", of.users[DEVICE]), ("an error", "error:")):
        trial.report(f"no line of its log has {word}", text not in device.log())


def first_words(trial: Trial, device: Device, of: Broker) -> None:
    """A wrong password, the right one, and the first messages."""
    device.write(SETTINGS, settings())
    device.write(PASSWORD, "wrong")
    done = trial.shell.run(f"{PROGRAM} --check 2>&1")
    trial.equal("--check with a wrong password: exit code", 77, done.code)
    trial.says("it", done.output, ("password",))
    device.write(PASSWORD, of.users[DEVICE])
    done = trial.shell.run(f"{PROGRAM} --check 2>&1")
    trial.equal("--check: exit code", 0, done.code)
    trial.equal("--check has published", [], sorted(device.retained()))
    device.start()
    device.says_it_is("online")
    topic = f"homeassistant/device/plumb-{DEVICE}/config"
    discovery = device.publishes("discovery", topic, lambda one: True)
    if discovery is not None:
        device_name, identifiers = discovery.object["dev"]["name"], discovery.object["dev"]["ids"]
        trial.equal("the device's name", "Workbench", device_name)
        trial.equal("its identifiers", [f"plumb-{DEVICE}"], identifiers if isinstance(identifiers, list) else [identifiers])
    device.tells_pose("faceDown")


def follow(trial: Trial, device: Device) -> None:
    """Each pose at once, its angles within the interval, and everything that the broker retains afterwards."""
    for pose in (*POSES, HELD):
        device.look_from_now()
        since = trial.hold(pose)
        trial.lit(pose, since)
        device.tells_pose(pose, since, POSE_LIMIT)
        device.publishes("event: pose", f"plumb/{DEVICE}/event", lambda one: one.object["event_type"] == "pose")
    device.tells("level", is_level, since, INTERVAL + POSE_LIMIT)
    # Which others there are is for Tests/System/MQTT.
    wanted = [f"homeassistant/device/plumb-{DEVICE}/config", f"plumb/{DEVICE}/state", f"plumb/{DEVICE}/status"]
    trial.equal("retained", wanted, sorted(set(wanted) & set(device.retained())))
    device.look_from_now()
    since = trial.tell("unplug")
    trial.becomes("off the bus", ALL, TROUBLE_LIMIT, since)
    device.tells("trouble", is_unknown, since, GONE_LIMIT)
    device.look_from_now()
    since = trial.tell("plug")
    trial.lit(HELD, since, RECOVERY_LIMIT, (ALL, DARK))
    device.tells_pose(HELD, since, POSE_LIMIT)


def is_level(state: Object) -> bool:
    """Whether the angles are those of a board that lies face up, within the noise of the sensor."""
    return state["inclination_deg"] is not None and state["inclination_deg"] < 2 and abs(state["pitch_deg"]) < 2


def is_unknown(state: Object) -> bool:
    """Whether there is trouble, and nothing known before is shown as current."""
    angles = [value for key, value in state.items() if key.endswith("_deg")]
    return bool(state["trouble"]) and state["pose"] is None and bool(angles) and not any(x is not None for x in angles)


def lose_owner(trial: Trial, device: Device) -> None:
    device.look_from_now()
    since = trial.signal("KILL")
    state = device.tells("trouble after kill -9 of plumbd", is_unknown, since, GONE_LIMIT)
    trial.equal("its reason", "ownerGone", state and state["reason"])
    trial.equal("exit code of plumbd", 137, trial.ended())
    trial.becomes("after SIGKILL", DARK, 0.5, trial.emulator.now())
    device.look_from_now()
    trial.lit(HELD, trial.start(), START_LIMIT, (DARK,))
    device.tells_pose(HELD)


def end(trial: Trial, device: Device) -> None:
    """kill -9 of the program, then a new start that is stopped in an orderly way."""
    device.says_it_is("offline", device.signal("KILL"), WILL_LIMIT)
    trial.equal(f"exit code of {PROGRAM}", 137, device.ended())
    trial.equal("the status that is kept", b"offline", device.retained().get(f"plumb/{DEVICE}/status"))
    device.start()
    device.says_it_is("online")
    device.tells_pose(HELD)
    device.says_it_is("offline", device.signal("TERM"), POSE_LIMIT)
    trial.equal(f"SIGTERM, exit code of {PROGRAM}", 0, device.ended())
    done = trial.shell.run(f"{PROGRAM} --forget >>{PUBLISHER_LOG} 2>&1")
    trial.equal("--forget: exit code", 0, done.code)
    trial.equal("retained after --forget", [], sorted(device.retained()))
