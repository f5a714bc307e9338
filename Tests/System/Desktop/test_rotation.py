"""What `plumb-rotate` does to the screens of labwc, sway and an X server, as the board turns.

    test_rotation.py [TEST]...      (PLUMB_DESKTOP=build/plumb-desktop)
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from rooted import BAR, TouchedXServer, WaylandServer, XServer, enter, tools, turning_x_server
from processes import PLUMB, ROOT, listens, wait_until
from scripted_owner import ScriptedOwner
from x11 import Client

PLUMB_DESKTOP = pathlib.Path(os.environ.get("PLUMB_DESKTOP", ROOT / "build" / "plumb-desktop")).resolve()
POSES = ("landscapeRight", "portraitUpsideDown", "landscapeLeft", "portrait")
WAYLAND = dict(zip(POSES, ("90", "180", "270", "normal")))
X11 = dict(zip(POSES, ("left", "inverted", "right", "normal")))
# Which edge of the panel is up.
EDGES = dict(zip(POSES, ("left", "bottom", "right", "top")))
# s, for which a screen that must not turn is watched: several times what it would need.
WATCHED = 1.0


def setUpModule():
    enter()


class Rotation:
    """A running plumb-rotate in the session of `server`. Use it in a `with` statement."""

    def __init__(self, server, owner, environment=None, **rotate):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-rotate-")
        folder = pathlib.Path(self.own.name)
        self.program = folder / "plumb-rotate"
        self.program.symlink_to(PLUMB_DESKTOP)
        self.settings, self.log = folder / "desktop.ini", folder / "log"
        keys = {"settle": "0.1", "check": "1"} | {name.replace("_", "-"): value for name, value in rotate.items()}
        self.settings.write_text(f"[stream]\nfrom = {owner}\n[rotate]\n"
                                 + "".join(f"{name} = {value}\n" for name, value in keys.items()), encoding="utf-8")
        self.environment = server.environment(**environment or {})
        self.command = [self.program, "--settings", self.settings]
        self.process = None

    def __enter__(self):
        with open(self.log, "wb") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(self.command, env=self.environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        self.process.wait(timeout=60)
        self.own.cleanup()

    def end(self, number=signal.SIGTERM):
        """Stops it, and returns its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    @property
    def lines(self):
        return self.log.read_text(encoding="utf-8").splitlines()

    def expect(self, words):
        wait_until(lambda: any(words in line for line in self.lines), f"{words!r} among {self.lines}")

    def check(self):
        """The exit code of --check and what it prints."""
        done = subprocess.run([*self.command, "--check"], env=self.environment,
                              capture_output=True, check=False, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr


class ToolRotation(Rotation):
    """The same with `plumb desktop`."""

    def __init__(self, *arguments, **rotate):
        super().__init__(*arguments, **rotate)
        self.command = [PLUMB, "desktop", "--rotate", "auto", "--settings", self.settings]


class Desktop(unittest.TestCase):
    """What all tests do."""

    def begin(self, *contexts):
        return [self.enterContext(context) for context in contexts]

    def expect(self, server, **transforms):
        wanted = {name.replace("_", "-"): transform for name, transform in transforms.items()}
        wait_until(lambda: server.transforms() == wanted, f"{wanted}")

    def expect_rest(self, server):
        """Nothing turns for a while."""
        before, end = server.transforms(), time.monotonic() + WATCHED
        while time.monotonic() < end:
            self.assertEqual(server.transforms(), before)
            time.sleep(0.1)

    def turn_around(self, server, owner, name, transforms):
        for pose, transform in transforms.items():
            owner.turn(pose)
            wait_until(lambda wanted=transform: server.transforms()[name] == wanted, f"{pose}: {transform}")
        owner.turn("landscapeRight")
        wait_until(lambda: server.transforms()[name] == transforms["landscapeRight"], "it turns again")
        owner.turn("faceUp")
        owner.fail()
        self.expect_rest(server)

    def expect_upper_edges(self, panel, width, height, owner):
        """The upper edge of the picture is at the edge of the panel that is up. Only there is the bar's colour."""
        middles = {"top": (width // 2, 10), "bottom": (width // 2, height - 10), "left": (10, height // 2),
                   "right": (width - 10, height // 2)}
        with Client(panel.display) as eye:
            for pose, edge in EDGES.items():
                owner.turn(pose)
                wait_until(lambda wanted=edge: [name for name, (x, y) in middles.items() if eye.pixel(x, y) == BAR]
                           == [wanted], f"{pose}: the {edge} edge is up")


class LabwcTests(Desktop):
    """labwc, the desktop of Raspberry Pi OS."""

    def test_turns_with_each_pose_and_back_at_the_end(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner())
        server.tool("wlr-randr", "--output", "HEADLESS-1", "--transform", "180")
        rotation, = self.begin(Rotation(server, owner.address))
        self.turn_around(server, owner, "HEADLESS-1", WAYLAND)
        self.assertEqual(rotation.end(), 0)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "180"})

    def test_turns_with_a_real_board(self):
        server, = self.begin(WaylandServer("labwc"))
        path = server.folder / "board"
        words = ["run", "--motion", "portraitUpsideDown", "--duration", "3600", "--share", f"unix:{path}"]
        with subprocess.Popen([PLUMB, *words], stdout=subprocess.DEVNULL, env=server.environment()) as owner:
            wait_until(lambda: listens(path), "the board is shared")
            self.begin(Rotation(server, f"unix:{path}"))
            self.expect(server, HEADLESS_1="180")
            owner.terminate()

    def test_turns_again_after_a_crash_of_the_compositor(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner("landscapeLeft"))
        rotation, = self.begin(Rotation(server, owner.address))
        self.expect(server, HEADLESS_1="270")
        server.kill()
        rotation.expect("no graphical session")
        server.start()
        self.expect(server, HEADLESS_1="270")
        self.assertEqual(sum("no graphical session" in line for line in rotation.lines), 1)
        self.assertEqual(rotation.end(signal.SIGINT), 0)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "normal"})

    def test_turns_only_what_is_named_among_several(self):
        server, owner = self.begin(WaylandServer("labwc", outputs=2), ScriptedOwner("landscapeLeft"))
        unclear, = self.begin(Rotation(server, owner.address))
        unclear.expect("Set output = NAME in [rotate]; on: HEADLESS-")
        code, text = unclear.check()
        self.assertEqual(code, 69, text)
        self.begin(Rotation(server, owner.address, output="HEADLESS-2"))
        self.expect(server, HEADLESS_1="normal", HEADLESS_2="270")

    def test_key_signal_and_pose_lock_it(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner("landscapeRight"))
        rotation, = self.begin(Rotation(server, owner.address, lock="yes", lock_pose="faceDown"))
        self.expect_rest(server)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "normal"})
        rotation.process.send_signal(signal.SIGUSR1)
        self.expect(server, HEADLESS_1="90")
        owner.turn("faceDown")
        rotation.expect("rotation locked")
        owner.turn("landscapeLeft")
        self.expect_rest(server)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "90"})

    def test_the_signal_locks_the_tool_too(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner("landscapeRight"))
        rotation, = self.begin(ToolRotation(server, owner.address))
        self.expect(server, HEADLESS_1="90")
        rotation.process.send_signal(signal.SIGUSR1)
        rotation.expect("rotation locked")
        owner.turn("landscapeLeft")
        self.expect_rest(server)
        rotation.process.send_signal(signal.SIGUSR1)
        self.expect(server, HEADLESS_1="270")
        self.assertEqual(rotation.end(signal.SIGHUP), 0)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "normal"})

    def test_a_mirrored_output_is_mirrored_again_at_the_end(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner("landscapeRight"))
        server.tool("wlr-randr", "--output", "HEADLESS-1", "--transform", "flipped-90")
        rotation, = self.begin(Rotation(server, owner.address))
        self.expect(server, HEADLESS_1="90")
        self.assertEqual(rotation.end(), 0)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "flipped-90"})

    def test_says_what_it_finds_and_what_is_missing(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner())
        rotation, = self.begin(Rotation(server, owner.address))
        code, text = rotation.check()
        self.assertEqual(code, 0, text)
        for words in ("Wayland", "wlr-randr", "output: HEADLESS-1, normal", "turns: HEADLESS-1",
                      'mapToOutput="HEADLESS-1"'):
            self.assertIn(words, text)
        for words, environment in (
                ("sudo apt install wlr-randr", {"PATH": "/nonexistent"}),
                ("[sensor-proxy]", {"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}),
                ("no graphical session", {"WAYLAND_DISPLAY": None, "XDG_RUNTIME_DIR": "/nonexistent"})):
            with self.subTest(words):
                with Rotation(server, owner.address, environment) as rotation:
                    code, text = rotation.check()
                    self.assertEqual((code, words in text), (69, True), text)
                    self.assertEqual(rotation.process.wait(timeout=60), 69)
                    rotation.expect(words)

    def test_a_tool_that_hangs_is_killed_and_one_that_fails_is_reported_once(self):
        server, owner = self.begin(WaylandServer("labwc"), ScriptedOwner("landscapeLeft"))
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "wlr-randr").write_text(
            '#!/bin/sh\n[ ! -e "$0.hang" ] || sleep 600\n'
            'if [ -e "$0.fail" ]; then date +%N; echo >>"$0.fail"; exit 1; fi\n'
            f'exec {tools()}/wlr-randr "$@"\n', encoding="utf-8")
        (folder / "wlr-randr").chmod(0o755)
        rotation, = self.begin(Rotation(server, owner.address, {"PATH": f"{folder}:{tools()}:/usr/bin:/bin"}))
        self.expect(server, HEADLESS_1="270")
        (folder / "wlr-randr.hang").touch()
        rotation.expect("did not end within 5 s")
        failures = folder / "wlr-randr.fail"
        failures.touch()
        (folder / "wlr-randr.hang").unlink()
        wait_until(lambda: failures.stat().st_size >= 3, "the tool has failed three times")
        self.assertEqual(sum("wlr-randr failed: " in line for line in rotation.lines), 1, rotation.lines)
        failures.unlink()
        owner.turn("portrait")
        self.expect(server, HEADLESS_1="normal")


class SwayTests(Desktop):
    """sway, which maps touch screens by command, and whose outputs can be unplugged."""

    def test_turns_with_each_pose_and_back_at_the_end(self):
        server, owner = self.begin(WaylandServer("sway"), ScriptedOwner())
        rotation, = self.begin(Rotation(server, owner.address))
        self.turn_around(server, owner, "HEADLESS-1", WAYLAND)
        self.assertEqual(rotation.end(), 0)
        self.assertEqual(server.transforms(), {"HEADLESS-1": "normal"})
        self.assertFalse([line for line in rotation.lines if "touch" in line])

    def test_turns_again_after_a_crash_of_the_compositor(self):
        # Its next socket for commands has another name.
        server, owner = self.begin(WaylandServer("sway"), ScriptedOwner("landscapeLeft"))
        self.begin(Rotation(server, owner.address))
        self.expect(server, HEADLESS_1="270")
        server.kill()
        server.start()
        self.expect(server, HEADLESS_1="270")

    def test_an_output_is_unplugged_and_another_plugged_in(self):
        server, owner = self.begin(WaylandServer("sway"), ScriptedOwner("landscapeLeft"))
        self.begin(Rotation(server, owner.address))
        self.expect(server, HEADLESS_1="270")
        server.tool("swaymsg", "create_output")
        other, = set(server.transforms()) - {"HEADLESS-1"}
        self.expect_rest(server)
        server.tool("swaymsg", "output", "HEADLESS-1", "unplug")
        wait_until(lambda: server.transforms() == {other: "270"}, f"{other} turns instead")

    def test_a_named_output_goes_off_and_on(self):
        server, owner = self.begin(WaylandServer("sway", outputs=2), ScriptedOwner("landscapeLeft"))
        rotation, = self.begin(Rotation(server, owner.address, output="HEADLESS-2"))
        self.expect(server, HEADLESS_1="normal", HEADLESS_2="270")
        server.tool("swaymsg", "output", "HEADLESS-2", "disable")
        rotation.expect("output HEADLESS-2 is not connected, or off; on: HEADLESS-1")
        owner.turn("portraitUpsideDown")
        server.tool("swaymsg", "output", "HEADLESS-2", "enable")
        self.expect(server, HEADLESS_1="normal", HEADLESS_2="180")

    def test_turns_the_picture_against_the_board(self):
        panel, owner = self.begin(XServer("Xvfb", "-screen", "0", "1024x768x24"), ScriptedOwner())
        server, = self.begin(WaylandServer("sway", DISPLAY=panel.display, WLR_BACKENDS="x11"))
        self.begin(Rotation(server, owner.address))
        self.expect_upper_edges(panel, 1024, 768, owner)


class X11Tests(Desktop):
    """X servers: Xephyr turns; a dummy with a touch screen of the tests of Xorg is touched."""

    def test_turns_with_each_pose_and_back_at_the_end(self):
        (server, _), owner = self.begin(turning_x_server(), ScriptedOwner())
        rotation, = self.begin(Rotation(server, owner.address))
        self.turn_around(server, owner, "default", X11)
        self.assertEqual(rotation.end(), 0)
        self.assertEqual(server.transforms(), {"default": "normal"})

    def test_turns_the_picture_against_the_board(self):
        (server, panel), owner = self.begin(turning_x_server(), ScriptedOwner())
        picture, = self.begin(Client(server.display))
        picture.fill(0, 0, 640, 40, BAR)
        self.begin(Rotation(server, owner.address))
        self.expect_upper_edges(panel, 640, 480, owner)

    def test_the_touch_screen_follows_the_output(self):
        server, owner = self.begin(TouchedXServer(), ScriptedOwner())
        # The output covers half of the screen in each direction.
        server.tool("xrandr", "--fb", "1600x1200")
        self.assertEqual(server.matrix(), [1, 0, 0, 0, 1, 0, 0, 0, 1])
        rotation, = self.begin(Rotation(server, owner.address))
        wait_until(lambda: server.matrix() == [0.5, 0, 0, 0, 0.5, 0, 0, 0, 1], "the touch screen is mapped")
        code, text = rotation.check()
        self.assertEqual((code, "touch screens: 1" in text), (0, True), text)
        # The driver cannot turn it.
        owner.turn("landscapeLeft")
        rotation.expect("cannot use rotation")
        self.assertEqual(rotation.end(), 0)


if __name__ == "__main__":
    unittest.main()
