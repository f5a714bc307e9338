"""Changes the core in one place at a time, and reports which changes no test notices.

    mutate.py --scratch FOLDER [--seed N] [--count N] [--jobs N] [--modules NAME,…] [--files PATTERN] [--each]
              [--without TESTS,…] [--keep] [--fresh]

All changes are woven into one build, as alternatives that the environment variable MUTANT selects when the tests
start. For each change the tests of its module run, and those of the modules that depend on it, until one fails.

It works on a copy in FOLDER. Restarted with the same sources, tests, seed and count, it continues where it stopped.
With --keep, noticed changes stay noticed although tests have changed since: only survivors are tried again, except
known equivalents. With --fresh, survivors that equivalent.txt does not name are no error as long as enough changes
are noticed: that judges a seed that has not been worked on.

--modules and --files, a regular expression for paths, limit where changes are drawn; with --each, COUNT is the number
in each module. --without leaves out test targets, such as FaultMatrixTests, the slowest: then some survivors are none.

FOLDER/results.jsonl has the drawn changes and their results. Known equivalents: equivalent.txt beside this file.

Exit codes: 0 at least 95 % noticed in all, and 92 % in each module with ten or more counted changes, with each
survivor known as equivalent, and none of those noticed; 1 not.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from points import points_of
from weave import Mutant, declarations, woven

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
MODULES = ["FixedPoint", "Orientation", "Gestures", "Vibration", "Indication", "Sensors", "Monitor"]
TESTS = [name + "Tests" for name in (*MODULES, "Vectors", "Fusion", "FaultMatrix")]
# The required percentages; in a module only with enough counted changes that a single one does not decide.
LEAST, LEAST_IN_MODULE, FEWEST_IN_MODULE = 95, 92, 10
FEATURES = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]


class Package:
    """The part of Package.swift for the core and its tests."""

    def __init__(self, swift, tests):
        text = subprocess.run(
            [swift, "package", "--package-path", str(ROOT), "dump-package"], check=True, capture_output=True
        ).stdout
        self.targets = {target["name"]: target for target in json.loads(text)["targets"]}
        self.names = []
        for test in tests:
            self.add(test)

    def uses(self, name):
        return [next(iter(dependency.values()))[0] for dependency in self.targets[name]["dependencies"]]

    def add(self, name):
        """Adds a target after those that it uses, so `names` is an order in which they can be built."""
        if name in self.names:
            return
        for other in self.uses(name):
            self.add(other)
        self.names.append(name)

    def closure(self, name):
        return {name}.union(*(self.closure(other) for other in self.uses(name)))

    def path(self, name):
        return self.targets[name]["path"]

    def files(self, name):
        return sorted(str(path.relative_to(ROOT)) for path in (ROOT / self.path(name)).rglob("*.swift"))

    def manifest(self):
        """A package of these targets, and of the one that knows which mutant runs."""
        features = ", ".join(f'.enableUpcomingFeature("{name}")' for name in FEATURES)
        lines = ["// swift-tools-version: 6.2", "import PackageDescription", "let package = Package(", '  name: "mutation",']
        lines += ["  targets: [", '    .target(name: "Mutants", path: "Mutants"),']
        for name in self.names:
            target = self.targets[name]
            if target["type"] == "system":
                lines += [f'    .systemLibrary(name: "{name}", path: "{self.path(name)}"),']
                continue
            kind = ".testTarget" if target["type"] == "test" else ".target"
            uses = ", ".join(f'"{other}"' for other in [*self.uses(name), *(["Mutants"] if name in MODULES else [])])
            words = [f'name: "{name}"', f"dependencies: [{uses}]", f'path: "{self.path(name)}"']
            if target["exclude"]:
                words += ["exclude: [" + ", ".join(f'"{path}"' for path in target["exclude"]) + "]"]
            if target["resources"]:
                copies = ", ".join(f'.copy("{resource["path"]}")' for resource in target["resources"])
                words += [f"resources: [{copies}]"]
            words += [f"swiftSettings: [{features}]"]
            if name == "Emulation":
                words += ['linkerSettings: [.linkedLibrary("m")]']
            lines += [f"    {kind}({', '.join(words)}),"]
        return "\n".join([*lines, "  ]", ")", ""])


class Build:
    """The copy, with mutants in it."""

    def __init__(self, scratch, swift, package):
        self.scratch = scratch
        self.swift = swift
        self.package = package
        self.folder = scratch / "package"
        self.texts = {file: (ROOT / file).read_text() for name in MODULES for file in package.files(name)}

    def draw(self, seed, count, is_wanted, each, known):
        """`count` changes that compile, or so many in each module, drawn at random, in the order of the draw; and how
        many did not compile."""
        points = [point for file, text in self.texts.items() for point in points_of(file, text) if point.changes]
        twins = twins_of(points)
        found = {name for point in points for change in point.changes for name in names(point, change, twins)}
        if gone := [name for name in known if name not in found]:
            sys.exit("mutate: equivalent.txt names what the core does not have:\n" + "\n".join(gone))
        points = [point for point in points if is_wanted(point)]
        # By a digest of each place, so that other places that come and go do not change the draw.
        order = []
        for point in points:
            chance = digest(seed, point.name, point.code, point.kind, point.original, twins[point][0])
            change = point.changes[int(chance[:8], 16) % len(point.changes)]
            order.append((chance, point, change, names(point, change, twins)))
        order.sort(key=lambda entry: entry[0])
        if each:
            order, count = in_turn(order, count)
        drawn = [Mutant(number, *entry[1:]) for number, entry in enumerate(order, start=1)]
        begin, kept, bad = 0, [], []
        while len(kept) < count and begin < len(drawn):
            # About one in ten does not compile.
            more = drawn[begin : begin + (count - len(kept)) * 10 // 9 + 5]
            begin += len(more)
            self.write(kept + more)
            lost = self.check(kept + more)
            for mutant in more:
                if len(kept) < count:
                    (bad if mutant in lost else kept).append(mutant)
        self.write(kept)
        return len(points), kept, bad

    def write(self, mutants):
        """Writes the copy, without touching unchanged files."""
        for name in self.package.names:
            for path in (ROOT / self.package.path(name)).rglob("*"):
                file = path.relative_to(ROOT)
                if path.is_file() and str(file) not in self.texts:
                    store(self.folder / file, path.read_bytes())
        # Files outside the targets that tests read.
        for parent in (ROOT, ROOT / "Tests"):
            for path in parent.iterdir():
                link = self.folder / path.relative_to(ROOT)
                if not link.exists() and (parent != ROOT or path.name in ("boards", "docs", "packaging", "CHANGELOG.md", "README.md")):
                    link.symlink_to(path)
        for path in (HERE / "Mutants").rglob("*"):
            if path.is_file():
                store(self.folder / path.relative_to(HERE), path.read_bytes())
        store(self.folder / "Package.swift", self.package.manifest().encode())
        for name in MODULES:
            imports = [] if name == "FixedPoint" else ["FixedPoint"]
            within = [mutant for mutant in mutants if mutant.point.module == name]
            store(self.folder / f"Sources/Core/{name}/Mutants.swift", declarations(within, imports).encode())
        for file, text in self.texts.items():
            within = [mutant for mutant in mutants if mutant.point.file == file]
            store(self.folder / file, woven(text, within).encode())

    def check(self, mutants):
        """Compiles module by module, without the mutants at lines with compiler errors, and returns those."""
        lost = []
        for name in self.package.names:
            if self.package.targets[name]["type"] != "regular" or not self.package.closure(name) & set(MODULES):
                continue
            if name not in MODULES and not any(name in self.package.closure(module) for module in MODULES):
                continue
            while errors := self.compile(name):
                blamed = self.blamed(errors, [mutant for mutant in mutants if mutant not in lost])
                if not blamed:
                    sys.exit(f"mutate: {name} does not compile:\n" + "\n".join(errors))
                lost += blamed
                self.write([mutant for mutant in mutants if mutant not in lost])
        return lost

    def compile(self, name):
        """Compiles one module; returns the lines with errors."""
        modules = self.scratch / "modules"
        modules.mkdir(exist_ok=True)
        files = [str(file) for file in sorted((self.folder / self.package.path(name)).rglob("*.swift"))]
        words = [self.swift + "c", "-swift-version", "6", "-package-name", "mutation", "-module-name", name, "-Onone", "-wmo"]
        words += ["-parse-as-library", "-suppress-warnings", "-I", str(modules), "-I", str(self.folder / "Mutants/include")]
        words += [word for feature in FEATURES for word in ("-enable-upcoming-feature", feature)]
        words += ["-emit-module", "-emit-module-path", str(modules / f"{name}.swiftmodule"), "-c", "-o"]
        words += [str(modules / f"{name}.o"), *files]
        output = subprocess.run(words, capture_output=True, text=True)
        errors = [line for line in output.stderr.splitlines() if re.match(r".*\.swift:\d+:\d+: error: ", line)]
        if output.returncode != 0 and not errors:
            sys.exit(f"mutate: {name} does not compile:\n{output.stderr}")
        return errors

    def blamed(self, errors, mutants):
        """For each line with an error one mutant: one on that line; otherwise one of the statements before it that an
        initialiser requires."""
        blamed = {}
        for error in errors:
            path, line = re.match(r"(.*?):(\d+):", error).groups()
            line = int(line)
            text = pathlib.Path(path).read_text().splitlines()[line - 1]
            file = str(pathlib.Path(path).relative_to(self.folder))
            if file.endswith("/Mutants.swift"):
                found = [mutant for mutant in mutants if f"mutant_is({mutant.number})" in text]
            else:
                points = [mutant for mutant in mutants if mutant.point.file == file]
                found = [m for m in points if m.point.line <= line <= m.point.line + m.point.original.count("\n")]
                before = [m for m in points if m.point.kind == "statement" and line - 40 <= m.point.line < line]
                found = found or sorted(before, key=lambda mutant: -mutant.point.line)
            if found:
                blamed.setdefault((file, line), found[0])
        return list({mutant.number: mutant for mutant in blamed.values()}.values())

    def tests(self):
        """Builds the tests; returns the program that runs them."""
        words = [self.swift, "build", "--package-path", str(self.folder), "--scratch-path", str(self.scratch / "build")]
        words += ["-c", "release", "--build-tests", "--disable-xctest", "-Xswiftc", "-suppress-warnings"]
        with open(self.scratch / "build.log", "wb") as log:
            if subprocess.run(words, stdout=log, stderr=log).returncode != 0:
                sys.exit(f"mutate: the tests do not build: {self.scratch / 'build.log'}")
        return self.scratch / "build/release/mutationPackageTests.xctest"


class Tests:
    """The test targets, their times, and the mutants that they reach."""

    def __init__(self, names, program, scratch):
        self.names = names
        self.program = program
        self.scratch = scratch
        self.seconds = {}
        self.reached = {}

    def measure(self):
        """Runs all tests without a mutant; exits if one fails."""
        for test in self.names:
            path = self.scratch / "reached"
            verdict, seconds = self.run(test, 0, 3600, {"MUTANTS_REACHED": str(path)})
            if verdict != "passed":
                sys.exit(f"mutate: {test} fails without a mutant: {verdict}")
            self.seconds[test] = seconds
            self.reached[test] = {int(line) for line in path.read_text().splitlines()}

    def run(self, test, mutant, limit, environment=None):
        """Runs the tests of one target until one fails; returns the result, and the processor time.

        `limit` is in seconds of processor time, so that a busy computer makes no test fail.
        """

        def confine():
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        words = [str(self.program), "--testing-library", "swift-testing", "--filter", f"^{test}\\."]
        # A crashing mutant need not print the reason.
        variables = os.environ | {"MUTANT": str(mutant), "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=confine,
            env=variables | (environment or {}), start_new_session=True)  # fmt: skip
        verdict, passed, rest = None, False, b""
        deadline = time.monotonic() + 60 + 20 * limit
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while verdict is None:
                if not selector.select(timeout=max(0, deadline - time.monotonic())):
                    verdict = "hung"
                    break
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    break
                lines = (rest + data).split(b"\n")
                rest = lines.pop()
                for line in lines:
                    if b"recorded an issue" in line:
                        found = re.search(rb'Test "?(.*?)"? recorded an issue', line)
                        verdict = "failed: " + (found.group(1).decode(errors="replace") if found else "a test")
                        break
                    passed = passed or re.search(rb"Test run with \d+ tests? .*passed", line) is not None
        if verdict is not None:
            os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        if verdict is None:
            code = process.returncode
            if code in (-signal.SIGXCPU, -signal.SIGKILL):
                verdict = "hung"
            elif code < 0:
                verdict = f"crashed: {signal.Signals(-code).name}"
            else:
                verdict = "passed" if code == 0 and passed else "failed: a test"
        return verdict, usage.ru_utime + usage.ru_stime

    def verdict_of(self, mutant, module, package):
        """Which tests of its module, or of those that depend on it, notice a mutant: the quickest ones run first."""
        standing = [test for test in self.names if module in package.closure(test) and mutant.number in self.reached[test]]
        standing.sort(key=lambda test: self.seconds[test])
        for test in standing:
            verdict, _ = self.run(test, mutant.number, 10 + 5 * self.seconds[test])
            if verdict != "passed":
                return verdict, test
        return "survived", ", ".join(standing) or "no test reaches it"


def store(path, data):
    """Writes a file unless it has these contents already, so that its build products stay valid."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def equivalents():
    """The changes known to have no effect: a line `file ¦ code ¦ original -> change ¦ reason` each. If the code has
    the original several times, `, 2 of 3` after the change names one of them; otherwise all are meant."""
    known = {}
    for number, line in enumerate((HERE / "equivalent.txt").read_text().splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" ¦ ")]
        if len(parts) != 4 or " -> " not in parts[2] or not parts[3]:
            sys.exit(f"equivalent.txt:{number}: not `file ¦ code ¦ original -> change ¦ reason`")
        known[" ¦ ".join(parts[:3])] = parts[3]
    return known


