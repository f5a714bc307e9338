"""The configuration of docs/examples/fleet, as a broker applies it: who may do what, and the certificates made as it
describes. Without a publisher: mosquitto_pub and mosquitto_sub are the clients.

    python3 -m unittest -v test_access
"""

import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

import publisher  # finds the modules below
from mosquitto import EXAMPLES, Broker, program
from processes import PATIENCE

PAGE = pathlib.Path(EXAMPLES, "../../fleet.md").read_text(encoding="utf-8")
# The topics of the page's table, as those of a device; make test compares the table with the program.
TOPICS = [(topic.replace("<base>", "plumb").replace("<prefix>", "homeassistant").replace("<id>", "dev-1"), use)
          for topic, use in re.findall(r"^\| `(<[a-z]+>/[^`]+)` \| (yes|no|in) \|", PAGE, re.MULTILINE)]
WRITTEN = [topic for topic, use in TOPICS if use != "in"]
HEARD = [topic for topic, use in TOPICS if use == "in"]
OTHERS = [topic.replace("dev-1", "dev-2") for topic, _ in TOPICS if "dev-1" in topic]

# User, topic, and whether a message there reaches those who read everything.
WRITING = [
    *(("dev-1", topic, True) for topic in WRITTEN), *(("dev-1", topic, False) for topic in HEARD + OTHERS),
    ("dev-1", "plumb/dev-1", False), ("dev-1", "plumb/dev-1/state/more", False), ("dev-1", "other", False),
    ("dev-2", "plumb/dev-2/state", True), ("reader", "plumb/dev-1/command", False), ("reader", "plumb/dev-1/state", False),
    *(("homeassistant", topic, True) for topic in HEARD), ("homeassistant", "homeassistant/device/plumb-dev-1/config", True),
    ("homeassistant", "plumb/dev-1/state", False),
]
# User, topic, and whether a message there reaches the user.
READING = [
    *(("dev-1", topic, True) for topic in HEARD), *(("dev-1", topic, False) for topic in OTHERS),
    ("reader", "plumb/dev-1/command", True),
    ("reader", "homeassistant/device/plumb-dev-1/config", False), ("homeassistant", "plumb/dev-2/command", True),
]


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker(devices=("dev-1", "dev-2"))
        cls.addClassCleanup(cls.broker.__exit__)

    def test_each_writes_what_it_may(self):
        with self.broker.subscriber() as judge:
            for number, (user, topic, is_allowed) in enumerate(WRITING):
                with self.subTest(user=user, topic=topic):
                    since = judge.mark()
                    self.broker.publish(topic, f"text {number}", user=user)
                    # When this has arrived, so has everything sent before it.
                    self.broker.publish("homeassistant/mark", str(number))
                    judge.await_message(lambda one, n=str(number): one.topic == "homeassistant/mark" and one.text == n,
                                        "the mark", since)
                    self.assertEqual(f"text {number}" in [one.text for one in judge.seen(topic, since)], is_allowed)

    def test_each_reads_what_it_may(self):
        for user, topic, is_allowed in READING:
            # A message that each of them may read shows that the one before it did not arrive.
            mark = {"reader": "plumb/mark/command", "homeassistant": "homeassistant/mark"}.get(user, f"plumb/{user}/command")
            with self.subTest(user=user, topic=topic), self.broker.subscriber(topic, mark, user=user) as judge:
                self.broker.publish(topic, "what was asked for")
                self.broker.publish(mark, "the mark")
                judge.await_message(lambda one: one.text == "the mark", "the mark")
                self.assertEqual("what was asked for" in [one.text for one in judge.seen(topic)], is_allowed)

    def test_without_a_user_or_with_a_wrong_password_a_client_is_rejected(self):
        self.broker.users["stranger"] = "x"
        self.addCleanup(self.broker.users.pop, "stranger")
        for words in (self.broker.arguments(user=None), self.broker.arguments("stranger"),
                      [*self.broker.arguments("dev-1")[:-1], "wrong"]):
            done = subprocess.run(["mosquitto_pub", *words, "-t", "plumb/dev-1/state", "-m", "x"], capture_output=True,
                                  timeout=PATIENCE, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr.decode(), "(?i)not authori[sz]ed")

    def test_it_logs_no_error_in_the_configuration(self):
        # That it runs as root here, and a pattern that applies to all users on purpose.
        expected = ["should not be run as root", "ACL pattern 'homeassistant/status' does not contain"]
        for line in self.broker.printed().splitlines():
            if re.search("warning|error", line, re.IGNORECASE):
                self.assertTrue(any(words in line for words in expected), line)


class Certificates(unittest.TestCase):
    def test_the_commands_in_the_configuration_make_certificates_for_its_broker(self):
        lines = (EXAMPLES / "mosquitto.conf").read_text(encoding="utf-8").splitlines()
        commands = [line.strip("# ") for line in lines if re.match("# +openssl ", line)]
        self.assertEqual(len(commands), 3)
        with tempfile.TemporaryDirectory() as folder, Broker(starts=False) as broker:
            for command in commands:
                self.assertTrue("IP:192.168.1.20" in command or "addext" not in command)
                command = command.replace("IP:192.168.1.20", f"IP:{broker.address}")
                subprocess.run(shlex.split(command), cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
            for name in ("ca.crt", "broker.crt", "broker.key"):
                (broker.folder / name).write_bytes(pathlib.Path(folder, name).read_bytes())
            broker.start()
            with broker.subscriber(tls=True) as judge:
                broker.publish("homeassistant/status", "online")
                judge.await_message(lambda one: one.text == "online", "a message over TLS")

    def test_the_users_are_created_by_its_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, user in ((["-c"], "homeassistant"), ([], "caravan")):
                subprocess.run([program("mosquitto_passwd"), *words, f"{folder}/passwd", user], input=b"word\nword\n",
                               check=True, capture_output=True, timeout=PATIENCE, start_new_session=True)
            names = [line.split(":")[0] for line in pathlib.Path(folder, "passwd").read_text("utf-8").splitlines()]
            self.assertEqual(names, ["homeassistant", "caravan"])


if __name__ == "__main__":
    unittest.main()
