"""Whether a Pico can run for long: memory, stack, the timer's overflows, and hours of samples with faults.

    test_endurance.py [TEST]...      (DAYS=1: a day of samples, for which the emulator needs half of that time or more)
"""

import os
import random
import re
import time
import unittest

from controller import FAULTS, Fault
from rig import FIRMWARE, PINS, RigTest, symbols
from pico import PAINT, POSES, Pico

ALL = frozenset(PINS.values())
# The end of the chip's RAM, of which the linker script allows only a part.
RAM_END = 0x2004_2000
# The part of the stack that must never have been used.
SPARE = 1 / 20
HEAP = re.compile(r"malloc|calloc|realloc|^free$|_sbrk|posix_memalign|swift_alloc|swift_slowAlloc|swift_initStackObject")
DAYS = float(os.environ.get("DAYS") or 0)
# s of the Pico's time without DAYS.
SECONDS = 60


class Endurance(RigTest):
    def check_memory(self, pico, name="adxl345"):
        own = symbols(name)
        used, size = pico.stack(own)
        print(f"{name}: {used} of {size} bytes of stack")
        self.assertGreater(used, 500)
        self.assertLess(used, size * (1 - SPARE))
        outside = pico.words(own["cpico_bss_end"], RAM_END)
        self.assertTrue(all(word == PAINT for word in outside), "RAM that is not the program's has been written")
        # Where the chip would fault, as below the stack.
        self.assertEqual([line for line in pico.log.lines if "undefined address" in line or "invalid memory" in line], [])

    def test_no_firmware_has_a_heap(self):
        for name in FIRMWARE:
            with self.subTest(name):
                own = symbols(name)
                self.assertIn("plumb_pico", own)
                self.assertEqual([symbol for symbol in own if HEAP.search(symbol)], [])

    def test_the_deepest_calls_leave_a_twentieth_of_the_stack(self):
        for name in ("adxl345", "mpu6050"):
            with self.subTest(name):
                pico = Pico(FIRMWARE[name], name)
                pico.watch(*ALL)
                pico.run(0.3)
                self.assertTrue(pico.usb.is_configured)
                pico.usb.open()
                pico.run(0.1)
                for request in ('{"samples":"all"}', '{"samples":10}', '{"samples":"raw"}', '{"counters":1}', '{"query":"read"}',
                                '{"query":"hello"}', '{"query":"board"}', '{"command":"tare"}', '{"command":"untare"}',
                                '{"command":"reload"}', '{"vibration":true}', "{", '{"query":[{}]}', "x" * 600):
                    pico.usb.send(request.encode() + b"\n")
                    pico.run(0.15)
                for pose in POSES:
                    pico.hold(pose)
                    pico.run(0.2)
                for kind in FAULTS:
                    pico.bus.faults[:] = [Fault(kind, pico.bus.number + 2, pico.bus.number + 4)]
                    pico.run(0.5)
                pico.part.power_cycle(pico.bus.now)
                pico.run(1)
                pico.part.identity(pico.bus.now, 0x33)
                pico.run(1)
                self.assertEqual(pico.resets, [])
                self.check_memory(pico, name)

    def test_the_overflow_of_the_timers_low_word_is_not_seen(self):
        self.pass_at((1 << 32) - 2_000_000)

    def test_a_pico_may_run_for_years(self):
        self.pass_at(10 * 365 * 86400 * 1_000_000)

    def pass_at(self, microseconds):
        """Starts with the timer at that value, and takes samples for some seconds."""
        pico = Pico(FIRMWARE["adxl345"], "adxl345", has_usb=False, is_timed=False)
        pico.chip.timer._epoch_nanos = -microseconds * 1000
        pico.watch(*ALL)
        pico.run(1)
        before = self.hello(pico)
        pico.run(3)
        after = self.hello(pico)
        self.assertAlmostEqual(after["t"] - before["t"], 3, delta=0.2)
        counters = after["counters"]
        self.assertGreaterEqual(counters["samples"] - before["counters"]["samples"], 298)
        self.assertEqual((counters["late_samples"], counters["lost_samples"], counters["faults"]), (0, 0, 0), after)
        self.assertEqual((pico.high(*ALL), pico.resets), ([PINS["faceUp"]], []))

    def test_hours_of_samples_with_faults_and_clients_end_as_they_began(self):
        dice = random.Random(7)
        pico = Pico(FIRMWARE["adxl345"], "adxl345", is_timed=False)
        pico.watch(*ALL)
        began, end = time.monotonic(), DAYS * 86400 or SECONDS
        pico.run(1)
        first = self.hello(pico)
        faults = 0
        while pico.seconds < end:
            pose = dice.choice(list(POSES))
            pico.hold(pose)
            if dice.random() < 0.3:
                faults += 1
                start = pico.bus.number + dice.randrange(1, 20)
                pico.bus.faults[:] = [Fault(dice.choice(FAULTS), start, start + dice.randrange(3))]
            if dice.random() < 0.3 and not pico.usb.is_open:
                self.hello(pico)
            if dice.random() < 0.2 and pico.usb.is_configured:
                (pico.usb.close if pico.usb.is_open else pico.usb.open)()
            pico.run(2 + 2 * dice.random())
            self.assertTrue(pico.run(40, until=lambda pose=pose: pico.high(*ALL) == [PINS[pose]]),
                            (pose, pico.shown[-5:], pico.bus.faults))
            pico.pins.clear()
            pico.serial.lines.clear()
            pico.usb_lines.lines.clear()
        self.assertEqual(pico.resets, [])
        if pico.usb.is_open:
            pico.usb.close()
            pico.run(0.2)
        last = self.hello(pico)
        self.assertEqual(last["owner"], first["owner"])
        self.assertGreater(last["counters"]["samples"], 0.9 * 100 * end)
        self.assertGreater(last["counters"]["faults"], faults / 2)
        self.check_memory(pico)
        passed = time.monotonic() - began
        print(f"{pico.seconds:.0f} s of the Pico with {last['counters']['samples']} samples and {faults} faults "
              f"in {passed:.0f} s: {pico.seconds / passed:.2f} times as fast")


if __name__ == "__main__":
    unittest.main()
