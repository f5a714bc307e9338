"""What stands around Home Assistant in a test: a broker, a board that obeys, its owner, and the publisher under test."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("Support/Python", "Daemon", "Share")]
from bench import FORCES, RATE
from owner import Owner
from processes import PATIENCE, PLUMB, plain_environment, wait_until
from program import board

BROKER = ("127.0.0.1", 1883)


class Broker:
    """mosquitto, which remembers nothing of what was before it started."""

    def __init__(self, folder):
        self.log = os.path.join(folder, "mosquitto.log")
        self.file = os.path.join(folder, "mosquitto.conf")
        with open(self.file, "w", encoding="ascii") as file:
            file.write(f"listener {BROKER[1]} {BROKER[0]}\nallow_anonymous true\npersistence false\n")
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(["mosquitto", "-c", self.file], stdout=log, stderr=log)

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(BROKER) == 0
        wait_until(listens, "mosquitto listens")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def publish(self, topic, payload, retained=False):
        """Publishes as another program would. `payload` is text, or an object; None removes what is retained."""
        command = ["mosquitto_pub", "-h", BROKER[0], "-p", str(BROKER[1]), "-q", "1", "-t", topic]
        command += ["-n"] if payload is None else ["-m", payload if isinstance(payload, str) else json.dumps(payload)]
        subprocess.run(command + ["-r"] * (retained or payload is None), check=True, timeout=PATIENCE)

    def retained(self):
        """All that is retained, by topic."""
        found = subprocess.run(
            ["mosquitto_sub", "-h", BROKER[0], "-p", str(BROKER[1]), "-v", "-t", "#", "--retained-only", "-W", "1"],
            stdout=subprocess.PIPE, timeout=PATIENCE, check=False, text=True).stdout
        return dict(line.split(" ", 1) for line in found.splitlines())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Board(Owner):
    """`plumb run --share` of a board on the bench. `sensor` is adxl345 or mpu6050."""

    def __init__(self, folder, sensor="adxl345"):
        self.host_command = (str(HERE / "bench.py"), sensor)
        address = 0x68 if sensor == "mpu6050" else 0x53
        self.board = board(address, RATE).replace("adxl345", sensor)
        super().__init__("plumb", folder=folder)
        self.await_socket()

    def change(self, **wish):
        self.host.stdin.write(json.dumps(wish).encode() + b"\n")

    def hold(self, pose):
        self.change(force=FORCES[pose])

    def restart(self):
        self.start()
        self.await_socket()


class Publisher:
    """`plumb publish`, which a test may stop, freeze and start again. `settings` is the text of its mqtt.ini."""

    def __init__(self, folder, address, settings):
        self.folder = folder
        self.log = os.path.join(folder, "publish.log")
        self.file = os.path.join(folder, "mqtt.ini")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(settings)
        self.words = [str(PLUMB), "publish", "--from", address, "--settings", self.file]
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log, env=plain_environment())

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """Ends it; returns its exit code, below 0 for a signal."""
        self.signal(number)
        return self.process.wait(PATIENCE)

    def forget(self):
        """Removes the device; returns the exit code."""
        return subprocess.run(self.words + ["--forget"], env=plain_environment(), timeout=PATIENCE, check=False).returncode

    def printed(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def pause(seconds):
    """Lets time pass, where a test is about time."""
    time.sleep(seconds)
