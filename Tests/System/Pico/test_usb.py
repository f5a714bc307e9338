"""Whether a computer on the USB port gets the stream: clients that come, listen, stop reading, go and come again.

    test_usb.py [TEST]...
"""

import random
import unittest

from rig import FIRMWARE, RigTest
from pico import Pico, identify_flash

IDENTITY = bytes.fromhex("e6614103e7452a2f")


class Usb(RigTest):
    name = "adxl345"

    def pico(self, **more):
        pico = Pico(FIRMWARE[self.name], self.name, **more)
        self.configured(pico)
        return pico

    def configured(self, pico):
        for _ in range(20):
            pico.run(0.1)
            if pico.usb.is_configured:
                return
        self.fail(f"the host could not configure the device: {list(pico.log.lines)}")

    def opened(self, pico):
        """Opens the port; returns the number of the line with the hello."""
        since = len(pico.usb_lines.lines)
        pico.usb.open()
        self.assertTrue(pico.run(1, until=lambda: pico.usb_lines.all("event", since)), pico.usb_lines.lines[since:])
        self.assertEqual(pico.usb_lines.all("event", since)[0], "hello")
        return next(number for number, (_, line) in enumerate(pico.usb_lines.lines) if number >= since and b'"hello"' in line)

    def asked(self, pico, request, event, seconds=2):
        since = len(pico.usb_lines.lines)
        pico.usb.send(request.encode() + b"\n")
        self.assertTrue(
            pico.run(seconds, until=lambda: event in pico.usb_lines.all("event", since)), pico.usb_lines.lines[since:])
        return next(found for _, found in pico.usb_lines.objects(since) if found.get("event") == event)

    def test_the_host_sees_what_is_plugged_in(self):
        for name, uf2 in FIRMWARE.items():
            with self.subTest(name):
                pico = Pico(uf2, name)
                identify_flash(pico.chip, IDENTITY)
                self.configured(pico)
                self.assertEqual(pico.usb.identity, (0x2E8A, 0x000A, "Plumb", f"Plumb {name}", IDENTITY.hex()))

    def test_a_flash_chip_without_a_number_gives_zeros(self):
        self.assertEqual(self.pico().usb.identity[4], "0" * 16)

    def test_a_client_gets_a_hello_and_then_what_it_asks_for(self):
        pico = self.pico()
        self.opened(pico)
        hello = self.asked(pico, '{"query":"hello"}', "hello")
        self.assertEqual((hello["sensor"], hello["bus"], hello["clients"]), (self.name, "i2c0", 1))
        sample = self.asked(pico, '{"samples":"all"}', "sample")
        self.assertAlmostEqual(sample["z"], 1, delta=0.1)
        self.assertIn("query", self.asked(pico, '{"query":"nothing"}', "error")["detail"])

    def test_samples_come_at_their_rate(self):
        pico = self.pico()
        self.opened(pico)
        self.asked(pico, '{"samples":"all"}', "sample")
        since = len(pico.usb_lines.lines)
        pico.run(2)
        times = [found["t"] for _, found in pico.usb_lines.objects(since) if found.get("event") == "sample"]
        self.assertGreaterEqual(len(times), 198)
        self.assertLess(max(after - before for before, after in zip(times, times[1:])), 0.0105)

    def test_a_host_that_stops_reading_costs_lines_and_no_sample(self):
        pico = self.pico()
        self.opened(pico)
        before = self.asked(pico, '{"query":"hello"}', "hello")["counters"]
        self.asked(pico, '{"samples":"all"}', "sample")
        pico.usb.stop_reading()
        pico.run(5)
        since = len(pico.usb_lines.lines)
        pico.usb.read_on()
        pico.run(0.5)
        self.assertGreater(sum(pico.usb_lines.all("count", since)), 300)
        after = self.asked(pico, '{"query":"hello"}', "hello")["counters"]
        self.assertGreaterEqual(after["samples"] - before["samples"], 540)
        self.assertEqual((after["late_samples"], after["lost_samples"], after["faults"]), (0, 0, 0))
        # Nothing but whole objects arrives.
        self.assertEqual(len(pico.usb_lines.objects(since)), len(pico.usb_lines.lines) - since)

    def test_a_client_that_sends_without_end_costs_no_sample(self):
        pico = self.pico()
        self.opened(pico)
        pico.usb.send(b'{"query":"board"}\n' * 500)
        pico.run(3)
        pico.usb.outgoing.clear()
        pico.usb.send(b"\n")
        counters = self.asked(pico, '{"query":"hello"}', "hello", seconds=5)["counters"]
        self.assertEqual((counters["late_samples"], counters["lost_samples"]), (0, 0))

    def test_the_next_client_begins_anew(self):
        pico = self.pico()
        self.opened(pico)
        self.asked(pico, '{"samples":"all"}', "sample")
        pico.usb.stop_reading()
        pico.run(0.5)
        pico.usb.send(b'{"samples":')
        pico.usb.close()
        pico.run(0.1)
        hello = self.opened(pico)
        pico.run(1)
        self.assertNotIn("sample", pico.usb_lines.all("event", hello))
        self.asked(pico, '{"samples":"all"}', "sample")

    def test_a_client_may_come_at_once_after_another(self):
        pico = self.pico()
        self.opened(pico)
        self.asked(pico, '{"samples":"all"}', "sample")
        pico.usb.close()
        hello = self.opened(pico)
        pico.run(1)
        self.assertNotIn("sample", pico.usb_lines.all("event", hello + 1))

    def test_after_plugging_in_again_there_is_a_new_hello(self):
        pico = self.pico()
        numbers = random.Random(5)
        for _ in range(8):
            self.opened(pico)
            self.asked(pico, '{"samples":"all"}', "sample")
            pico.run(numbers.random() * 0.05)
            if numbers.random() < 0.5:
                pico.usb.stop_reading()
                pico.run(numbers.random() * 0.3)
            pico.usb.unplug()
            pico.run(numbers.random() * 0.5)
            pico.usb.plug()
            self.configured(pico)
        self.assertEqual(pico.resets, [])
        self.opened(pico)
        counters = self.asked(pico, '{"query":"hello"}', "hello")["counters"]
        self.assertEqual((counters["late_samples"], counters["lost_samples"]), (0, 0))

    def test_the_uart_has_the_client_while_the_port_is_closed(self):
        pico = self.pico()
        self.ask(pico, '{"samples":"all"}', "sample")
        self.opened(pico)
        since = len(pico.serial.lines)
        pico.run(0.5)
        # At most what was on its way.
        self.assertLess(len(pico.serial.lines) - since, 16)
        pico.usb.close()
        self.assertTrue(pico.run(1, until=lambda: "hello" in pico.serial.all("event", since)))
        self.hello(pico)


if __name__ == "__main__":
    unittest.main()
