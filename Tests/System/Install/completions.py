"""Tries the installed completions of plumb in bash, zsh and fish, as a user types them.

    python3 Tests/System/Install/completions.py PREFIX

PREFIX/bin/plumb is the program, and the scripts are where `make install` puts them. Each shell runs interactively on a
terminal of this script, which types a line and the tabulator key, and has the shell print its words.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE
from terminal import Terminal

PREFIX = pathlib.Path(sys.argv.pop(1)).resolve()
SHARE = PREFIX / "share"
PROGRAM = PREFIX / "bin" / "plumb"

# What is typed, and the completed last word. Spelled out here, so that a changed name must be changed here, too.
TYPED = [
    ("plumb rec", "record"),
    ("plumb help cal", "calibrate"),
    ("plumb interface --orien", "--orientations"),
    ("plumb run --motion tum", "tumble"),
    ("plumb calibrate --motion six-faces-", "six-faces-clumsy"),
    ("plumb run --show ste", "steering"),
    ("plumb run --show angles,sc", "angles,scroll"),
    ("plumb run --show scroll,angles,sh", "scroll,angles,shake"),
    ("plumb interface --orientations portrait,landscapeL", "portrait,landscapeLeft"),
    ("plumb read --relative-to faceD", "faceDown"),
    ("plumb wiring --format s", "svg"),
    ("plumb run --board raspberry-pi-mpu", "raspberry-pi-mpu6050"),
    ("plumb watch --board raspberry-pi-a", "raspberry-pi-adxl345"),
    ("plumb boards emulated-b", "emulated-binary"),
    ("plumb run --board min", "mine.ini"),
    ("plumb run --board fold", "folder/deeper/one.ini"),
    ("plumb run --board folder/dee", "folder/deeper/one.ini"),
    ("plumb run --board ~/at-ho", "~/at-home.ini"),
    ("plumb replay mov", "movement.csv"),
    ("plumb plot movement.csv --output pic", "picture.svg"),
]


def environment(home):
    """Only the program on the path, nothing from the environment of the test run."""
    return {
        "PATH": f"{PREFIX}/bin:/usr/bin:/bin", "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8",
        "XDG_DATA_DIRS": str(SHARE), "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local",
    }


class Shell(Terminal):
    """An interactive shell on a terminal."""

    def __init__(self, command, folder, home, begin):
        super().__init__(0, 0)
        self.process = self.start(command, cwd=folder, env=environment(home))
        self.type(f"{begin}; echo re''ady\n".encode())
        self.wait_for(rb"ready")

    def wait_for(self, pattern):
        """The first match of the pattern."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.unread)):
            data = self.take(end - time.monotonic())
            if not data:
                raise AssertionError(f"nothing like {pattern} in {self.unread!r}")
            # fish 4 asks what kind of terminal this is and waits for the answer.
            if b"\x1b[c" in data or b"\x1b[0c" in data:
                self.type(b"\x1b[?62c")
            self.unread += data
        self.unread = self.unread[found.end():]
        return found

    def words(self, line):
        """The words of the line after the tabulator key, as the shell would pass them to a program."""
        # C-a moves to the beginning of the line. The marks are split where typed, but joined where printed.
        self.type(f"{line}\t\x01printf '%s\\0' _'_BEGIN' \x05 _'_END'\n".encode())
        found = self.wait_for(rb"__BEGIN\0(.*?)__END\0")
        return found[1].decode().rstrip("\0").split("\0")

    def close(self):
        self.process.kill()
        self.process.wait()
        super().close()


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.scratch.name)
        cls.home, cls.folder = root / "home", root / "work"
        (cls.folder / "folder" / "deeper").mkdir(parents=True)
        (cls.folder / "folder" / ".hidden").mkdir()
        cls.home.mkdir()
        for name in ("mine.ini", "folder/deeper/one.ini", "folder/deeper/other.txt", "movement.csv", "picture.svg"):
            (cls.folder / name).touch()
        (cls.home / "at-home.ini").touch()
        told = subprocess.run([PROGRAM, "--experimental-dump-help"], check=True, capture_output=True)
        cls.commands = json.loads(told.stdout)["command"]["subcommands"]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_typed(self, shell):
        for line, last in TYPED:
            with self.subTest(line=line):
                wanted = [*line.split(" ")[:-1], last.replace("~", str(self.home))]
                self.assertEqual(shell.words(line), wanted)
        shell.close()

    def test_bash_as_typed(self):
        script = shlex.quote(str(SHARE / "bash-completion" / "completions" / "plumb"))
        begin = f"bind 'set enable-bracketed-paste off'; source {script}"
        command = ["/bin/bash", "--norc", "--noprofile", "-i"]
        self.run_typed(Shell(command, self.folder, self.home, begin))

    def test_zsh_as_typed(self):
        begin = f"unset zle_bracketed_paste; fpath=({shlex.quote(f'{SHARE}/zsh/site-functions')} $fpath); autoload -U compinit"
        begin += "; compinit -D -u; bindkey -e"
        command = ["/usr/bin/zsh", "-f", "-i"]
        self.run_typed(Shell(command, self.folder, self.home, begin))

    def test_fish_as_typed(self):
        # Nothing is sourced: fish finds the script on its own, below XDG_DATA_DIRS.
        self.run_typed(Shell(["/usr/bin/fish", "-i"], self.folder, self.home, "true"))

    def bash(self, line):
        """What bash offers, obtained by calling the function as bash does."""
        words = line.split(" ")
        script = (
            f"source {shlex.quote(f'{SHARE}/bash-completion/completions/plumb')}\n"
            f"COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}\n"
            f"COMP_LINE='{line}'; COMP_POINT={len(line)}\n"
            f"_plumb plumb '{words[-1]}' '{words[-2]}'\n"
            "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "--norc", "-c", script], cwd=self.folder, env=environment(self.home),
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return done.stdout.split()

    def test_every_command_and_option_is_offered(self):
        self.assertGreater(len(self.commands), 5)
        names = [c["commandName"] for c in self.commands]
        self.assertEqual(sorted(self.bash("plumb ")), sorted([*names, "--version", "--help", "-h"]))
        commands = [name for name in names if name != "help"]
        self.assertEqual(sorted(self.bash("plumb help ")), sorted(commands))
        for command in self.commands:
            if command["commandName"] == "help":
                continue
            names = [n for a in command["arguments"] if a["shouldDisplay"] for n in a.get("names", [])]
            options = ["--" + n["name"] for n in names if n["kind"] == "long"]
            with self.subTest(command=command["commandName"]):
                self.assertEqual(sorted(self.bash(f"plumb {command['commandName']} --")), sorted(options))

    def test_every_value_of_a_list_is_offered(self):
        lists = 0
        for command in self.commands:
            for argument in command.get("arguments", []):
                values = argument.get("completionKind", {}).get("list", {}).get("values")
                if values is None or argument["kind"] != "option":
                    continue
                lists += 1
                line = f"plumb {command['commandName']} --{argument['preferredName']['name']} "
                with self.subTest(line=line):
                    self.assertEqual(sorted(self.bash(line)), sorted(values))
        self.assertGreater(lists, 10)

    def test_options_that_name_a_board_offer_boards(self):
        boards = sorted(path.stem for path in (SHARE / "plumb" / "boards").glob("*.ini"))
        self.assertGreater(len(boards), 3)
        for command in self.commands:
            if any(n["name"] == "board" for a in command.get("arguments", []) for n in a.get("names", [])):
                with self.subTest(command=command["commandName"]):
                    self.assertEqual(sorted(self.bash(f"plumb {command['commandName']} --board ")),
                                     sorted([*boards, "mine.ini", "folder/"]))


if __name__ == "__main__":
    unittest.main()
