"""What `plumb-rotate` reads from the tools of compositors and X servers, which here print what a test wants.

    PLUMB_DESKTOP=build/plumb-desktop python3 -m unittest -v test_screens
"""

import pathlib
import socket
import subprocess
import tempfile
import unittest

from provider import PLUMB_DESKTOP
from processes import plain_environment, take_signals_back, wait_until

take_signals_back()

# What `wlr-randr` 0.2.0 of Debian 12 wrote.
WAYLAND_02 = """HEADLESS-2 "Headless output 2"
  Enabled: no
HEADLESS-1 "Headless output 1"
  Enabled: yes
  Modes:
    1280x720 px (current)
  Position: 1280,0
  Transform: 270
  Scale: 1.000000
"""
# What that of Debian 13 wrote.
WAYLAND_05 = """HEADLESS-1 "Headless output 1"
  Make: (null)
  Model: (null)
  Serial: (null)
  Enabled: yes
  Modes:
    1280x720 px (current)
  Position: 1280,0
  Transform: flipped-90
  Scale: 1.000000
  Adaptive Sync: disabled
HEADLESS-2 "Headless output 2"
  Make: (null)
  Model: (null)
  Serial: (null)
  Enabled: no
"""
X11 = """Screen 0: minimum 64 x 64, current 800 x 600, maximum 32767 x 32767
eDP-1 connected primary 480x640+0+0 left (normal left inverted right x axis y axis) 0mm x 0mm
   640x480        0.00*
HDMI-1 connected 1280x720+480+0 (normal left inverted right x axis y axis) 0mm x 0mm
HDMI-2 connected (normal left inverted right x axis y axis)
DP-1 connected 640x480+0+0 inverted X axis (normal left inverted right x axis y axis) 0mm x 0mm
DP-2 disconnected 640x480+0+0 (normal left inverted right x axis y axis) 0mm x 0mm
screen connected 640x480+0+0 0mm x 0mm
default connected 640x480-10+0 right (normal left inverted right x axis y axis) 0mm x 0mm
"""
TOUCH = """⎡ Virtual core pointer                    \tid=2\t[master pointer  (3)]
\tReporting 3 classes:
\t\tClass originated from: 2. Type: XIButtonClass
⎜   ↳ touch                                   \tid=6\t[slave  pointer  (2)]
\t\tClass originated from: 16. Type: XIScrollClass
\t\tScroll info for Valuator 3
\t\tClass originated from: 16. Type: XITouchClass
\t\tTouch mode: direct
\t\tMax number of touches: 15
\t\tClass originated from: 7. Type: XITouchClass
\t\tTouch mode: dependent
"""


