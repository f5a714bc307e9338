"""One-off operations: --check, --forget, options in place of settings, wrong usage.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_command_line
"""

import signal
import subprocess
import unittest

from publisher import COMMANDS, Case, on_both
from processes import PATIENCE, PLUMB, plain_environment

USAGE, UNAVAILABLE, NOT_PERMITTED, CONFIGURATION = 64, 69, 77, 78


def run(*words, **environment):
    """Runs a command to its end; returns its exit code and output."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, check=False, env=plain_environment(**environment))
    return done.returncode, done.stdout + done.stderr


@on_both
class Once:
    """--forget, and what is not possible."""

    def ended(self, **options):
        broker, judge, owner, publisher = self.begun(**options)
        publisher.stop()
        return broker, judge, owner, publisher

    def test_forget_removes_everything_retained(self):
        broker, judge, owner, publisher = self.ended()
        self.assertEqual(set(broker.retained()), publisher.kept)
        code, printed = run(*publisher.arguments, "--forget")
        self.assertEqual(code, 0, printed)
        self.assertEqual(broker.retained(), {})

    def test_forget_needs_no_owner(self):
        broker, judge, owner, publisher = self.ended()
        owner.stop()
        code, printed = run(*publisher.arguments, "--forget")
        self.assertEqual(code, 0, printed)
        self.assertEqual(broker.retained(), {})

    def test_forget_without_a_broker_fails(self):
        broker, judge, owner, publisher = self.ended()
        broker.stop()
        code, printed = run(*publisher.arguments, "--forget")
        self.assertEqual(code, UNAVAILABLE, printed)
        self.assertIn(str(broker.port), printed)

    def test_wrong_usage(self):
        for words in (["--no-such-option"], ["--settings"], ["a-word"]):
            with self.subTest(words):
                code, printed = run(*COMMANDS[self.kind], *words)
                self.assertEqual(code, USAGE, printed)

    def test_wrong_settings(self):
        broker, owner = self.broker(), self.owner()
        for section, key, value, words in (
                ("broker", "port", "99999", "65535"), ("broker", "no-such-key", "1", "no-such-key"),
                ("broker", "keep-alive", "4", "5 to 600"), ("broker", "spread", "601", "0 to 600"),
                ("device", "id", "a/b", "id"), ("topics", "base", "a/#", "base"), ("values", "angles", "yaw", "pitch")):
            with self.subTest(key=key, value=value):
                more = {"link": {key: value}} if section == "broker" else {section: {key: value}}
                publisher = self.publisher(broker, owner, **more)
                self.assertEqual(publisher.end(), CONFIGURATION)
                self.assertIn(words, publisher.printed())
                lines = publisher.text().splitlines()
                number = next(index for index, line in enumerate(lines, 1) if line.startswith(f"{key} = {value}"))
                self.assertRegex(publisher.printed(), rf"\b{number}\b", "the line is told")

    def test_missing_settings(self):
        code, printed = run(*COMMANDS[self.kind], "--settings", "/no/such/file")
        self.assertIn(code, (66, CONFIGURATION), printed)
        self.assertIn("/no/such/file", printed)


class Check(Case):
    """plumb-mqtt --check reports what is wrong and changes no retained message."""

    kind = "plumb-mqtt"

    def checked(self, broker, owner, **options):
        publisher = self.publisher(broker, owner, arguments=["--check"], **options)
        return publisher.end(), publisher.printed()

    def test_a_working_setup_passes_and_nothing_is_published(self):
        broker, owner = self.broker(), self.owner()
        judge = self.judge(broker)
        code, printed = self.checked(broker, owner)
        self.assertEqual(code, 0, printed)
        self.assertEqual([one for one in judge.seen() if one.payload], [])
        self.assertEqual(broker.retained(), {})

    def test_a_running_device_stays_online(self):
        broker, judge, owner, publisher = self.begun()
        before = broker.retained()
        code, printed = self.checked(broker, owner)
        self.assertEqual(code, 0, printed)
        self.assertEqual(broker.retained(), before)
        self.assertEqual({one.text for one in judge.seen(publisher.topic("status"))}, {"online"})

    def test_each_problem_is_reported(self):
        broker, owner = self.broker(), self.owner()
        for what, options, words in (
                ("password", {"password": "wrong"}, "(?i)password|authori[sz]ed"),
                ("broker", {"link": {"port": 1}}, "(?i)no connection|refused"),
                ("authority", {"link": {"tls": "yes", "port": broker.tls_port}}, "certificate"),
                ("owner", {"stream": {"from": "unix:/no/such/stream"}}, "/no/such/stream")):
            with self.subTest(what):
                code, printed = self.checked(broker, owner, **options)
                self.assertIn(code, (UNAVAILABLE, NOT_PERMITTED), printed)
                self.assertRegex(printed, words)


class Options(Case):
    """Options of `plumb publish` take precedence over the settings, and work without them."""

    kind = "plumb"

    def published(self, judge, *words):
        """The state that a command publishes before Ctrl-C ends it."""
        with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=plain_environment()) as process:
            try:
                state = judge.await_message(lambda one: one.topic == "plumb/bench/state", "the state")
                process.send_signal(signal.SIGINT)
                printed, _ = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 0, printed)
        return state

    def test_without_a_file(self):
        broker, owner = self.broker(devices=("bench",)), self.owner()
        judge = self.judge(broker)
        password = broker.folder / "bench.password"
        password.write_text(broker.users["bench"] + "\n", encoding="ascii")
        words = [PLUMB, "publish", "--from", owner.address, "--broker", f"{broker.address}:{broker.port}", "--user", "bench",
                 "--password-file", password, "--id", "bench", "--name", "Work bench", "--interval", "0.5", "--step", "1",
                 "--keep-alive", "5", "--no-discovery"]
        state = self.published(judge, *words).object
        self.assertEqual(state["pose"], "faceUp")
        self.assertEqual([one.text for one in judge.seen("plumb/bench/status")], ["online", "offline"])
        self.assertEqual([one.topic for one in judge.seen() if one.topic.startswith("homeassistant")], [])
        code, printed = run(*words[:12], "--forget")
        self.assertEqual(code, 0, printed)
        self.assertEqual(broker.retained(), {})

    def test_over_tls(self):
        broker, owner = self.broker(devices=("bench",)), self.owner()
        judge = self.judge(broker)
        password = broker.folder / "bench.password"
        password.write_text(broker.users["bench"] + "\n", encoding="ascii")
        self.published(judge, PLUMB, "publish", "--from", owner.address, "--broker", f"{broker.address}:{broker.tls_port}",
                       "--tls", "--ca-file", broker.authority.file, "--user", "bench", "--password-file", password,
                       "--id", "bench")

    def test_options_override_the_file(self):
        _, judge, _, publisher = self.begun(arguments=["--name", "Other", "--discovery-prefix", "homeassistant"])
        self.assertEqual(judge.seen(publisher.discovery)[0].object["dev"]["name"], "Other")


if __name__ == "__main__":
    unittest.main()
