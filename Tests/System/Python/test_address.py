"""Addresses of a stream.

    python3 -m unittest -v test_address
"""

import os
import unittest
from unittest import mock

import support
from plumb import Address, AddressError, Board


class Addresses(unittest.TestCase):
    def test_each_kind(self):
        for text, shown in {
                "unix:/tmp/board": "", "/tmp/board": "unix:/tmp/board", "unix:": "unix:/run/plumb/stream", "unix:s": "", "tcp:pi": "tcp:pi:7587",
                "tcp:pi:80": "", "tcp:[::1]:80": "", "tcp:[::1]": "tcp:[::1]:7587", "ssh:pi": "", "ssh:me@pi.local": "",
                "ssh:pi:/tmp/s": "", "ssh:fe80::1:/tmp/s": "", "serial:auto": "", "serial:/dev/ttyACM0": ""}.items():
            with self.subTest(text):
                self.assertEqual(str(Address.parse(text)), shown or text)

    def test_what_is_no_address_is_rejected_with_what_to_write(self):
        for text, words in {
                "": "it begins with unix:", "board": "it begins with unix:", "http://pi": "it begins with unix:", "tcp:": "the host is missing",
                "tcp::80": "the host is missing", "tcp:pi:": "a port is a number", "tcp:pi:0": "a port is a number", "tcp:pi:65536": "a port is a number",
                "tcp:pi:8\u0660": "a port is a number", "tcp:pi:x": "a port is a number", "tcp:::1:80": "in brackets", "tcp:a b:80": "the host is missing",
                "ssh:": "the host is missing", "ssh:-oProxyCommand=touch": "the host is missing", "ssh:me@": "the host is missing",
                "ssh:a\nb": "the host is missing", "ssh:pi:22": "an absolute path", "ssh:-x@pi:/s": "the host is missing",
                "unix:/" + "x" * 107: "at most 107 bytes", "unix:/a\0b": "control characters", "serial:ttyACM0": "write serial:auto",
                "serial:": "write serial:auto", "serial:/" + "x" * 191: "at most 191 bytes", "ssh:pi:/" + "x" * 107: "at most 107 bytes"}.items():
            with self.subTest(text), self.assertRaisesRegex(AddressError, f"is no address of a stream: .*{words}"):
                Address.parse(text)
        with self.assertRaises(ValueError) as caught:
            Address.parse("a\x1b[2J")
        self.assertIn("a?[2J is no", str(caught.exception))

    def test_the_usual_owner_is_that_of_the_tool(self):
        for value, shown in {"": "unix:/run/plumb/stream", "tcp:pi:1": "tcp:pi:1"}.items():
            with mock.patch.dict(os.environ, {"PLUMB_STREAM": value}):
                self.assertEqual(str(Address.usual()), shown)
        for value, words in {"none": "PLUMB_STREAM is none, .* pass an address", "pi": "PLUMB_STREAM: pi is no address"}.items():
            with mock.patch.dict(os.environ, {"PLUMB_STREAM": value}), self.assertRaisesRegex(AddressError, words):
                Board()

    def test_wrong_arguments(self):
        for words in ({"rate": -1}, {"rate": "some"}, {"rate": True}, {"rate": 1.5}, {"counters": -1}, {"counters": "x"}, {"token": "a b"}, {"token": "x" * 129}):
            with self.subTest(words), self.assertRaises(ValueError):
                Board("unix:/nonexistent", **words)


if __name__ == "__main__":
    unittest.main()
