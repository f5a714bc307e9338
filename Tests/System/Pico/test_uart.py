"""What the UART says to clients that are slow, wrong, or gone; it cannot know whether there is one.

    test_uart.py [TEST]...
"""

import random
import unittest

from rig import FIRMWARE, RigTest
from pico import Pico

# Bytes a second at 115,200 Bd.
SPEED = 11_520


class Uart(RigTest):
    def pico(self):
        pico = Pico(FIRMWARE["adxl345"], "adxl345", has_usb=False)
        pico.run(0.1)
        # The first byte gets a hello, before that of the request.
        self.hello(pico)
        pico.run(0.3)
        return pico

    def heard(self, pico, data, seconds=0.3):
        """What comes in answer to these bytes."""
        since = len(pico.serial.lines)
        pico.type(data)
        pico.run(len(data) / SPEED + seconds)
        events = b'"event":"still"', b'"event":"moving"'
        return [line for _, line in pico.serial.lines[since:] if not any(event in line for event in events)]

    def untroubled(self, pico):
        counters = self.hello(pico)["counters"]
        self.assertEqual((counters["late_samples"], counters["lost_samples"], counters["faults"]), (0, 0, 0))
        self.assertEqual((pico.resets, pico.uart.lost), ([], 0))

    def test_an_empty_line_is_no_request_and_ends_what_a_client_has_left(self):
        pico = self.pico()
        self.assertEqual(self.heard(pico, b"\n\n\n\n\n"), [])
        self.heard(pico, b'{"query":"hel')
        said = self.heard(pico, b'\n{"query":"hello"}\n')
        self.assertEqual([b'"error"' in line for line in said], [True, False])
        self.assertIn(b'"event":"hello"', said[-1])

    def test_garbage_gets_at_most_an_error_for_each_line(self):
        pico = self.pico()
        dice = random.Random(3)
        for _ in range(20):
            data = dice.randbytes(dice.randrange(1, 700))
            said = self.heard(pico, data + b"\n", 0.1)
            self.assertLessEqual(len(said), 1 + data.count(b"\n"))
            self.assertTrue(all(b'"error"' in line for line in said), said)
        self.untroubled(pico)

    def test_requests_without_end_cost_no_sample(self):
        pico = self.pico()
        self.heard(pico, b'\n{"query":"board"}\n' * 200, 1)
        pico.type(b"\n")
        pico.run(1)
        self.untroubled(pico)

    def test_what_does_not_fit_is_counted_and_costs_no_sample(self):
        pico = self.pico()
        before = self.hello(pico)
        since = len(pico.serial.lines)
        # More than the line can carry.
        pico.type(b'{"samples":"all"}\n')
        pico.run(2)
        pico.type(b'{"samples":0}\n')
        pico.run(1)
        after = self.hello(pico)
        objects = [found for _, found in pico.serial.objects(since)]
        self.assertEqual(len(objects), len(pico.serial.lines) - since)
        samples = [found["t"] for found in objects if found["event"] == "sample"]
        missed = sum(found["count"] for found in objects if found["event"] == "missed")
        taken = after["counters"]["samples"] - before["counters"]["samples"]
        self.assertGreater(missed, 10)
        self.assertGreater(len(samples), 60)
        self.assertLessEqual(len(samples) + missed, taken + 2)
        self.assertGreaterEqual(taken, 290)
        self.untroubled(pico)


if __name__ == "__main__":
    unittest.main()