def in_turn(order, count):
    """The drawn changes, one of each module after the other; and how many are `count` in each module that has so
    many."""
    ranks, turns = collections.Counter(), []
    for entry in order:
        module = entry[1].module
        turns.append((ranks[module], entry))
        ranks[module] += 1
    turns.sort(key=lambda turn: turn[0])
    return [entry for _, entry in turns], sum(min(count, found) for found in ranks.values())


def twins_of(points):
    """For each point its number and count among those of one file with the same line of code and the same
    original."""
    twins = collections.defaultdict(list)
    for point in points:
        twins[(point.file, point.code, point.kind, point.original)].append(point)
    return {point: (number, len(group)) for group in twins.values() for number, point in enumerate(group, start=1)}


def names(point, change, twins):
    """File, code and change, independent of the line number: for this point alone, and including its twins."""
    number, count = twins[point]
    change = f"{' '.join(point.original.split())} -> {change}"
    exact = f"{change}, {number} of {count}" if count > 1 else change
    return tuple(" ¦ ".join((point.file, point.code, words)) for words in (exact, change))


def digest(*parts):
    sum = hashlib.sha256()
    for part in parts:
        sum.update(part if isinstance(part, bytes) else str(part).encode())
        sum.update(b"\0")
    return sum.hexdigest()


