"""Home Assistant in its root, from the view of a test: starts it, waits for states, and sends requests."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

import setting  # pylint: disable=unused-import
from processes import PATIENCE

ROOT = os.environ["HOME_ASSISTANT_ROOT"]
# Where the root has the temporary folder and this one.
WORK, TESTS = "/mnt/work", "/mnt/tests"
RECIPES = pathlib.Path(__file__).resolve().parents[3] / "docs" / "examples" / "home-assistant"

CONFIGURATION = """\
homeassistant:
  name: Home
  latitude: 47
  longitude: 8
  elevation: 400
  time_zone: UTC
  unit_system: metric
{packages}
http:
  server_host: 127.0.0.1
automation: !include automations.yaml
"""
ENTRY = {
    "domain": "mqtt", "title": "mosquitto", "entry_id": "17", "version": 2, "minor_version": 1, "source": "user",
    "options": {"discovery": True}, "unique_id": None,
    "created_at": "2026-01-01T00:00:00+00:00", "modified_at": "2026-01-01T00:00:00+00:00", "disabled_by": None,
    "discovery_keys": {}, "pref_disable_new_entities": False, "pref_disable_polling": False, "subentries": [],
}
USER = "homeassistant"
# Caused by this root and network, not by the program under test: missing libraries and neighbours.
EXPECTED = ("homeassistant.bootstrap", "aiohttp_fast_zlib", "homeassistant.components.network")


class HomeAssistant:
    """Home Assistant with the MQTT integration, as a user of `broker`. Use it in a `with` statement.

    `recipes` are names of files in docs/examples/home-assistant, loaded as packages.
    """

    def __init__(self, folder, broker, recipes=()):
        self.folder = folder
        os.makedirs(os.path.join(folder, ".storage"))
        access = {"broker": broker.address, "port": broker.port, "username": USER, "password": broker.users[USER]}
        self.write(".storage/core.config_entries", json.dumps({
            "version": 1, "minor_version": 5, "key": "core.config_entries",
            "data": {"entries": [ENTRY | {"data": access}]}}))
        self.write("automations.yaml", "[]\n")
        packages = ""
        for recipe in recipes:
            shutil.copy(RECIPES / recipe, folder)
            packages += f"    {recipe.removesuffix('.yaml').replace('-', '_')}: !include {recipe}\n"
        self.write("configuration.yaml", CONFIGURATION.format(packages="  packages:\n" + packages if packages else ""))
        self.changed = threading.Condition()
        self.process = None
        self.start()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        """Starts it and waits until it responds."""
        self.states, self.changes, self.notifications, self.log = {}, [], [], []
        self.answers, self.number, self.has_ended = {}, 0, False
        inside = os.path.join(WORK, os.path.relpath(self.folder, os.environ["TMPDIR"]))
        with open(os.path.join(self.folder, "errors.log"), "ab") as errors:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(
                ["chroot", ROOT, "/opt/home-assistant/bin/python", "-B", f"{TESTS}/inside.py", inside],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                env={"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"})
        self.reader = threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        self.states.update({name: (one["value"], one["attributes"]) for name, one in self.ask("states").items()})

    def read(self, lines):
        for line in lines:
            one = json.loads(line)
            with self.changed:
                if "answer" in one:
                    self.answers[one["answer"]] = one
                elif "state" in one:
                    self.states[one["state"]] = (one["value"], one["attributes"])
                    self.changes.append((one["state"], one["value"], one["attributes"]))
                elif "notification" in one:
                    self.notifications.append(one["notification"])
                elif not one["logger"].startswith(EXPECTED):
                    self.log.append(f"{one['logger']}: {one['message']}")
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def wait(self, condition, what, patience=PATIENCE):
        """Waits until `condition()`, evaluated at each line, is true; returns its value."""
        end = time.monotonic() + patience
        with self.changed:
            while not (value := condition()):
                if self.has_ended:
                    raise AssertionError(f"Home Assistant ended before this: {what}")
                if not self.changed.wait(max(0, end - time.monotonic())) and time.monotonic() > end:
                    raise AssertionError(f"not within {patience} s: {what}")
            return value

    def ask(self, name, **arguments):
        self.number += 1
        number = self.number
        self.process.stdin.write(json.dumps({"number": number, "ask": name, **arguments}).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.wait(lambda: self.answers.get(number), f"an answer to {name}")
        if "error" in answer:
            raise AssertionError(f"{name}: {answer['error']}")
        return answer["result"]

    def call(self, service, **data):
        domain, _, name = service.partition(".")
        self.ask("call", domain=domain, service=name, data=data)

    def value(self, entity):
        return self.states.get(entity, (None, {}))[0]

    def attributes(self, entity):
        return self.states.get(entity, (None, {}))[1]

    def wait_for(self, **wanted):
        """Waits until entities have values: sensor__pose="Face up". A value may be a function that judges it."""
        def judge(entity, value):
            return value(self.value(entity)) if callable(value) else self.value(entity) == value
        wanted = {name.replace("__", "."): value for name, value in wanted.items()}
        try:
            self.wait(lambda: all(judge(*one) for one in wanted.items()), "")
        except AssertionError as error:
            found = {entity: self.value(entity) for entity in wanted}
            raise AssertionError(f"wanted {wanted}, found {found}; {error}") from None

    def mark(self):
        """A position in the list of changes, for `since`."""
        with self.changed:
            return len(self.changes)

    def since(self, mark, entity):
        """The successive values of an entity since a mark."""
        with self.changed:
            values = [value for name, value, _ in self.changes[mark:] if name == entity]
        return [value for n, value in enumerate(values) if n == 0 or values[n - 1] != value]

    def events(self, mark, entity):
        """The events of an event entity since a mark, as attributes."""
        with self.changed:
            return [more for name, value, more in self.changes[mark:]
                    if name == entity and value not in (None, "unknown", "unavailable")]

    def device(self, name):
        """The device with this name, or None."""
        found = [one for one in self.ask("devices") if one["name"] == name]
        assert len(found) <= 1, found
        return found[0] if found else None

    def automate(self, *automations):
        self.write("automations.yaml", json.dumps(automations))
        self.call("automation.reload")

    def warnings(self):
        """Its complaints since it started, each once."""
        with self.changed:
            return list(collections.Counter(self.log))

    def stop(self):
        """Stops it in an orderly way."""
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stdout.close()

    def restart(self):
        self.stop()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.stop()
