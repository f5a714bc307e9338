"""The providers of net.hadess.SensorProxy under test, `plumb desktop` and `plumb-desktop`, and Debian's monitor-sensor."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "Support" / "Python"), str(HERE.parent / "Share")]
from bus import PROPERTIES, Failure
from processes import PLUMB, ROOT, plain_environment, wait_until

PLUMB_DESKTOP = pathlib.Path(os.environ.get("PLUMB_DESKTOP", ROOT / "build" / "plumb-desktop")).resolve()
NAME = "net.hadess.SensorProxy"
PATH = "/net/hadess/SensorProxy"
ORIENTATION, TILT = "AccelerometerOrientation", "AccelerometerTilt"


def unpacked(*names):
    """A file of Debian's iio-sensor-proxy, which scripts/setup.sh unpacked."""
    for name in names:
        if (found := ROOT / "build" / "iio-sensor-proxy" / name).exists():
            return found
    raise AssertionError("there is no iio-sensor-proxy: run scripts/setup.sh test-desktop")


class Reader:
    """The lines of a stream as they come, each with its time. `look` is called at each, and its result kept."""

    def __init__(self, file, look=lambda: None):
        self.lines, self.look = [], look
        self.thread = threading.Thread(target=self.read, args=(file,), daemon=True)
        self.thread.start()

    def read(self, file):
        with file:
            for line in file:
                self.lines.append((time.monotonic(), self.look(), line.decode(errors="replace").rstrip("\n")))

    def text(self):
        return "\n".join(line for _, _, line in self.lines)

    def await_text(self, text, count=1):
        wait_until(lambda: self.text().count(text) >= count, f'"{text}" {count} times, in {self.text()!r}')


class Program:
    """A process whose output is read. Use it in a `with` statement."""

    def __init__(self, command, look=lambda: None, **environment):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=plain_environment(**environment))
        self.pid = self.process.pid
        self.output = Reader(self.process.stdout, look)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self.output.thread.join()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill(signal.SIGTERM)


class Provider(Program):
    """A provider of the board at an owner's address, on a bus."""

    def __init__(self, kind, owner, bus):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-desktop-")
        if kind == "plumb":
            command = [str(PLUMB), "desktop", "--from", owner, "--sensor-proxy"]
        else:
            settings = os.path.join(self.own.name, "desktop.ini")
            pathlib.Path(settings).write_text(f"[stream]\nfrom = {owner}\n[sensor-proxy]\nenabled = yes\n", encoding="utf-8")
            command = [str(PLUMB_DESKTOP), "--settings", settings]
        super().__init__(command, DBUS_SYSTEM_BUS_ADDRESS=bus.address)

    def await_name(self, count=1):
        """Waits until it has said so often that it owns the name."""
        self.output.await_text("net.hadess.SensorProxy is on the system bus", count)
        return self

    def memory(self):
        """Its private memory now, and the most that it has ever used, in bytes."""
        with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as file:
            fields = dict(re.findall(r"(RssAnon|VmHWM):\s+(\d+) kB", file.read()))
        return int(fields["RssAnon"]) << 10, int(fields["VmHWM"]) << 10

    def __exit__(self, *_):
        super().__exit__()
        self.own.cleanup()


class Monitor(Program):
    """Debian's monitor-sensor, unmodified."""

    def __init__(self, bus, look=lambda: None):
        # It writes to a pipe in blocks otherwise.
        super().__init__([shutil.which("stdbuf"), "-oL", str(unpacked("usr/bin/monitor-sensor"))], look,
                         DBUS_SYSTEM_BUS_ADDRESS=bus.address)


def call(client, member, *arguments, **more):
    return client.call(NAME, PATH, NAME, member, *arguments, **more)


def get(client, name):
    return client.call(NAME, PATH, PROPERTIES, "Get", "ss", NAME, name)[0]


def refusal(function, *arguments, **more):
    """The name of the error that a call ends with; None if it succeeds."""
    try:
        function(*arguments, **more)
    except Failure as failure:
        return failure.name
    return None


def changes(client, patience=0.0):
    """What PropertiesChanged has said to a client, or says within `patience` seconds: dictionaries."""
    found = [one for one in client.signals(patience) if one.member == "PropertiesChanged"]
    for one in found:
        assert (one.path, one.interface, one.destination, one.signature) == (PATH, PROPERTIES, client.name, "sa{sv}as"), one
        assert (one.body[0], one.body[2]) == (NAME, []), one
    return [one.body[1] for one in found]


def await_change(client, name, value):
    """Waits until PropertiesChanged says that a property has a value; returns everything that it said on the way."""
    seen = []
    wait_until(lambda: seen.extend(changes(client, 0.1)) or any(one.get(name) == value for one in seen),
               f"{name} becomes {value}")
    return seen
