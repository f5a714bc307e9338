"""What the firmware does when the bus or the sensor fails, at each transaction of its start and of a sample.

    test_faults.py [TEST]...
"""

import unittest

from controller import FAULTS, Fault
from rig import FIRMWARE, PINS, RigTest
from pico import POSES, Pico

# The number of transactions until the first sample has been read, and some samples.
TRANSACTIONS = range(0, 18)
ALL = frozenset(PINS.values())
PORTRAIT = frozenset({PINS["portrait"]})
I2C0 = 1 << 3


class FaultTest(RigTest):
    def pico(self, *faults, seed=1, **more):
        pico = Pico(FIRMWARE["adxl345"], "adxl345", seed=seed, has_usb=False, **more)
        pico.watch(*PINS.values())
        pico.hold("portrait", 0)
        pico.bus.faults += faults
        return pico

    def shows_only_portrait(self, pico):
        """Nothing, the pose, or the pattern of a fault, which all lines show at once."""
        wrong = [step for step in pico.shown if step[1] not in (frozenset(), ALL, PORTRAIT)]
        self.assertEqual(wrong, [])

    def recovers(self, pico, seconds=5):
        """The pose is shown, and samples come again."""
        fault = pico.bus.faults[0]
        end = fault.first + 8
        self.assertTrue(pico.run(seconds, until=lambda: pico.bus.number >= end and pico.high(*ALL) == [*PORTRAIT]),
                        (pico.shown[-5:], list(pico.bus.log)[-5:]))
        self.assertGreater(fault.count, 0)
        self.shows_only_portrait(pico)
        self.assertEqual(pico.resets, [])


class Faults(FaultTest):
    def test_one_fault_at_any_transaction_is_overcome(self):
        for kind in FAULTS:
            for number in TRANSACTIONS:
                with self.subTest(kind=kind, number=number):
                    self.recovers(self.pico(Fault(kind, number, number)))

    def test_no_acknowledge_of_any_byte_that_is_written_is_overcome(self):
        for number in (3, 4, 13):
            for byte in range(2):
                with self.subTest(number=number, byte=byte):
                    pico = self.pico(Fault("nack data", number, number, byte=byte))
                    pico.run(0.5)
                    self.shows_only_portrait(pico)
                    self.assertEqual(pico.high(*ALL), [*PORTRAIT])

    def test_a_target_that_holds_sda_is_clocked_free_whatever_bit_it_sends(self):
        for clocks in range(1, 10):
            with self.subTest(clocks=clocks):
                self.recovers(self.pico(Fault("stuck SDA", 20, clocks=clocks)))

    def test_a_target_that_never_lets_sda_go_is_a_trouble_that_ends_with_it(self):
        pico = self.pico(Fault("stuck SDA", 20, clocks=1000))
        self.assertTrue(pico.run(5, until=lambda: pico.high(*ALL) == [*ALL]), pico.shown)
        hello = self.hello(pico)
        self.assertNotIn(hello["pose"], POSES)
        pico.bus.release()
        self.assertTrue(pico.run(35, until=lambda: pico.high(*ALL) == [*PORTRAIT]), pico.shown[-5:])
        self.shows_only_portrait(pico)
        self.assertEqual(pico.resets, [])

    def test_a_lasting_fault_is_the_stated_trouble_until_it_ends(self):
        causes = {"nack": "noAcknowledge", "arbitration": "arbitrationLost", "stretched": "timedOut"}
        for kind, cause in causes.items():
            for first in (0, 25):
                with self.subTest(kind=kind, first=first):
                    pico = self.pico(Fault(kind, first))
                    pico.run(0.004)
                    pico.type(b'\n{"query":"hello"}\n')
                    self.assertTrue(pico.run(5, until=lambda: pico.high(*ALL) == sorted(ALL)), pico.shown)
                    pico.run(0.3)
                    hello = self.hello(pico)
                    self.assertEqual((hello["pose"] in POSES, hello.get("cause")), (False, cause), hello)
                    pico.bus.faults.clear()
                    self.assertTrue(pico.run(35, until=lambda: pico.high(*ALL) == [*PORTRAIT]), pico.shown[-5:])
                    self.shows_only_portrait(pico)
                    self.assertEqual(pico.resets, [])

    def test_another_part_at_the_address_is_a_wrong_identity(self):
        pico = self.pico()
        pico.part.identity(pico.bus.now, 0x33)
        pico.run(1)
        hello = self.hello(pico)
        self.assertEqual((hello["pose"] in POSES, hello.get("cause")), (False, "unexpectedIdentity"), hello)
        self.shows_only_portrait(pico)
        pico.part.identity(pico.bus.now, None)
        self.assertTrue(pico.run(35, until=lambda: pico.high(*ALL) == [*PORTRAIT]), pico.shown[-5:])

    def test_a_sensor_that_loses_its_supply_is_set_up_again(self):
        pico = self.pico()
        pico.run(0.3)
        since = pico.bus.number
        pico.part.power_cycle(pico.bus.now)
        pico.run(2)
        written = [entry for entry in pico.bus.log if entry[1] > since and entry[3] == "write" and len(entry[4]) > 1]
        self.assertGreater(len(written), 3)
        self.assertEqual(pico.high(*ALL), [*PORTRAIT])
        self.shows_only_portrait(pico)

    def test_a_sensor_that_is_not_there_is_found_when_it_comes(self):
        pico = self.pico()
        targets, pico.bus.targets = pico.bus.targets, {}
        pico.run(3)
        hello = self.hello(pico)
        self.assertEqual((hello["pose"] in POSES, hello.get("cause")), (False, "noAcknowledge"), hello)
        pico.bus.targets = targets
        self.assertTrue(pico.run(35, until=lambda: pico.high(*ALL) == [*PORTRAIT]), pico.shown[-5:])
        self.shows_only_portrait(pico)


class Watchdog(FaultTest):
    def test_a_loop_that_hangs_is_reset_after_two_seconds_and_is_another_owner_then(self):
        pico = self.pico()
        pico.run(0.1)
        before = self.hello(pico)
        # A block that does not come out of reset, as a chip that is damaged or out of its limits: a loop without end.
        pico.dead_blocks = I2C0
        pico.bus.faults.append(Fault("stretched", pico.bus.number + 1, pico.bus.number + 1))
        pico.run(0.1)
        self.assertEqual(pico.resets, [])
        pico.skip(1.7)
        self.assertEqual(pico.resets, [])
        pico.dead_blocks = 0
        pico.skip(0.3)
        self.assertEqual(len(pico.resets), 1)
        self.assertTrue(pico.run(1, until=lambda: pico.high(*ALL) == [*PORTRAIT]), pico.shown[-3:])
        after = self.hello(pico)
        self.assertNotEqual(before["owner"], after["owner"])
        self.assertLess(after["t"], before["t"] + 0.2)
        self.shows_only_portrait(pico)


if __name__ == "__main__":
    unittest.main()