def noticed(counts):
    """For a row of the table, how many changes count, and the percentage of those noticed."""
    counted = sum(counts.values()) - counts["not compiled"] - counts["equivalent"]
    return counted, 100 * (counted - counts["survived"]) / counted if counted else 100.0


def too_little(table):
    """The rows of the table below the requirements, a line each."""
    found = []
    for row in (*MODULES, "all"):
        least = LEAST if row == "all" else LEAST_IN_MODULE
        counted, share = noticed(table[row])
        if share < least and (row == "all" or counted >= FEWEST_IN_MODULE):
            found.append(f"{row}: {share:.1f} % of {counted} noticed, {least} % asked for")
    return found


def report(mutants, bad, points, results, known, fresh=False):
    """Prints the table and the survivors; returns whether enough was noticed."""
    table = collections.defaultdict(collections.Counter)
    survivors, refuted = [], []
    for mutant in mutants:
        module = mutant.point.module
        verdict, test = results[mutant.key]
        kind = verdict.split(":")[0]
        is_known = any(name in known for name in mutant.names)
        if kind == "survived" and is_known:
            kind = "equivalent"
        elif kind == "survived":
            survivors.append((mutant, test))
        elif is_known:
            refuted.append((mutant, test))
        for row in (module, "all"):
            table[row][kind] += 1
    for mutant in bad:
        for row in (mutant.point.module, "all"):
            table[row]["not compiled"] += 1
    print(f"mutate: {len(mutants)} of {points} places, and {len(bad)} more where the change does not compile")
    print(f"{'module':12} {'changed':>8} {'failed':>7} {'crashed':>8} {'hung':>5} {'equivalent':>11} {'survived':>9} {'noticed':>9}")
    for row in (*MODULES, "all"):
        counts = table[row]
        changed = sum(counts.values()) - counts["not compiled"]
        print(
            f"{row:12} {changed:8} {counts['failed']:7} {counts['crashed']:8} {counts['hung']:5} "
            f"{counts['equivalent']:11} {counts['survived']:9} {noticed(counts)[1]:7.1f} %"
        )
    for word, found in (("survived", survivors), ("not equivalent, as noticed", refuted)):
        for mutant, test in found:
            print(f"\n{word}: {mutant.point.file}:{mutant.point.line}, {test}")
            print(f"  {mutant.names[0]}")
    lacking = too_little(table)
    if lacking:
        print("\nmutate: too little is noticed", *lacking, sep="\n  ")
    return not lacking and not refuted and (fresh or not survivors)


