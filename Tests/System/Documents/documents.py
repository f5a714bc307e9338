"""Runs every code block of the documentation and checks the names in its text. See README.md in this folder.

    documents.py [--root FOLDER] [--release FOLDER] [PAGE...]
"""

import argparse
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import data
import elsewhere
import excerpts
import fields
import helps
import pages
from programs import Compiler, Program
from project import NotBuilt, Project
from prose import Prose
from sandbox import Sandbox
from shell import Shell

SHELL = ("sh", "shell", "bash", "console", "python")
WIRE = re.compile(r"^\s*(?:[\d.]+\s+)?S \| .* \| (?:P|! \w+)$")


class PageTest:
    """One page: its blocks in order."""

    def __init__(self, project, compiler, page):
        self.project, self.ledger, self.compiler, self.page = project, project.ledger, compiler, page
        self.shell = None
        self.programs = []  # not yet compiled, because the page may continue them

    def run(self):
        for place, words in self.page.complaints:
            self.ledger.fault(place, words)
        try:
            for block in self.page.blocks:
                self.block(block)
            for program in self.programs:
                self.finish(program)
        finally:
            if self.shell:
                self.shell.sandbox.end()

    def session(self):
        if self.shell is None:
            self.shell = Shell(self.project, Sandbox(self.project))
        return self.shell

    def block(self, block):
        marker = block.marker("not run") or block.marker("in") or block.marker("output") or block.marker("drawing")
        if marker:
            {"not run": self.excuse, "in": self.excerpt, "output": self.output, "drawing": self.drawing}[marker.word](
                block, marker)
        elif block.language in SHELL:
            self.session().execute(block)
        elif block.language == "commands":
            self.session().listing(block)
        elif block.language == "names":
            self.session().names(block)
        elif block.language in ("swift", "c"):
            self.code(block)
        elif block.language == "ini":
            data.check_board(self.project, block)
        elif block.language == "json":
            data.check_json(self.project, block)
        elif block.language in ("text", "wire") and all(WIRE.match(line) for line in block.lines if line.strip()):
            self.ledger.count("drawings of the wire")
        else:
            language = block.language or "without a language"
            self.ledger.fault(block.place, f"nothing says how to try this block ({language}): see Tests/System/Documents/README.md")

    def excuse(self, block, marker):
        """A block that is not run must say why, and what tests it."""
        match = re.fullmatch(r"because (.+); tested by (.+)", marker.rest, re.DOTALL)
        if not match:
            self.ledger.fault(block.place, "the marker must read: not run, because WHY; tested by WHAT")
            return
        for what in re.split(r",? and |, ", match[2].strip()):
            target = re.fullmatch(r"make ([a-z-]+)", what)
            if what != "nothing" and not (target and target[1] in self.project.targets) and not os.path.exists(
                    os.path.join(self.project.root, what)):
                self.ledger.fault(block.place, f'the marker names "{what}", which is neither a file nor a target of make')
                return
        kind = "neither run here nor tested by anything" if match[2].strip() == "nothing" else "tested elsewhere"
        self.ledger.tell(kind, block.place, " ".join(marker.rest.split()))

    def excerpt(self, block, marker):
        excerpts.check(self.project, block, marker)

    def drawing(self, block, _):
        self.ledger.count("drawings")

    def output(self, block, marker):
        if self.programs and not marker.rest.startswith("of ") and self.last_is_program(block):
            self.programs[-1].shown.append(block)
        else:
            self.session().output(block, marker)

    def last_is_program(self, block):
        before = [other for other in self.page.blocks if other.line < block.line and not other.marker("output")]
        return bool(before) and before[-1] in self.programs[-1].blocks

    def code(self, block):
        if block.marker("continues"):
            same = [program for program in self.programs if program.language == block.language]
            if same:
                same[-1].add(block)
                return
            self.ledger.fault(block.place, f"there is no block of {block.language} before this that it could continue")
        self.programs.append(Program(block))

    def finish(self, program):
        printed = self.compiler.try_out(program)
        for block in program.shown:
            if printed is not None:
                self.session().compare(block, block.lines, printed, False)


def main():
    options = argparse.ArgumentParser(description="Executes every code block of the documentation.")
    options.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
    options.add_argument("--release", default=".build/release", help="where the release build is, from the root")
    options.add_argument("pages", nargs="*", help="these pages only, by their paths from the root")
    chosen = options.parse_args()
    root = os.path.realpath(chosen.root)
    try:
        project = Project(root, os.path.join(root, chosen.release))
        compiler = Compiler(root, project.release, project.ledger)
    except NotBuilt as problem:
        sys.exit(f"documents: {problem}")
    tests = []
    read = [pages.read(path, project.text(path)) for path in chosen.pages or project.paths]
    # The blocks of a page run in order, so pages with many take longest, and begin first.
    for page in sorted(read, key=lambda page: -len(page.blocks)):
        tests += [PageTest(project, compiler, page).run, Prose(project, page).check]
    if not chosen.pages:
        tests += [PageTest(project, compiler, page).run for page in [*elsewhere.comments(root), *elsewhere.manuals(root)]]
        tests += [*helps.tasks(project), partial(fields.check, project), partial(elsewhere.mentions, project)]
    # Most of the time the examples wait for the emulated board.
    with ThreadPoolExecutor(max_workers=16) as pool:
        for result in [pool.submit(test) for test in tests]:
            result.result()
    shutil.rmtree(compiler.work, ignore_errors=True)
    print(project.ledger.summary())
    sys.exit(1 if project.ledger.faults else 0)


if __name__ == "__main__":
    main()
