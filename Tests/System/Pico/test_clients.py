"""What Plumb's own programs show of a Pico on a serial line, which here is a pseudo-terminal.

    test_clients.py [TEST]...      (PLUMB=build/plumb)
"""

import json
import os
import signal
import unittest

from rig import FIRMWARE, PINS, RigTest
from pico import POSES, PROJECT, Pico
from terminal import Client, Port

PLUMB = os.environ.get("PLUMB", str(PROJECT / "build" / "plumb"))


def events(client):
    found = []
    for line in client.text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


class Clients(RigTest):
    def connected(self, over):
        pico = Pico(FIRMWARE["adxl345"], "adxl345", is_timed=over == "uart", has_usb=over == "usb")
        pico.watch(*PINS.values())
        pico.run(0.5)
        if over == "usb":
            self.assertTrue(pico.usb.is_configured)
        return pico

    def test_run_shows_six_poses_over_usb(self):
        self.show_six_poses("usb")

    def test_run_shows_six_poses_over_a_uart(self):
        self.show_six_poses("uart")

    def show_six_poses(self, over):
        pico = self.connected(over)
        with Port(pico, over) as port:
            with Client(PLUMB, "run", "--from", f"serial:{port.path}", "--format", "json") as client:
                self.assertTrue(port.run(30, until=lambda: "faceUp" in client.text), client.text)
                for pose in POSES:
                    pico.hold(pose)
                    self.assertTrue(
                        port.run(10, until=lambda pose=pose: [event.get("to") for event in events(client)
                                                              if event["event"] == "pose"][-1:] == [pose]), client.text)
                client.process.send_signal(signal.SIGINT)
                self.assertTrue(port.run(30, until=lambda: client.has_ended))
                poses = [event["to"] for event in events(client) if event["event"] == "pose"]
                self.assertEqual(poses[-len(POSES):], list(POSES))
            self.assertTrue(port.run(5, until=lambda: not port.is_open))
        self.assertEqual(pico.resets, [])

    def test_read_gives_a_reading_of_the_part(self):
        pico = self.connected("usb")
        pico.hold("landscapeRight", 0)
        pico.run(0.5)
        with Port(pico) as port, Client(PLUMB, "read", "--from", f"serial:{port.path}", "--format", "json") as client:
            self.assertTrue(port.run(60, until=lambda: client.has_ended), client.text)
            self.assertEqual(client.process.returncode, 0, client.text)
            found = events(client)[0]
            self.assertAlmostEqual(found["x"], -1, delta=0.05)

    def test_a_pico_that_is_reset_is_connected_again(self):
        pico = self.connected("usb")
        with Port(pico) as port:
            with Client(PLUMB, "run", "--from", f"serial:{port.path}", "--format", "json") as client:
                self.assertTrue(port.run(30, until=lambda: "faceUp" in client.text), client.text)
                pico.hold("portrait")
                pico.power_cycle()
                port.is_open = False
                self.assertTrue(port.run(5, until=lambda: pico.usb.is_configured))
                port.is_open = False
                self.assertTrue(port.run(60, until=lambda: [event.get("to") for event in events(client)
                                                            if event["event"] == "pose"][-1:] == ["portrait"]),
                                client.text)


if __name__ == "__main__":
    unittest.main()
