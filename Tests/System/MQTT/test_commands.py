"""Commands from the broker: allowed ones are executed, all others are rejected and reported.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_commands
"""

import subprocess
import time
import unittest

from publisher import on_both
from processes import PATIENCE, wait_until

# Payloads that are not commands.
NO_COMMANDS = [
    b"halt", b"reload", b"TARE", b"tare now", b"{}", b"[]", b"null", b'{"command":"halt"}', b'{"command":1}', b'{"command":',
    b'{"query":"read"}', b"\x00\x01\x80", b"\xff\xfe\xfd", b"x" * 300, b'{"command":"' + b"y" * 400 + b'"}',
    b"tare\nquery", b'"' * 64, b"[" * 400,
]


@on_both
class Commands:
    def test_a_query_is_answered_with_a_reading(self):
        _, judge, owner, publisher = self.begun(commands={"allow": "query"})
        for payload in ("query", '{"command":"query"}'):
            with self.subTest(payload):
                since = judge.mark()
                publisher.command(payload)
                one = publisher.await_answer(judge, since=since)
                self.assertEqual(one.object["command"], "query")
                self.assertEqual(one.object["reading"]["pose"], "faceUp")
                self.assertEqual((one.object["reading"]["z"], one.is_retained), (1, False))
        self.assertEqual(owner.requests["query read"], 2)

    def test_tare_is_done_if_settings_and_owner_allow_it(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(commands=True), commands={"allow": "tare query"})
        for payload in ("tare", '{"command":"tare"}'):
            since = judge.mark()
            publisher.command(payload)
            self.assertEqual(publisher.await_answer(judge, since=since).object, {"command": "tare", "result": "done"})
        self.assertEqual(owner.requests["command tare"], 2)

    def test_a_refusal_by_the_owner_is_reported(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(commands=False), commands={"allow": "tare"})
        publisher.command("tare")
        answer = publisher.await_answer(judge).object
        self.assertEqual(answer["command"], "tare")
        self.assertIn("not allowed", answer["error"])
        self.assertEqual(owner.requests["command tare"], 1)

    def test_commands_that_the_settings_do_not_allow_never_reach_the_owner(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(commands=True))
        before = sum(owner.requests.values())
        for payload in ("tare", "query"):
            since = judge.mark()
            publisher.command(payload)
            answer = publisher.await_answer(judge, since=since).object
            self.assertEqual(answer["command"], payload)
            self.assertIn("allow", answer["error"])
        self.assertEqual(owner.requests["command tare"] + owner.requests["query read"], 0)
        self.assertLessEqual(sum(owner.requests.values()) - before, 1)
        publisher.await_line("refused")

    def test_invalid_commands_are_rejected_with_an_error(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(commands=True), commands={"allow": "tare query"})
        # Fewer at a time than it answers in a row.
        for payload in NO_COMMANDS:
            with self.subTest(payload[:20]):
                since = judge.mark()
                publisher.command(payload)
                self.assertIn("error", publisher.await_answer(judge, since=since).object)
        self.assertEqual(owner.requests["command tare"] + owner.requests["query read"], 0)

    def test_messages_longer_than_any_command_are_logged(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(commands=True), commands={"allow": "tare query"})
        for size in (513, 100_000):
            publisher.command(b"tare" + b" " * size)
        publisher.await_line("message.*(dropped|long)")
        since = judge.mark()
        publisher.command("query")
        publisher.await_answer(judge, lambda answer: "reading" in answer, since=since)
        self.assertEqual(owner.requests["command tare"], 0)

    def test_a_retained_command_is_rejected(self):
        broker = self.broker()
        broker.publish("plumb/dev-1/command", "tare", retain=True)
        _, judge, owner, publisher = self.begun(broker=broker, owner=self.owner(commands=True), commands={"allow": "tare"})
        answer = publisher.await_answer(judge).object
        self.assertIn("retained", answer["error"])
        self.assertEqual(owner.requests["command tare"], 0)

    def test_a_thousand_commands_in_a_row_do_not_disturb_the_device(self):
        broker, judge, owner, publisher = self.begun(owner=self.owner(commands=True), commands={"allow": "query"})
        memory = publisher.memory()
        since = judge.mark()
        subprocess.run(["mosquitto_pub", *broker.arguments(), "-q", "1", "-t", publisher.topic("command"), "-l"],
                       input=b"query\n" * 1000, check=True, timeout=PATIENCE)
        # It keeps working while they arrive, and afterwards.
        owner.turn("portrait")
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        publisher.await_answer(judge, since=since)
        mark, sent = judge.mark(), 1000

        def answers_again():
            """The first commands may still be too many."""
            nonlocal sent
            publisher.command("query")
            sent += 1
            time.sleep(0.3)
            return any("reading" in answer.object for answer in judge.seen(publisher.topic("answer"), mark))
        wait_until(answers_again, "a command is answered again")
        answers = judge.seen(publisher.topic("answer"), since)
        self.assertLessEqual(len(answers), sent)
        # Those for which there was no room are counted.
        publisher.await_line("answers left out|too many")
        self.assertLess(publisher.memory() - memory, 1 << 20)
        self.assertTrue(publisher.is_running())


if __name__ == "__main__":
    unittest.main()
