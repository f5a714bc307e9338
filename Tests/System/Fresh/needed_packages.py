"""Finds programs that a target of `make` calls and that `scripts/setup.sh` does not install for it.

    needed_packages.py [--root FOLDER] [TARGET...]      all targets of `make help` by default
    needed_packages.py --here GROUP...                  whether the programs of the groups' packages are on this machine

`make --dry-run` gives the scripts and groups of a target; a script's text gives what it calls (command_words.py); names
in the text give the scripts that it starts or imports; needed_packages.txt gives the package of a program. Runs and
installs nothing.

Exit codes: 0 nothing missing; 1 something is missing, one line each.
"""

import argparse
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

from command_words import ShellReader, python_calls, shell_calls, swift_calls

HERE = pathlib.Path(__file__).resolve().parent
BUILTINS = set(
    ". : [ alias bg break builtin cd command continue declare echo eval exec exit export false fg getopts hash help jobs kill let "
    "local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test times trap true type ulimit "
    "umask unalias unset wait".split())
# These read a script, they do not run it.
READERS = ("shellcheck", "clang-format", "gcc")
SCRIPT = re.compile(r"[\w./-]*[\w-]+\.(?:sh|py)\b")


class Table:
    """needed_packages.txt: the packages of a program, and what a script does not strictly need."""

    def __init__(self, path):
        self.packages, self.optional = {}, set()
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            left, right = (part.split() for part in line.split(":", 1))
            if left[-1] == "without":
                *targets, script, _ = left
                self.optional |= {(target, script, program) for target in targets or [None] for program in right}
            else:
                self.packages.update({program: set(left) for program in right})
        always = {"base", "swift"}
        self.installed = {program for program, packages in self.packages.items() if not packages & always}

    def programs(self, packages):
        return {program for program in self.installed if self.packages[program] & packages}


class Project:
    """The scripts of a project: what each calls, and which others it starts."""

    def __init__(self, root, table):
        self.root, self.table = root, table
        self.read = {}
        # Functions of scripts that others source.
        self.functions = set()

    def setup(self, *words):
        done = subprocess.run(["sh", "scripts/setup.sh", "--list", *words], cwd=self.root, check=True, capture_output=True, text=True)
        return {name for line in done.stdout.split() for name in line.split("|")}

    def targets(self):
        return re.findall(r"^([a-z][a-z-]*):.*##", (self.root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    def commands(self, target):
        """What `make` would run."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        done = subprocess.run(
            ["make", "--dry-run", "--no-print-directory", "--always-make", target, "SETUP=sh scripts/setup.sh"], cwd=self.root, env=environment, check=True,
            capture_output=True, text=True)
        return done.stdout

    def located(self, name, folder):
        """The script that a name in a script of that folder may refer to."""
        for place in (self.root, folder, self.root / "scripts", self.root / "Tests" / "Support" / "Python"):
            path = (place / name).resolve()
            if path.is_file() and path.is_relative_to(self.root):
                return {path}
        return set()

    def script(self, path):
        """The calls of a script, and the scripts that it names."""
        if path not in self.read:
            text = path.read_text(encoding="utf-8")
            named = set()
            if path.suffix == ".swift":
                calls = swift_calls(text)
            elif path.suffix == ".py":
                calls = python_calls(text, self.table.installed)
                for name in names_in_python(text):
                    named |= self.located(name, path.parent)
            else:
                calls = shell_calls(text, self.table.installed)
                self.functions |= functions(text)
                bare = re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE)
                for name in SCRIPT.findall(bare):
                    named |= self.located(name.lstrip("/"), path.parent)
                if "unittest" in bare:
                    for folder in re.findall(r"\bTests/[\w/]+", bare):
                        named |= set((self.root / folder).glob("test_*.py"))
            self.read[path] = calls, named - {path}
        return self.read[path]

    def scripts(self, text):
        """All scripts that the commands start, and those that these start in turn."""
        todo = set(self.root.glob("Tests/**/*.swift")) if re.search(r"--build-tests|\bswift test\b", text) else set()
        for line in text.splitlines():
            if not line.lstrip("@ ").startswith(READERS):
                for name in SCRIPT.findall(line):
                    todo |= self.located(name, self.root)
        found = set()
        while todo:
            path = todo.pop()
            # It installs the others and relies only on what is there.
            if path not in found and path.name != "setup.sh":
                found.add(path)
                todo |= self.script(path)[1]
        return found

    def missing(self, target):
        """Lines that report what is missing for a target."""
        text = self.commands(target)
        groups = {group for words in re.findall(r"^sh scripts/setup\.sh(.*)", text, re.MULTILINE) for group in words.split()}
        packages = self.setup(*sorted(groups)) if groups else set()
        calls = {(self.root / "Makefile", call) for call in shell_calls(text.replace("$$", "$"))}
        calls |= {(path, call) for path in self.scripts(text) for call in self.script(path)[0]}
        for path, call in sorted(calls):
            where = str(path.relative_to(self.root))
            program = call.program
            if program in BUILTINS or program in self.functions and program not in self.table.packages:
                continue
            if {(None, where, program), (target, where, program)} & self.table.optional or not re.fullmatch(r"[A-Za-z_][\w.+-]*", program):
                continue
            place = where if where == "Makefile" else f"{where}:{call.line}"
            of = self.table.packages.get(program)
            if of is None:
                yield f"{place}: {program}: of which package? Add it to Tests/System/Fresh/needed_packages.txt"
            elif not of & ({"base", "swift"} | packages) and not (program == "make" and where == "Makefile"):
                yield (f"{place}: {program}: `make {target}` needs {' or '.join(sorted(of))}, "
                       f"which scripts/setup.sh does not install for {' '.join(sorted(groups)) or 'it'}")


def names_in_python(text):
    """The scripts that a Python script imports or names in strings other than docstrings."""
    tree = ast.parse(text)
    documentation = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            documentation.add(node.body[0].value)
        if isinstance(node, ast.Import):
            yield from (f"{name.name}.py" for name in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield f"{node.module}.py"
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
            yield from (name.lstrip("/") for name in SCRIPT.findall(node.value))


def functions(text):
    reader = ShellReader(text)
    reader.read_commands()
    return reader.functions


def main():
    parser = argparse.ArgumentParser(description="Finds programs that no package is installed for.")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[2])
    parser.add_argument("--here", action="store_true")
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    table = Table(HERE / "needed_packages.txt")
    project = Project(chosen.root.resolve(), table)
    if chosen.here:
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        wanted = table.programs(project.setup(*chosen.names)) | (set(table.packages) - table.installed)
        lines = [f"{program}: not on this machine" for program in sorted(wanted - {"plumb", "sudo"}) if not shutil.which(program, path=path)]
    else:
        lines = sorted({line for target in chosen.names or project.targets() for line in project.missing(target)})
    for line in lines:
        print(f"needed: {line}")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