def main():
    parser = argparse.ArgumentParser(description="Changes the core one place at a time; reports what no test notices.")
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--modules", default=",".join(MODULES))
    parser.add_argument("--files", type=re.compile, default=re.compile(""))
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--without", default="")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    arguments = parser.parse_args()
    swift = shutil.which(os.environ.get("SWIFT", "swift")) or sys.exit("mutate: no swift")
    scratch = arguments.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    modules, files = arguments.modules.split(","), arguments.files
    tests = [test for test in TESTS if test not in arguments.without.split(",")]
    known = equivalents()

    package = Package(swift, tests)
    build = Build(scratch, swift, package)
    tool = [path.read_bytes() for path in sorted(HERE.rglob("*")) if path.suffix in (".py", ".c", ".h")]
    texts = [(ROOT / file).read_bytes() for name in package.names for file in package.files(name)]
    now = digest(*texts, *tool)
    state, log = scratch / "digest", scratch / "results.jsonl"

    began = time.monotonic()
    points, mutants, bad = build.draw(
        arguments.seed, arguments.count, lambda point: point.module in modules and files.search(point.file) is not None,
        arguments.each, known)  # fmt: skip
    print(f"mutate: drawn and compiled in {time.monotonic() - began:.0f} s", flush=True)
    before = {}
    if log.is_file():
        before = {entry["key"]: entry for entry in map(json.loads, log.read_text().splitlines())}
    if not state.is_file() or state.read_text() != now:
        known_keys = {mutant.key for mutant in mutants if any(name in known for name in mutant.names)}
        before = {
            key: entry for key, entry in before.items()
            if arguments.keep and (entry["verdict"] != "survived" or key in known_keys)
        }  # fmt: skip
    keys = {mutant.key for mutant in mutants}
    results = {key: (entry["verdict"], entry["test"]) for key, entry in before.items() if key in keys}
    state.write_text(now)
    log.write_text("".join(json.dumps(before[key], ensure_ascii=False) + "\n" for key in results))

    open_mutants = [mutant for mutant in mutants if mutant.key not in results]
    if open_mutants:
        began = time.monotonic()
        tests = Tests(tests, build.tests(), scratch)
        print(f"mutate: tests built in {time.monotonic() - began:.0f} s", flush=True)
        tests.measure()
        for test in tests.names:
            print(f"mutate: {test}: {tests.seconds[test]:.1f} s, reaches {len(tests.reached[test])} mutants", flush=True)
        began = time.monotonic()
        lock = threading.Lock()

        def attempt(mutant):
            verdict, test = tests.verdict_of(mutant, mutant.point.module, package)
            with lock:
                results[mutant.key] = (verdict, test)
                with open(log, "a") as file:
                    write(file, mutant, verdict, test)
                if sys.stderr.isatty():
                    print(f"\r{len(results)}/{len(mutants)}", end="", file=sys.stderr, flush=True)

        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(attempt, open_mutants))
        print(f"mutate: {len(open_mutants)} mutants in {time.monotonic() - began:.0f} s", flush=True)
    return 0 if report(mutants, bad, points, results, known, arguments.fresh) else 1


def write(file, mutant, verdict, test):
    entry = {"key": mutant.key, "line": mutant.point.line, "verdict": verdict, "test": test}
    file.write(json.dumps(entry, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
