"""What the tests of the Pico share: the firmware, its pins, and questions on its serial line."""

import os
import re
import signal
import subprocess
import unittest
from pathlib import Path

from pico import PROJECT

UF2S = Path(os.environ.get("UF2S", PROJECT / "build" / "pico"))
FIRMWARE = {re.fullmatch(r"plumb-(\w+)", path.stem)[1]: path for path in sorted(UF2S.glob("plumb-*.uf2"))}
# The pins of boards/pico-*.ini.
PINS = {"portrait": 10, "portraitUpsideDown": 11, "landscapeLeft": 12, "landscapeRight": 13, "faceUp": 14,
        "faceDown": 15}
# s of this machine's time: far more than a test takes, so that a hung one ends.
LIMIT = 600


def symbols(name):
    """The addresses of the symbols of a firmware."""
    found = sorted((UF2S.parent / "objects").glob(f"pico-*{name}/plumb.elf"))
    words = ["arm-none-eabi-nm", *map(str, found)]
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    return {line.split()[2]: int(line.split()[0], 16) for line in done.stdout.splitlines() if len(line.split()) == 3}


class RigTest(unittest.TestCase):
    def setUp(self):
        if not FIRMWARE:
            self.fail(f"{UF2S} has no plumb-*.uf2: make pico")
        signal.signal(signal.SIGALRM, self._late)
        signal.alarm(LIMIT)

    def tearDown(self):
        signal.alarm(0)

    def _late(self, *_):
        raise TimeoutError(f"after {LIMIT} s")

    def ask(self, pico, request, event, seconds=2):
        """Sends a request over the UART; returns the first answer of that kind."""
        since = len(pico.serial.lines)
        pico.type(b"\n" + request.encode() + b"\n")
        self.assertTrue(
            pico.run(seconds, until=lambda: event in pico.serial.all("event", since)),
            f"no {event} after {request}: {pico.serial.lines[since:]}")
        return next(found for _, found in pico.serial.objects(since) if found.get("event") == event)

    def hello(self, pico):
        return self.ask(pico, '{"query":"hello"}', "hello")
