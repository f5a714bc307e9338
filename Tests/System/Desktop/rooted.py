"""Compositors and X servers of Debian 13, without a screen: what a desktop's tests show things on.

They run in the folder that `root.sh` makes. Call `enter()` first.
"""

import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Support" / "Python")]
from processes import listens, plain_environment, take_signals_back, wait_until

take_signals_back()

# The colour of sway's bar.
BAR = 0xC02040


def enter():
    """Starts this program again with the machine's /proc, /dev and /tmp in the root, which ends with the program."""
    if os.environ.get("PLUMB_ROOTED") != str(os.getpid()):
        made = subprocess.run(["bash", str(HERE / "root.sh")], stdout=subprocess.PIPE, check=True, encoding="utf-8")
        more = [] if os.getuid() == 0 else ["--map-root-user"]
        # exec: the process stays the same.
        os.environ |= {"PLUMB_ROOTED": str(os.getpid()), "PLUMB_ROOT": made.stdout.strip()}
        os.execvp("unshare", ["unshare", *more, "--mount", *sys.orig_argv])
    for folder in ("dev", "proc", "tmp"):
        subprocess.run(["mount", "--rbind", f"/{folder}", f"{os.environ['PLUMB_ROOT']}/{folder}"], check=True)


@functools.cache
def tools():
    """A folder for PATH with the root's tools."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plumb-tools-"))
    for name in ("wlr-randr", "swaymsg", "xrandr", "xinput", "grim"):
        tool = folder / name
        tool.write_text(f'#!/bin/sh\nexec /usr/sbin/chroot "$PLUMB_ROOT" /usr/bin/{name} "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
    return folder


class Server:
    """A program of the root that shows screens. Use it in a `with` statement; `start` starts it again."""

    def __init__(self):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-screen-")
        self.folder = pathlib.Path(self.own.name)
        self.log = self.folder / "log"
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        self.own.cleanup()

    def start(self):
        """Starts it, and waits until it answers."""
        raise NotImplementedError

    def environment(self, **other):
        """What a program of this session has in its environment."""
        mine = {"PATH": f"{tools()}:/usr/bin:/bin", "PLUMB_ROOT": os.environ["PLUMB_ROOT"],
                "XDG_RUNTIME_DIR": str(self.folder)}
        return plain_environment(**mine | other)

    def begin(self, *words, environment, **options):
        with open(self.log, "ab") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(["/usr/sbin/chroot", os.environ["PLUMB_ROOT"], *words], env=environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)

    def kill(self):
        """Ends it as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @contextlib.contextmanager
    def starting(self, *words):
        """Another program of the root, in this session, for a while."""
        with subprocess.Popen(["/usr/sbin/chroot", os.environ["PLUMB_ROOT"], *words], env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                yield
            finally:
                process.kill()

    def tool(self, *words):
        """What one of the tools prints; its exit code must be 0."""
        done = subprocess.run(words, env=self.environment(), capture_output=True, check=False, encoding="utf-8")
        assert done.returncode == 0, f"{words}: {done.stderr}{done.stdout}\n{self.log.read_text(encoding='utf-8')}"
        return done.stdout


class WaylandServer(Server):
    """labwc or sway, with so many outputs."""

    def __init__(self, name, outputs=1, **variables):
        super().__init__()
        self.name = name
        self.variables = {
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_HEADLESS_OUTPUTS": str(outputs), "XDG_CONFIG_HOME": str(self.folder), "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder)} | variables
        (self.folder / "sway").mkdir()
        # Its bar shows where the upper edge of its picture is.
        (self.folder / "sway" / "config").write_text(
            "xwayland disable\nbar {\nposition top\nheight 40\nstatus_command true\n"
            f"colors {{\nbackground #{BAR:06x}\n}}\n}}\n", encoding="utf-8")

    def sockets(self, pattern):
        return [path for path in sorted(self.folder.glob(pattern)) if listens(path)]

    def start(self):
        self.begin(self.name, environment=super().environment(**self.variables))
        wait_until(lambda: self.sockets("wayland-[0-9]"), f"{self.name} listens")
        if self.name == "sway":
            wait_until(lambda: self.sockets("sway-ipc.*.sock"), "sway takes commands")

    def environment(self, **other):
        more = {"WAYLAND_DISPLAY": self.sockets("wayland-[0-9]")[0].name}
        if self.name == "sway":
            more["SWAYSOCK"] = str(self.sockets("sway-ipc.*.sock")[0])
        return super().environment(**more | other)

    def transforms(self):
        """The transform of each output that is on."""
        return {output["name"]: output["transform"] for output in json.loads(self.tool("wlr-randr", "--json"))
                if output["enabled"]}


class XServer(Server):
    """An X server of `words`, on the screen of another one if it is `inside` one."""

    def __init__(self, *words, inside=None):
        super().__init__()
        self.words, self.inside = words, inside
        self.display = None

    def start(self):
        pathlib.Path("/tmp/.X11-unix").mkdir(exist_ok=True)
        mine, its = os.pipe()
        display = [] if self.display is None else [self.display]
        variables = {"DISPLAY": self.inside.display} if self.inside else {}
        self.begin(self.words[0], *display, "-displayfd", str(its), "-noreset", *self.words[1:],
                   environment=super().environment(**variables), pass_fds=[its])
        os.close(its)
        with open(mine, encoding="ascii") as number:
            self.display = f":{int(number.readline())}"

    def environment(self, **other):
        return super().environment(**{"DISPLAY": self.display} | other)

    def transforms(self):
        """The rotation of each output."""
        found = re.findall(r"^(\S+) connected (?:primary )?[0-9x+]+ ?(\w*) \(", self.tool("xrandr", "--current"), re.M)
        return {name: rotation or "normal" for name, rotation in found}


@contextlib.contextmanager
def turning_x_server():
    """An X server whose screen can be turned, which Xvfb and the dummy driver cannot: Xephyr, in a window of Xvfb. And
    that one, whose pixels are those of the panel."""
    with XServer("Xvfb", "-screen", "0", "1024x1024x24") as outer, \
         XServer("Xephyr", "-screen", "640x480", inside=outer) as inner:
        yield inner, outer


# A screen that cannot be turned, and a touch screen that the tests of Xorg use.
TOUCHED = """
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoAddGPU" "false"
EndSection
Section "InputDevice"
  Identifier "touch screen"
  Driver "inputtest"
  Option "SocketPath" "FOLDER/touch"
  Option "DeviceType" "Touch"
EndSection
Section "Device"
  Identifier "dummy"
  Driver "dummy"
  VideoRam 32768
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5-1000
  VertRefresh 5-200
EndSection
Section "Screen"
  Identifier "screen"
  Device "dummy"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Modes "800x600"
  EndSubSection
EndSection
Section "ServerLayout"
  Identifier "layout"
  Screen "screen"
  InputDevice "touch screen"
EndSection
"""


class TouchedXServer(XServer):
    """An X server with a touch screen."""

    def __init__(self):
        super().__init__("/usr/lib/xorg/Xorg")
        configuration = self.folder / "xorg.conf"
        configuration.write_text(TOUCHED.replace("FOLDER", str(self.folder)), encoding="utf-8")
        self.words += ("-config", str(configuration), "-logfile", str(self.folder / "xorg.log"))

    def matrix(self):
        """The matrix that maps the touch screen to the screen."""
        properties = self.tool("xinput", "list-props", "touch screen")
        found = re.search(r"Coordinate Transformation Matrix \(\d+\):\t(.*)", properties)
        return [float(number) for number in found[1].split(", ")]
