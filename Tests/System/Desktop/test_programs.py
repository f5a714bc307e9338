"""The command lines of plumb-desktop and plumb-rotate, and what --check of the service says.

    PLUMB_DESKTOP=build/plumb-desktop python3 -m unittest -v test_programs
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

from provider import PLUMB_DESKTOP
from bus import Bus
from processes import plain_environment, take_signals_back
from scripted_owner import ScriptedOwner

take_signals_back()
NOWHERE = "[stream]\nfrom = unix:/nowhere/s\n"


class Programs(unittest.TestCase):
    """Each run ends by itself."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="plumb-programs-")))
        self.rotate = self.folder / "plumb-rotate"
        self.rotate.symlink_to(PLUMB_DESKTOP)

    def run_program(self, program, *arguments, settings=None, **environment):
        """The exit code of a run, and all that it prints."""
        words = [program, *arguments]
        if settings is not None:
            path = self.folder / "desktop.ini"
            path.write_text(settings, encoding="utf-8")
            words += ["--settings", path]
        done = subprocess.run(words, env=plain_environment(**environment), capture_output=True, check=False,
                              encoding="utf-8", timeout=120)
        return done.returncode, done.stdout + done.stderr

    def expect(self, code, words, *arguments, **more):
        found, text = self.run_program(*arguments, **more)
        self.assertEqual((found, words in text), (code, True), text)

    def test_each_says_how_it_is_used(self):
        for program, name in ((PLUMB_DESKTOP, "plumb-desktop"), (self.rotate, "plumb-rotate")):
            self.expect(0, f"Usage: {name} [--settings FILE] [--check]", program, "--help")
            self.expect(0, f"{name} ", program, "--version")
            self.expect(64, f"{name}: unknown option \"--turn\"", program, "--turn")
            self.expect(64, "needs the name of a settings file", program, "--settings")

    def test_bad_settings(self):
        for program in (PLUMB_DESKTOP, self.rotate):
            self.expect(78, "desktop.ini:2: bad value \"9\"", program, settings="[wheel]\nrange = 9\n")
            self.expect(78, "/nowhere.ini: ", program, "--settings", "/nowhere.ini")
            self.expect(78, "token file /nowhere/token", program,
                        settings="[sensor-proxy]\nenabled = yes\n[stream]\nfrom = tcp:h:1\ntoken-file = /nowhere/token\n",
                        **{"XDG_RUNTIME_DIR": "/nowhere"})
        self.expect(78, "nothing is enabled; allowed: enabled = yes in one of [sensor-proxy]", PLUMB_DESKTOP, settings=NOWHERE)

    @unittest.skipIf(os.path.exists("/etc/plumb/desktop.ini"), "this computer has settings")
    def test_only_a_rotation_needs_no_settings(self):
        self.expect(78, "/etc/plumb/desktop.ini: ", PLUMB_DESKTOP)
        self.expect(69, "no graphical session", self.rotate, XDG_RUNTIME_DIR="/nowhere")

    def test_check_says_what_is_there(self):
        with ScriptedOwner("portrait") as owner, Bus() as bus:
            settings = f"[stream]\nfrom = {owner.address}\n[sensor-proxy]\nenabled = yes\n"
            self.expect(0, "settings: OK\nfunctions: OK\nowner of the sensor: OK\n", PLUMB_DESKTOP, "--check",
                        settings=settings, DBUS_SYSTEM_BUS_ADDRESS=bus.address)
            self.expect(69, "functions: error: no system bus: ", PLUMB_DESKTOP, "--check", settings=settings,
                        DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere/bus")
        self.expect(69, "owner of the sensor: error: ", PLUMB_DESKTOP, "--check",
                    settings=NOWHERE + "[sensor-proxy]\nenabled = yes\n", DBUS_SYSTEM_BUS_ADDRESS=bus.address)

    @unittest.skipIf(os.path.exists("/dev/uinput"), "this computer has /dev/uinput")
    def test_check_says_what_input_devices_need(self):
        for section in ("wheel", "scroll", "motion"):
            self.expect(69, "functions: error: /dev/uinput is missing", PLUMB_DESKTOP, "--check",
                        settings=NOWHERE + f"[{section}]\nenabled = yes\n")


if __name__ == "__main__":
    unittest.main()
