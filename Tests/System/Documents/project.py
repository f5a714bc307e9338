"""The project that the pages describe: its pages, targets, tests and commands."""

import glob
import os
import re
import threading

import commands
from ledger import Ledger

# Sources with the options of the daemon, the model and the test programs, for which no parser lists them.
OTHER_PROGRAMS = ("Sources/Programs/plumbd", "Tests/System/Figures", "Tests/Proofs/Gates", "Tests/System/RaspberryPi", "Tests/System/Packages")
PATTERNS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "Sources/**/*.docc/**/*.md", "Tests/**/*.md")


class NotBuilt(Exception):
    """Something that must be built first is missing."""


class Project:
    """`root` is the clone, `release` the folder of a finished build: the tool, the bridge and all modules."""

    def __init__(self, root, release):
        self.root, self.release = root, release
        self.ledger = Ledger()
        self.ports = threading.Lock()  # held by the sandbox that serves something
        self.plumb = os.path.join(release, "plumb")
        self.bridge = os.path.join(release, "libPlumbBridge.so")
        self.lines = os.path.join(root, "build", "documents", "liblines.so")
        self.paths = sorted({
            os.path.relpath(path, root) for pattern in PATTERNS
            for path in glob.glob(os.path.join(root, pattern), recursive=True) if "/.build" not in path})
        with open(os.path.join(root, "Makefile"), encoding="utf-8") as file:
            self.targets = commands.targets_of(file.read())
        self.tests = tests(root)
        for path, command in ((self.plumb, "build"), (self.bridge, "bridge"), (self.lines, "test-docs")):
            if not os.path.exists(path):
                raise NotBuilt(f"{os.path.relpath(path, root)} is not there: make {command}")
        self.parser = commands.Parser(self.plumb)
        self.options = self.parser.all_options() | options_of_others(root)

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def check_filter(self, place, command):
        """If a command filters tests, the filter must match some."""
        match = re.search(r"(?:--filter[ =]|\bFILTER=)([^ \"]+)", command.replace("'", ""))
        if not match or re.fullmatch(r"[A-Z]|…", match[1]):
            return
        if any(re.search(match[1], test) for test in self.tests):
            self.ledger.count("filters that find tests")
        else:
            self.ledger.fault(place, f'no test matches "{match[1]}"')


def tests(root):
    """The names of all tests, as filters see them: module, suite and function."""
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        modules = re.findall(r'\btests\(\s*of: "(\w+)", in: "([^"]+)"', file.read())
    found = set()
    for subject, layer in modules:
        module = f"{subject}Tests"
        for path in glob.glob(os.path.join(root, "Tests", layer, subject, "**", "*.swift"), recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            suites = re.findall(r"^(?:@Suite(?:\(.*\))? )?(?:\w+ )*(?:struct|extension|enum|class) (\w+)", text, re.MULTILINE)
            names = re.findall(r"@Test\b[\s\S]*?\bfunc (`[^`]+`|\w+)", text)
            found.update(f"{module}.{suite}/{name}" for suite in suites for name in names)
            found.update(f"{module}.{name}" for name in names)
    return found


def options_of_others(root):
    """Every word that looks like an option in the sources of other programs."""
    found = set()
    for folder in OTHER_PROGRAMS:
        for path in glob.glob(os.path.join(root, folder, "**", "*"), recursive=True):
            if os.path.isfile(path) and path.endswith((".swift", ".c", ".py", ".sh")):
                with open(path, encoding="utf-8", errors="replace") as file:
                    found.update(re.findall(r"(?<![\w-])--[a-z][\w-]+", file.read()))
    return found