class Screens(unittest.TestCase):
    """Each test looks at what --check says."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="plumb-screens-")))
        self.rotate = self.folder / "plumb-rotate"
        self.rotate.symlink_to(PLUMB_DESKTOP)

    def make(self, tool, text):
        """A tool that prints a text, and what it was called with into a file."""
        (self.folder / "text").mkdir(exist_ok=True)
        (self.folder / "text" / tool).write_text(text, encoding="utf-8")
        (self.folder / tool).write_text(
            f'#!/bin/sh\necho "$*" >>"$0.calls"\nexec /bin/cat "{self.folder}/text/{tool}"\n', encoding="utf-8")
        (self.folder / tool).chmod(0o755)

    def check(self, text, wanted="auto", touch="", **environment):
        """The outputs that are found in a text, and what is said of the chosen one."""
        for tool, words in (("wlr-randr", text), ("xrandr", text), ("xinput", touch)):
            self.make(tool, words)
        settings = self.folder / "desktop.ini"
        settings.write_text(f"[stream]\nfrom = unix:/nowhere/s\n[rotate]\noutput = {wanted}\n", encoding="utf-8")
        done = subprocess.run(
            [self.rotate, "--settings", settings, "--check"], check=False, capture_output=True, encoding="utf-8", timeout=60,
            env=plain_environment(PATH=str(self.folder), XDG_RUNTIME_DIR=str(self.folder), **environment))
        lines = [line.split(": ", 1) for line in done.stdout.splitlines()]
        return ([tuple(words.split(", ")) for name, words in lines if name == "output"],
                next((words for name, words in lines if name in ("turns", "error")), done.stdout),
                next((words for name, words in lines if name == "touch screens"), None))

    def check_x11(self, text, wanted="auto", touch=""):
        return self.check(text, wanted, touch, DISPLAY=":7")

    def check_wayland(self, text, wanted="auto"):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "wayland-1"))
            listener.listen()
            try:
                return self.check(text, wanted)
            finally:
                (self.folder / "wayland-1").unlink()

    def test_both_versions_of_wlr_randr(self):
        labwc = 'in rc.xml of labwc write <touch mapToOutput="HEADLESS-1"/>'
        self.assertEqual(self.check_wayland(WAYLAND_02), ([("HEADLESS-1", "270")], "HEADLESS-1", labwc))
        self.assertEqual(self.check_wayland(WAYLAND_05), ([("HEADLESS-1", "flipped-90")], "HEADLESS-1", labwc))

    def test_the_rotation_of_xrandr_is_behind_the_size(self):
        self.assertEqual(
            self.check_x11(X11, touch=TOUCH),
            ([("eDP-1", "left"), ("HDMI-1", "normal"), ("DP-1", "inverted"), ("screen", "normal"), ("default", "right")],
             "eDP-1", "1, mapped with xinput"))

    def test_a_touchpad_is_no_touch_screen(self):
        # Of two devices that are touched directly, each with its own number.
        self.assertEqual(self.check_x11(X11, touch=TOUCH + TOUCH.replace("16", "17"))[2], "2, mapped with xinput")
        self.assertEqual(self.check_x11(X11, touch=TOUCH.replace("direct", "dependent"))[2], "0, mapped with xinput")
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            [self.rotate, "--settings", self.folder / "desktop.ini"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=plain_environment(PATH=str(self.folder), XDG_RUNTIME_DIR=str(self.folder), DISPLAY=":7"))
        self.make("xinput", TOUCH)
        calls = self.folder / "xinput.calls"
        wait_until(lambda: "map-to-output 16 eDP-1\n" in calls.read_text(encoding="utf-8"), "the touch screen is mapped")
        process.terminate()
        process.wait(timeout=60)
        self.assertNotIn("map-to-output 7", calls.read_text(encoding="utf-8"))

    def test_the_built_in_panel_is_chosen_among_several(self):
        for name in ("DSI-1", "eDP-1", "LVDS-1", "DPI-1"):
            text = f'HDMI-A-1 "a"\n  Enabled: yes\n  Transform: normal\n{name} "b"\n  Enabled: yes\n  Transform: 180\n'
            outputs = [("HDMI-A-1", "normal"), (name, "180")]
            self.assertEqual(self.check_wayland(text)[:2], (outputs, name))
            self.assertEqual(self.check_wayland(text, "HDMI-A-1")[:2], (outputs, "HDMI-A-1"))

    def test_among_several_without_one_the_choice_is_the_users(self):
        self.assertEqual(
            self.check_x11("HDMI-1 connected 1x1+0+0 (normal)\nHDMI-2 connected 1x1+0+0 (normal)\n")[1],
            "which output has the board? Set output = NAME in [rotate]; on: HDMI-1, HDMI-2")
        self.assertEqual(self.check_x11("HDMI-1 connected 1x1+0+0 (normal)")[1], "HDMI-1")

    def test_a_configured_output_that_is_not_there_is_named(self):
        lacking = "is not connected, or off; on:"
        self.assertEqual(self.check_wayland(WAYLAND_02, "DSI-1")[1], f"output DSI-1 {lacking} HEADLESS-1")
        self.assertEqual(self.check_wayland("", "DSI-1")[1], f"output DSI-1 {lacking} none")
        self.assertEqual(self.check_x11("Can't open display")[1], f"output auto {lacking} none")

    def test_of_any_text_at_most_eight_outputs_are_taken(self):
        names = [f"DP-{number}" for number in range(1, 21)]
        outputs, words, _ = self.check_x11("".join(f"{name} connected 1x1+0+0 (normal)\n" for name in names))
        self.assertEqual(outputs, [(name, "normal") for name in names[:8]])
        self.assertTrue(words.endswith("on: DP-1, DP-2, DP-3, DP-4, DP-5, DP-6, DP-7, DP-8"), words)
        long = 99 * "y"
        nonsense = f"  Enabled: yes\n  Transform: 90\n\n\t\n  Enabled:\nx{long}\n Transform:\n Transform: {long}\n{long}"
        self.assertEqual(self.check_wayland(nonsense)[0], [("", "90"), ("x" + 42 * "y", "normal")])
        self.assertEqual(self.check_x11(nonsense)[0], [])


if __name__ == "__main__":
    unittest.main()
