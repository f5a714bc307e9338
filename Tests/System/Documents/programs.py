"""Swift and C on a page: compiled with warnings as errors against the built modules, and run."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

from processes import PATIENCE
from project import NotBuilt

# The layers whose modules are in no library.
SERVICES = ("Desktop", "Fleet", "Programs")
# The C modules that the examples' modules depend on.
SHIMS = ("CSupport", "CConnect")
STRICT_C = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror")


class Program:
    """Blocks of one language on one page that form one program."""

    def __init__(self, block):
        self.language = block.language
        self.blocks = []
        self.hidden = []
        self.shown = []  # (block, marker) of the outputs that the page shows
        self.add(block)

    def add(self, block):
        given = block.marker("given")
        self.blocks.append(block)
        self.hidden.append(given.rest if given else "")

    @property
    def place(self):
        return self.blocks[0].place

    def asks_hardware(self):
        return "import PlumbLinux" in self.source()

    def marker(self, word):
        return next((block.marker(word) for block in self.blocks if block.marker(word)), None)

    def source(self):
        """The text, with line directives that let the compiler name the page."""
        parts = []
        for block, hidden in zip(self.blocks, self.hidden):
            parts += [hidden] if hidden else []
            if self.language == "swift":
                where = f'#sourceLocation(file: "{block.page}", line: {block.line})\n'
                parts.append(where + block.text + "\n#sourceLocation()")
            else:
                parts.append(f'#line {block.line} "{block.page}"\n{block.text}')
        return "\n".join(parts) + "\n"


def in_a_function(source):
    """The same program with everything but its imports in one function, and a call of it."""
    lines = source.split("\n")
    imports = [line for line in lines if re.match(r"(public |internal |package )?import ", line)]
    rest = ["" if line in imports else line for line in lines]
    return "\n".join([*imports, "func example() throws {", *rest, "}", "try example()", ""])


def modules(root):
    """The names of the modules that a program may import: Sources/LAYER/MODULE."""
    return {os.path.basename(path) for path in glob.glob(os.path.join(root, "Sources", "*", "*"))
            if os.path.basename(os.path.dirname(path)) not in SERVICES}


def compiler():
    """The Swift compiler that belongs to the `swift` that built the project."""
    swift = shutil.which(os.environ.get("SWIFT", "swift")) or "swift"
    beside = os.path.join(os.path.dirname(swift), "swiftc")
    return beside if os.path.exists(beside) else "swiftc"


class Compiler:
    """Compiles programs of the pages against `release`, the folder of the release build."""

    def __init__(self, root, release, ledger):
        self.root, self.release, self.ledger = root, release, ledger
        self.work = tempfile.mkdtemp(prefix="plumb-documents-programs-")
        self.archive = os.path.join(self.work, "libplumb-swift.a")
        self.number = 0

        self.gather()

    def gather(self):
        """Puts the object files of the release build into one archive."""
        objects = [path for shim in SHIMS for path in glob.glob(os.path.join(self.release, f"{shim}.build", "*.c.o"))]
        for module in sorted(modules(self.root)):
            folder = os.path.join(self.release, f"{module}.build")
            if not os.path.exists(os.path.join(folder, "sources")):
                continue
            with open(os.path.join(folder, "sources"), encoding="utf-8") as file:
                names = [os.path.basename(line.strip().strip("'\"")) for line in file if line.strip()]
            made = [os.path.join(folder, f"{name}.o") for name in names]
            # Skip a module for which the build needed no objects.
            if all(os.path.exists(path) for path in made):
                objects += made
        if not any("FixedPoint.build" in name for name in objects):
            raise NotBuilt(f"{self.release} has no FixedPoint.build: make build")
        # Append, do not replace: files of two modules may have the same name.
        subprocess.run(["ar", "qcs", self.archive, *objects], check=True)

    def maps(self):
        """The options that tell the Swift compiler where to find the C modules that Swift modules import."""
        paths = [os.path.join(self.release, f"{shim}.build", "module.modulemap") for shim in SHIMS]
        return [word for path in paths for word in ("-Xcc", f"-fmodule-map-file={path}")]

    def try_out(self, program):
        """Compiles and runs a program, and compares its output with what the page shows."""
        self.number += 1
        name = os.path.join(self.work, f"example{self.number}")
        build = self.swift if program.language == "swift" else self.c
        result = build(program, name)
        if result.returncode != 0:
            words = "\n        ".join(result.stderr.strip().split("\n")[:16])
            self.ledger.fault(program.place, f"does not compile:\n        {words}")
            return None
        kind = "Swift programs" if program.language == "swift" else "C programs"
        if not os.path.exists(name):
            self.ledger.count(f"{kind} compiled")
            return None
        only = program.marker("compiled only")
        if not only and program.asks_hardware() and glob.glob("/dev/gpiochip*") + glob.glob("/dev/i2c-*"):
            self.ledger.tell(f"{kind} compiled only", program.place, "because this machine has a bus or lines of its own")
            return None
        if only:
            self.ledger.tell(f"{kind} compiled only", program.place, only.rest)
            return None
        return self.run(program, name, kind)

    def run(self, program, name, kind):
        try:
            result = subprocess.run(
                [name], capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=self.work)
        except subprocess.TimeoutExpired:
            self.ledger.fault(program.place, "does not end")
            return None
        exits = program.marker("exits")
        wanted = int(exits.rest) if exits else 0
        if result.returncode != wanted:
            words = (result.stdout + result.stderr).strip()[-1500:].replace("\n", "\n        ")
            self.ledger.fault(program.place, f"ends with {result.returncode}, not {wanted}:\n        {words}")
            return None
        self.ledger.count(f"{kind} run")
        return result.stdout + result.stderr

    def swift(self, program, name):
        source = program.source()
        if program.marker("inside a function"):
            source = in_a_function(source)
        path = name + ".swift"
        self.write(path, source)
        modules = os.path.join(self.release, "Modules")
        # An example in a comment may define things that it does not use.
        strictness = "-suppress-warnings" if program.blocks[0].page.endswith(".swift") else "-warnings-as-errors"
        return subprocess.run(
            [compiler(), "-swift-version", "6", strictness, "-I", modules,
             *self.maps(), "-module-name", "Example", path, self.archive,
             "-lgpiod", "-li2c", "-linih", "-o", name],
            capture_output=True, text=True, check=False, cwd=self.work)

    def c(self, program, name):
        path = name + ".c"
        self.write(path, program.source())
        include = os.path.join(self.root, "Sources", "Core", "CoreABI", "include")
        arguments = [os.environ.get("CC", "gcc"), *STRICT_C, "-I", include, path]
        library = os.path.join(self.root, "build", "core", f"{os.uname().machine}-linux", "libplumb.a")
        if os.uname().machine != "x86_64":
            library = library.replace("-linux", "")
        if re.search(r"\bint main\(", program.source()) and os.path.exists(library):
            arguments += [library, "-lm", "-o", name]
        else:
            arguments.append("-fsyntax-only")
        return subprocess.run(arguments, capture_output=True, text=True, check=False)

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
