"""Commands on a page, run in a sandbox as a reader would type them."""

import os
import re

import commands
import outputs


class Shell:
    """Runs the blocks of one page, in order, in one sandbox."""

    def __init__(self, project, sandbox):
        self.project, self.ledger = project, project.ledger
        self.sandbox = sandbox
        self.printed = ""  # by the preceding block

    def text_of(self, name):
        for folder in (self.sandbox.clone, os.path.join(self.sandbox.clone, "boards")):
            for path in (os.path.join(folder, name), os.path.join(folder, name + ".ini")):
                if os.path.isfile(path):
                    with open(path, encoding="utf-8", errors="replace") as file:
                        return file.read()
        return ""

    def execute(self, block):
        """Runs a block of shell, console or Python."""
        self.printed = ""
        given = block.marker("given")
        if given and not self.command(block.place, given.rest, None):
            return
        if block.language == "console":
            self.console(block)
            return
        if block.language == "python":
            with open(os.path.join(self.sandbox.temporary, "example.py"), "w", encoding="utf-8") as file:
                file.write(block.text)
            # The sandbox has this folder for /tmp. The modules of the clone are those of this project: nothing is left there.
            self.command(block.place, "python3 -B /tmp/example.py", block)
            return
        every = commands.statements(block.text)
        for command in every:
            if not self.command(block.place, command, block if command is every[-1] else None):
                return

    def console(self, block):
        command, shown = None, []
        steps = []
        for line in block.lines:
            if line.startswith("$ "):
                if command is not None:
                    steps.append((command, shown))
                command, shown = line[2:], []
            elif command is None:
                self.ledger.fault(block.place, "the first line of a console block is no command")
                return
            elif command.endswith("\\"):
                command += "\n" + line.removeprefix("> ")
            else:
                shown.append(line)
        steps.append((command, shown))
        for number, (command, shown) in enumerate(steps):
            before = len(self.printed)
            if not self.command(block.place, command, block if number == len(steps) - 1 else None):
                return
            if any(line.strip() for line in shown):
                self.compare(block, shown, self.printed[before:], True)

    def compare(self, block, shown, printed, is_whole):
        differ = block.marker("numbers differ") or any(
            marker.word == "output" and marker.rest.endswith("numbers differ") for marker in block.markers)
        if outputs.matches(shown, printed, bool(differ), is_whole):
            self.ledger.count("outputs compared" if not differ else "outputs compared but for their numbers")
        else:
            self.ledger.fault(block.place, "this is not what is printed:\n" + outputs.difference(shown, printed))

    def output(self, block, marker):
        """A block that shows what a command printed."""
        command = re.sub(r",? *numbers differ$", "", marker.rest)
        if command:
            self.printed = ""
            if not self.command(block.place, command.removeprefix("of ").strip("`"), None):
                return
        self.compare(block, block.lines, self.printed, False)

    def command(self, place, command, block):
        """Runs one command; returns False if the rest of the block no longer makes sense."""
        words = commands.split(command)
        if commands.is_dangerous(command):
            self.ledger.fault(place, f"`{command}` is nothing that a test may run: it needs the marker `not run`")
            return False
        if commands.program_of(words) == "make":
            return self.make(place, words, command)
        on_hardware = commands.is_plumb(words) and commands.is_on_hardware(words, self.text_of)
        if commands.is_plumb(words) and words[1:2] == ["serve"]:
            self.sandbox.reserve_ports()
            port = commands.port_of(words)
            if port and commands.is_taken(port):
                self.ledger.tell(f"not run, because another program has port {port}", place, command)
                return True
        endless = not command.endswith("&") and commands.is_plumb(words) and commands.has_no_end(words, on_hardware)
        keys = "q" if endless and words[1] == "watch" else None
        code, printed = self.sandbox.run(command, keys, endless and not keys, on_hardware)
        self.printed += printed
        return self.judge(place, command, block, code, printed)

    def judge(self, place, command, block, code, printed):
        expected = block and block.marker("exits")
        wanted = int(expected.rest) if expected else 0
        if code == wanted:
            self.ledger.count("commands run")
        else:
            how = "does not end" if code is None else f"ends with {code}, not {wanted}"
            self.ledger.fault(place, f"`{command}` {how}:\n        " + printed.strip()[-1500:].replace("\n", "\n        "))
            return False
        return True

    def make(self, place, words, command):
        """`make` is not run here; its targets must exist, and a test filter must match some tests."""
        names = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
        missing = [name for name in names if name not in self.project.targets]
        for name in missing:
            self.ledger.fault(place, f'`{command}`: the Makefile has no target "{name}"')
        self.project.check_filter(place, " ".join(words))
        if not missing:
            self.ledger.count("make commands whose targets exist")
        return not missing

    def listing(self, block):
        """A list of commands, each described after two or more spaces."""
        for line in block.lines:
            if line.strip() and not self.command(block.place, re.split(r"\s{2,}", line.strip())[0], None):
                return

    def names(self, block):
        """A list of all subcommands."""
        told = {re.split(r"\s{2,}", line.strip())[0] for line in block.lines if line.strip() and not line.startswith(" ")}
        there = {f"plumb {name}" for name in self.project.parser.commands}
        for name in sorted(told - there):
            self.ledger.fault(block.place, f"there is no command `{name}`")
        for name in sorted(there - told):
            self.ledger.fault(block.place, f"`{name}` is not in this list")
        self.ledger.count("lists of commands compared")


