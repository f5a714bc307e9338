"""What a test controls around Home Assistant: a board that obeys, and its owner. The broker is mosquitto with the
configuration of the documentation (Support/Python), the publisher that of Tests/System/MQTT.
"""

import json
import math
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("../Support/Python", "Daemon", "Share", "MQTT")]
from bench import FORCES, RATE
from owner import Owner
from program import board


class Board(Owner):
    """`plumb run --share` of a board on the bench. `sensor` is adxl345 or mpu6050; the board file ends with
    `section`."""

    def __init__(self, folder, sensor="adxl345", section=""):
        self.host_command = (str(HERE / "bench.py"), sensor)
        address = 0x68 if sensor == "mpu6050" else 0x53
        self.board = board(address, RATE).replace("adxl345", sensor) + section
        super().__init__("plumb", folder=folder)
        self.await_socket()

    def change(self, **wish):
        self.host.stdin.write(json.dumps(wish).encode() + b"\n")

    def hold(self, pose):
        self.change(force=FORCES[pose])

    def restart(self):
        self.start()
        self.await_socket()


def tilted(pitch, roll):
    """The force on a board that lies face up, with its top edge raised by `pitch` and its right edge lowered by `roll`,
    in degrees."""
    pitch, roll = math.radians(pitch), math.radians(roll)
    return -math.sin(roll) * math.cos(pitch), math.sin(pitch), math.cos(roll) * math.cos(pitch)


def pause(seconds):
    """Lets time pass, for tests about time."""
    time.sleep(seconds)
