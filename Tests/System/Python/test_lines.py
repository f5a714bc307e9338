"""The lines of a stream: what the codec in Swift writes, and what no owner writes.

    python3 -m unittest -v test_lines
"""

import json
import math
import pathlib
import random
import unittest

import support
import plumb
from plumb import events, vocabulary
from plumb.lines import LONGEST_LINE, LineError, parse
from plumb.when import When

# Written by the codec in Swift: a test there compares. Events without fields have only a time and a name.
LINES = pathlib.Path(__file__).with_name("lines.jsonl").read_bytes().splitlines()
LINES += [json.dumps({"t": 7.765432, "event": kind.event}).encode() for kind in vocabulary.PLAIN]


def sample(**fields):
    return {"t": 1, "event": "sample", "x": 0, "y": 1, "z": 0, "pose": "portrait", **fields}


class Lines(unittest.TestCase):
    maxDiff = None

    def test_each_line_of_the_codec_is_read_with_all_its_fields(self):
        kinds = set()
        for line in LINES:
            with self.subTest(line.decode()):
                found = parse(line)
                message = events.read(found)
                kinds.add(found["event"])
                self.assertEqual(type(message), events.KINDS[found["event"]])
                wanted = {key: value for key, value in found.items() if value is not None}
                if wanted.get("pose") == "unknown":
                    del wanted["pose"]
                self.assertEqual(len(message.as_dict()), len(wanted))
                self.assertEqual(json.loads(json.dumps(message.as_dict())), wanted)
        self.assertEqual(kinds, set(events.KINDS))

    def test_there_is_a_class_and_a_callback_for_each_event(self):
        self.assertLessEqual(set(vocabulary.EVENTS), set(events.KINDS))
        callbacks = {one.event for kind in plumb.Board.__mro__ for one in vars(kind).values() if isinstance(one, When)}
        happen = {name for name, kind in events.KINDS.items() if issubclass(kind, plumb.Event)}
        self.assertEqual(callbacks, happen)
        for one in events.KINDS.values():
            self.assertIn(one.__name__, (*plumb.__all__, "Done"))

    def test_an_object_is_frozen_and_shows_what_it_has(self):
        event = events.read(parse(b'{"t":1.5,"event":"pose","from":"unknown","to":"faceUp"}'))
        self.assertEqual(repr(event), "PoseEvent(t=1.5, to='faceUp')")
        self.assertEqual(str(event), "    1.50  pose: faceUp")
        with self.assertRaises(AttributeError):
            event.to = "faceDown"
        self.assertEqual(hash(event), hash(events.PoseEvent(t=1.5, to="faceUp")))

    def test_what_is_not_known_is_ignored(self):
        self.assertIsNone(events.read({"event": "later", "t": "x"}))
        self.assertIsNone(events.read({"event": ["pose"]}))
        self.assertIsNone(events.read({}))
        self.assertIsNone(events.read(parse(b'{"t":1,"event":"trouble","reason":"fault","cause":"later"}')).cause)
        self.assertEqual(events.read(sample(later={"a": [1]})), events.read(sample()))

    def test_control_characters_become_question_marks(self):
        found = events.read(parse(b'{"event":"error","detail":"a\\u001b[2J\\nb\\u007f\\u009b\xc3\xa9"}'))
        self.assertEqual(found.detail, "a?[2J?b??\u00e9")

    def test_lines_that_are_no_objects(self):
        for line, words in {
                b"": "not JSON", b"hello": "not JSON", b"[1]": "not an object", b"17": "not an object", b"null": "not an object",
                b'{"a":NaN}': "NaN is not JSON", b'{"a":-Infinity}': "-Infinity is not JSON", b'{"a":"\xff"}': "not UTF-8", b'{"a":"\\ud800"}': "not UTF-8",
                b'{"a":"\\udc00x"}': "not UTF-8", b"\xef\xbb\xbf{}": "not JSON", b"[" * 900: "nested more than 8 deep",
                b'{"a":' * 9 + b"1" + b"}" * 9: "nested more than 8 deep", b'{"a":1}x': "not JSON", b'{"a":01}': "not JSON",
                b'{"a":"\x01"}': "not JSON", b"{}" + b" " * LONGEST_LINE: "more than 1024 bytes", b"\0" * 9: "not JSON",
                b'{"a":' + b"9" * 1000 + b"}}": "not JSON"}.items():
            with self.subTest(line[:40]), self.assertRaisesRegex(LineError, words):
                parse(line)

    def test_eight_levels_are_read_and_brackets_in_strings_do_not_count(self):
        self.assertEqual(len(parse(b'{"a":' * 8 + b"1" + b"}" * 8)), 1)
        self.assertEqual(parse(b'{"a":"' + b"[" * 900 + b'"}'), {"a": "[" * 900})
        self.assertEqual(parse(b'{"a":"\\"[[[[[[[[[[[\\\\","b":"{{{{"}'), {"a": '"[[[[[[[[[[[\\', "b": "{{{{"})

    def test_a_repeated_key_has_its_last_value(self):
        # The line of `MessageTests` in Swift, and of stream.test.mjs in JavaScript.
        found = events.read(parse(
            b'{"event":"shake","t":1,"event":"trouble","reason":"fault","re\\u0061son":"stale","t":"x","t":2.5,"detail":{"a":1,"a":2},"detail":"last"}'))
        self.assertEqual(found, events.TroubleEvent(t=2.5, reason="stale", detail="last"))

    def test_fields_of_a_wrong_type_are_named(self):
        wrong = ["x", [], {}, True, 1e400, 10 ** 400]
        for key in ("x", "angle_deg", "t"):
            for value in wrong:
                with self.subTest(key, value=str(value)[:9]), self.assertRaisesRegex(LineError, f"the {key} of its sample is not a"):
                    events.read(sample(**{key: value}))
        for key, value, words in (
                ("gravity", [1, 2], "three numbers"), ("gravity", [1, 2, "3"], "a number"), ("gravity", 3, "a list of numbers"),
                ("scroll", [1], "two numbers"), ("pose", 3, "text"), ("still", 1, "true or false"), ("t", 1e15, "a time of this size")):
            with self.subTest(key, value=value), self.assertRaisesRegex(LineError, f"the {key} of its sample is not {words}"):
                events.read(sample(**{key: value}))
        for event, fields, words in (
                ("pose", {}, "its pose has no to"), ("pose", {"to": "sideways"}, "the to of its pose is not a pose that"),
                ("pose", {"to": ["faceUp"]}, "is not text"), ("trouble", {"reason": "faceUp"}, "is not a reason"),
                ("missed", {"count": -1}, "is not a count"), ("missed", {"count": 1.5}, "is not a whole number"),
                ("missed", {"count": 1 << 70}, "is not a whole number"), ("missed", {}, "its missed has no count"),
                ("tap", {"axis": "w", "sign": 1}, "is not an axis"), ("recovery", {"outage_s": None}, "its recovery has no outage_s"),
                ("board", {"mounting": "+x +y +z", "offset_g": [0, 0, 0]}, "its board has no scale"),
                ("hello", {"protocol": 1, "pose": "x", "rate_hz": 1}, "is not a pose or a reason"),
                ("hello", {"protocol": 1, "pose": "fault", "rate_hz": 0}, "is not above 0"),
                ("hello", {"protocol": 1, "pose": "fault", "rate_hz": 1, "counters": [1]}, "is not an object of counters"),
                ("hello", {"protocol": 1, "pose": "fault", "rate_hz": 1, "counters": {"samples": "1"}}, "samples of its counters is not a number")):
            with self.subTest(event, fields=fields), self.assertRaisesRegex(LineError, words):
                events.read({"event": event, "t": 1, **fields})
        with self.assertRaisesRegex(LineError, "its shake has no t"):
            events.read({"event": "shake"})

    def test_fuzzed_lines_are_read_or_rejected_with_words(self):
        chance = random.Random(34)
        read = rejected = 0
        values = [b"null", b"true", b'""', b"[]", b"{}", b"-1", b"1e999", b"NaN", b"9" * 400, b'"\\ud800"', b"[[[[[[[[[1]]]]]]]]]"]
        for _ in range(4000):
            line = bytearray(chance.choice(LINES))
            for _ in range(chance.randint(1, 3)):
                at = chance.randrange(len(line))
                kind = chance.randrange(4)
                if kind == 0:
                    line[at] = chance.randrange(256)
                elif kind == 1:
                    del line[at:at + chance.randint(1, 9)]
                elif kind == 2:
                    line[at:at] = chance.choice(values)
                else:
                    comma = line.find(b":", at)
                    line[comma + 1:comma + 2] = chance.choice(values)
                line = line or bytearray(b"x")
            try:
                found = events.read(parse(bytes(line)))
                read += 1
                for value in (getattr(found, "x", None), getattr(found, "t", None)):
                    self.assertTrue(value is None or math.isfinite(value), line)
                str(found), repr(found)
            except LineError as error:
                rejected += 1
                self.assertGreater(len(str(error)), 9)
        self.assertGreater(min(read, rejected), 200)


if __name__ == "__main__":
    unittest.main()
