"""Knowledge about the commands on a page: targets of make, subcommands and options of plumb, and what needs a Raspberry
Pi."""

import json
import re
import shlex
import socket
import subprocess

ENDLESS_ON_HARDWARE = ("run", "record", "mount", "calibrate", "vibration")
# These change the machine or contact another one. A test never runs them, so the page must say what happens to the
# block.
NEVER = ("sudo", "ssh", "scp", "apt", "apt-get", "dpkg", "systemctl", "journalctl", "poweroff", "reboot", "dd", "raspi-config")
ASK_THE_BUS = ("probe", "doctor")


def targets_of(makefile):
    """The targets of a Makefile that a user can run."""
    found = set()
    makefile = makefile.replace("\\\n", " ")
    for match in re.finditer(r"^([a-z][\w -]*):(?!=)", makefile, re.MULTILINE):
        found.update(match[1].split())
    return found


class Parser:
    """What `plumb` understands, according to `--experimental-dump-help`."""

    def __init__(self, program):
        dump = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True, text=True).stdout
        self.root = json.loads(dump)["command"]
        self.commands = {command["commandName"]: command for command in self.root.get("subcommands", [])}
        self.commands.pop("help", None)

    def options(self, name=None):
        """The options of a subcommand, or of `plumb` itself, including their dashes."""
        command = self.commands[name] if name else self.root
        names = [name for argument in command.get("arguments", []) for name in argument.get("names") or []]
        return {("--" if name["kind"] == "long" else "-") + name["name"] for name in names}

    def all_options(self):
        return set().union(self.options(), *(self.options(name) for name in self.commands))

    def complaint(self, words):
        """What is wrong with the subcommand and options of `plumb …`; None if nothing is."""
        # What comes after -- belongs to another program.
        if "--" in words:
            words = words[:words.index("--")]
        words = [word for word in words if word not in ("…", "...", "|")]
        name = words[1] if len(words) > 1 and not words[1].startswith("-") else None
        if name == "help":
            return None
        if name and name not in self.commands:
            return f'plumb has no subcommand "{name}"'
        allowed = self.options(name)
        for word in words[1:]:
            option = word.split("=")[0].rstrip(".,;:)]").lstrip("[(")
            if re.fullmatch(r"--?[a-z][\w-]*", option) and option not in allowed:
                return f'plumb {name or ""} has no option "{option}"'.replace("  ", " ")
        return None


def split(command):
    """The words of a command, without what comes after it; [] if it is not a simple command."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return []
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    for end, word in enumerate(words):
        if word in ("|", "&&", "||", ";", ">", "<", "2>", "&") or word.startswith((">", "2>")):
            return words[:end]
    return words


def program_of(words):
    return words[0].rsplit("/", 1)[-1] if words else ""


def is_dangerous(command):
    """Whether a command contains anything that a test must not run."""
    return bool(re.search(r"(?<![\w./-])(" + "|".join(NEVER) + r")(?![\w./-])", command))


def is_plumb(words):
    return program_of(words) == "plumb"


def is_on_hardware(words, text_of):
    """Whether `plumb …` uses a real bus or real lines; `text_of` returns a file's text, or "" if there is none."""
    if len(words) < 2:
        return False
    board = next((after for word, after in zip(words, words[1:]) if word == "--board"), None)
    if board is None:
        return words[1] in ASK_THE_BUS or "/dev/i2c-1" in words
    return "raspberry-pi" in board or bool(re.search(r"^\s*bus\s*=\s*/dev/", text_of(board), re.MULTILINE))


def has_no_end(words, on_hardware):
    """Whether it runs until it is interrupted."""
    if len(words) < 2 or "--help" in words:
        return False
    if words[1] in ("serve", "watch"):
        return True
    if words[1] == "publish":
        # Without any of these it publishes the board of this machine.
        return not {"--from", "--settings", "--forget", "--duration"} & set(words)
    # A minute of recording takes too long to wait for: Ctrl-C ends it as the end of its time would.
    if "fast" not in words and "--duration" in words[:-1] and words[words.index("--duration") + 1] not in "12345":
        return True
    return on_hardware and words[1] in ENDLESS_ON_HARDWARE


def port_of(words):
    """The port on which `plumb serve` listens; 0 for any."""
    given = words[words.index("--listen") + 1] if "--listen" in words[:-1] else ":7586"
    return int(given.rpartition(":")[2])


def is_taken(port):
    """Whether a program on this machine uses a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def statements(text):
    """The commands of a shell block: whole lines, with continued lines joined."""
    found, begun = [], ""
    for line in text.split("\n"):
        begun += line + "\n"
        if not begun.strip() or begun.strip().startswith("#") and begun.count("\n") == 1:
            begun = ""
            continue
        open_end = line.rstrip().endswith("\\")
        if not open_end and subprocess.run(["bash", "-n", "-c", begun], capture_output=True, check=False).returncode == 0:
            found.append(begun.strip())
            begun = ""
    if begun.strip():
        found.append(begun.strip())
    return found
