"""Whether each firmware of `make pico` starts, as a boot ROM would start it, and shows a pose with its own sensor.

    test_boot.py [TEST]...
"""

import unittest

from rig import FIRMWARE, PINS, RigTest
from pico import Pico, boot_checksum


class Boot(RigTest):
    def test_the_boot_rom_accepts_the_second_stage_of_every_firmware(self):
        for name, uf2 in FIRMWARE.items():
            with self.subTest(name):
                found, right = boot_checksum(uf2)
                self.assertEqual(f"{found:08x}", f"{right:08x}")

    def test_every_firmware_shows_a_pose_of_its_own_sensor(self):
        for name, uf2 in FIRMWARE.items():
            with self.subTest(name):
                pico = Pico(uf2, name, has_usb=False)
                pico.watch(*PINS.values())
                pico.hold("landscapeLeft", 0)
                lights = PINS["landscapeLeft"]
                self.assertTrue(pico.run(10, until=lambda: pico.high(*PINS.values()) == [lights]), pico.pins)
                hello = self.hello(pico)
                self.assertEqual((hello["sensor"], hello["chip"], hello["protocol"]), (name, "rp2040", 1))
                self.assertEqual((hello["pose"], hello["commands"]), ("landscapeLeft", True))
                self.assertEqual(pico.resets, [])


if __name__ == "__main__":
    unittest.main()
