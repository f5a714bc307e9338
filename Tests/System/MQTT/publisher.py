"""The publishers under test, `plumb publish` and `plumb-mqtt`, and what all their tests share."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Support" / "Python"), str(HERE.parent / "Share")]
from kinds import for_each_kind
from mosquitto import Broker
from processes import (PATIENCE, PLUMB, ROOT, plain_environment, queueing, resident_bytes, stolen, take_signals_back,
                       wait_until)
from scripted_owner import ScriptedOwner

# The topics of which the broker keeps the last message; make test compares the table with the program.
KEPT = re.findall(r"^\| `(<[a-z]+>/[^`]+)` \| yes \|", (ROOT / "docs/fleet.md").read_text(encoding="utf-8"), re.MULTILINE)
PLUMB_MQTT = pathlib.Path(os.environ.get("PLUMB_MQTT", ROOT / "build" / "plumb-mqtt")).resolve()
COMMANDS = {"plumb": [str(PLUMB), "publish"], "plumb-mqtt": [str(PLUMB_MQTT)]}
# s; the shortest allowed.
KEEP_ALIVE = 5
# The longest that a program may take to respond to something, s, not counting the time for which it was kept from
# running.
MOMENT = 1.0

take_signals_back()


class Publisher:
    """A running publisher, as device `name`. Use it in a `with` statement, so that it never outlives a test.

    owner: the address of a stream. link, for [broker], and settings, for other sections, override what is here; None
    removes a key.
    """

    def __init__(self, kind, broker, owner, name="dev-1", link=None, arguments=(), environment=None, password=None,
                 **settings):
        self.kind, self.broker, self.name = kind, broker, name
        self.own = tempfile.TemporaryDirectory(prefix="plumb-publisher-")
        self.folder = pathlib.Path(self.own.name)
        self.log = self.folder / "log"
        self.password_file = self.folder / "password"
        self.settings = {
            "broker": {
                "host": broker and broker.address, "port": broker and broker.port, "user": name,
                "password-file": self.password_file, "keep-alive": KEEP_ALIVE,
                # Up to half a minute of random delay would make each restart a wait; `test_crowd` tests it.
                "spread": 1} | (link or {}),
            "device": {"id": name, "name": f"The {name}"},
            "stream": {"from": owner}}
        for section, keys in settings.items():
            section = section.replace("_", "-")
            self.settings[section] = self.settings.get(section, {}) | keys
        self.set_password(password or broker.users[name])
        self.settings_file = self.folder / "mqtt.ini"
        self.settings_file.write_text(self.text(), encoding="utf-8")
        self.arguments = [*COMMANDS[kind], "--settings", str(self.settings_file), *arguments]
        self.environment = plain_environment(**(environment or {}))
        self.process = None
        self.start()

    def text(self):
        lines = []
        for section, keys in self.settings.items():
            lines += [f"[{section}]", *(f"{key} = {value}" for key, value in keys.items() if value is not None)]
        return "\n".join(lines) + "\n"

    def set_password(self, password):
        with open(self.password_file, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(password + "\n")

    def start(self):
        with open(self.log, "ab") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=self.environment)
        return self

    @property
    def pid(self):
        return self.process.pid

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def end(self):
        """Waits for it to end; returns the exit code."""
        return self.process.wait(PATIENCE)

    def stop(self):
        """Ends it in an orderly way; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.end()

    def is_running(self):
        return self.process.poll() is None

    def check_running(self):
        if not self.is_running():
            raise AssertionError(f"it ended with {self.process.returncode}: {self.printed()}")

    def printed(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def await_line(self, pattern, count=1):
        """Waits until it has printed `count` lines that match a pattern; returns them."""
        def lines():
            found = [line for line in self.printed().splitlines() if re.search(pattern, line)]
            if len(found) < count:
                self.check_running()
            return found if len(found) >= count else None
        try:
            return wait_until(lines, f"{self.kind} prints {pattern!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it printed {self.printed()}") from None

    def memory(self):
        return resident_bytes(self.pid)

    # Its topics

    def topic(self, last):
        return f"plumb/{self.name}/{last}"

    @property
    def kept(self):
        """Its topics of which the broker keeps the last message, by the table in docs/fleet.md."""
        names = {"<base>": "plumb", "<prefix>": "homeassistant", "<id>": self.name}
        return {re.sub("<[a-z]+>", lambda part: names[part[0]], topic) for topic in KEPT}

    @property
    def discovery(self):
        return f"homeassistant/device/plumb-{self.name}/config"

    def await_status(self, judge, text, since=0):
        return judge.await_message(lambda one: one.topic == self.topic("status") and one.payload == text.encode(),
                                   f"{self.name} is {text}", since)

    def await_state(self, judge, wanted=lambda state: True, what="a state", since=0):
        """The first message, from number `since` onwards, with a wanted state."""
        return judge.await_message(lambda one: one.topic == self.topic("state") and one.payload and wanted(one.object),
                                   f"{self.name}: {what}", since, check=self.check_running)

    def await_event(self, judge, kind, since=0):
        return judge.await_message(
            lambda one: one.topic == self.topic("event") and one.object["event_type"] == kind, f"the event {kind}", since,
            check=self.check_running)

    def await_answer(self, judge, wanted=lambda answer: True, what="an answer", since=0):
        return judge.await_message(lambda one: one.topic == self.topic("answer") and wanted(one.object), what, since,
                                   check=self.check_running)

    def command(self, payload, **more):
        self.broker.publish(self.topic("command"), payload, **more)

    def close(self):
        if self.is_running():
            self.kill()
        self.own.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Case(unittest.TestCase):
    """Tests of one kind of publisher; ends what they begin."""

    kind = None
    maxDiff = None

    def begin(self, context):
        """Enters a context that ends with the test."""
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def broker(self, **options):
        return self.begin(Broker(**options))

    def owner(self, **options):
        return self.begin(ScriptedOwner(**options))

    def publisher(self, broker, owner, **options):
        address = owner if isinstance(owner, str) else owner.address
        publisher = self.begin(Publisher(self.kind, broker, address, **options))
        self.addCleanup(self.show_log_of, publisher)
        return publisher

    def judge(self, broker, *topics, **options):
        return self.begin(broker.subscriber(*topics, **options))

    def begun(self, owner=None, broker=None, **options):
        """A broker, a judge, an owner, and a publisher that has published its state, its online status and
        discovery."""
        broker = broker or self.broker()
        judge = self.judge(broker)
        owner = owner or self.owner()
        publisher = self.publisher(broker, owner, **options)
        publisher.await_state(judge, lambda state: state["pose"] is not None, "the first pose")
        publisher.await_status(judge, "online")
        if options.get("home_assistant", {}).get("discovery") != "no":
            judge.await_message(lambda one: one.topic == publisher.discovery, "discovery")
        return broker, judge, owner, publisher

    def settled(self, **options):
        """Like `begun`, but the state has been repeated after discovery: from now on it is published only for a
        reason."""
        begun = _, judge, _, publisher = self.begun(**options)
        topics = [one.topic for one in judge.seen()]
        publisher.await_state(judge, since=topics.index(publisher.discovery))
        return begun

    def show_log_of(self, publisher):
        """The output of a publisher, if its test fails. It never contains its password."""
        printed = publisher.printed()
        outcome = getattr(self._outcome, "result", None)
        if outcome and any(test is self for test, _ in outcome.failures + outcome.errors):
            print(f"{self.id()}: {publisher.kind} printed:\n{printed}", file=sys.stderr)
        for password in publisher.broker.users.values() if publisher.broker else ():
            self.assertNotIn(password, printed)

    @contextlib.contextmanager
    def within(self, seconds, *others):
        """The body may take so many seconds, not counting the time for which processes were kept from running.

        `others` are those besides this one: Publishers, Brokers and judges. Yields a function that checks whether
        something seen at time `came` (of a message) was in time.
        """
        pids = [os.getpid(), *(one.process.pid for one in others)]
        def kept_from_running():
            total = stolen()
            for pid in pids:
                # One may be ending just now.
                with contextlib.suppress(OSError):
                    total += queueing(pid)
            return total
        before, begin = kept_from_running(), time.monotonic()
        def judged(came):
            took, excused = came - begin, max(0, kept_from_running() - before)
            print(f"{self.id().split('.', 1)[1]}: {took:.2f} s (at most {seconds:g}, and {excused:.2f} for want of a "
                  "processor)", file=sys.stderr)
            self.assertLessEqual(took, seconds + excused)
            return took
        yield judged


on_both = for_each_kind(Case, {"plumb": "OfPlumb", "plumb-mqtt": "OfPlumbMQTT"})
