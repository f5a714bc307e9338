"""Measures which lines of each module the tests run, and compares that with the required shares.

    coverage.py --scratch FOLDER --output FOLDER [--report] [PART]...

A part is what runs at once: swift, c, or a folder of script tests, such as Tests/System/MQTT. All run by default; of the
others, what their last run counted stays.

Everything is built again, with counters, in a separate folder. What counts: all Swift tests; the tool, where tests
start it; the daemon on the fake kernel of Tests/System/Daemon and as the owner of Tests/System/Share; the publisher
of Tests/System/MQTT; the desktop's programs of Tests/System/Desktop; the C tests of the C interface and the shim.
What does not count: static programs as they run on a Pi, emulated or real, because Embedded Swift has no counters; they
are built from the same sources.

Swift counts lines and regions (the stretches between branches), but not branches; C counts all three.

--report only reads the counters of an earlier run. uncovered.txt beside this file gives the reasons for uncovered
lines; it must list each uncovered line of the core.

Exit codes: 0 as required; 1 not.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent

# In percent of the lines of each module.
CORE, PI = 98, 90
MODULES = {
    "FixedPoint": CORE, "HAL": CORE, "Sensors": CORE, "Orientation": CORE, "Gestures": CORE, "Vibration": CORE,
    "Indication": CORE, "Monitor": CORE,
    "CoreABI": PI, "FixedText": PI, "Text": PI, "JSON": PI, "StreamCodec": PI, "Retry": PI, "StreamConnection": PI, "LinuxHAL": PI, "BoardFile": PI, "StreamLines": PI, "Stream": PI, "SerialStream": PI, "Diagnosis": PI,
    "Service": PI, "StreamService": PI, "plumbd": PI, "Fleet": PI, "Publishing": PI, "plumb-mqtt": PI, "CSupport": PI, "CConnect": PI, "CMQTT": PI,
    "Desktop": PI, "plumb-desktop": PI, "CDesktop": PI,
    "PlumbStream": 0, "Emulation": 0, "Bridge": 0, "plumb": 0,
}  # fmt: skip

COUNTED_C = ["-fprofile-instr-generate", "-fcoverage-mapping"]
# The modules of the C interface, in no order.
CORE_ABI = [*(name for name, least in MODULES.items() if least == CORE), "CoreABI"]

# The programs of services.
SERVICES = ("plumbd", "plumb-mqtt", "plumb-desktop")

C_TESTS = ("smoke", "refusals")
# The program of `make sanitize` that calls the whole shim, for both versions of libgpiod.
SHIM_TESTS = ("1", "2")

# The script tests that start the daemon, the tool or the publisher: how many at a time per folder, and which.
PROGRAMS = {
    "Tests/System/Daemon": (1, "test_plumbd test_ready test_batches test_service test_check test_share test_tool test_vibration test_power"),
    "Tests/System/MQTT": (
        8,
        "test_command_line.Check test_command_line.Options test_broker.CutOfPlumbMQTT test_broker.NotLetInOfPlumbMQTT "
        "test_ends.PublishersOfPlumbMQTT test_ends.OwnersOfPlumbMQTT test_tls.TLSOfPlumbMQTT test_state.StateOfPlumbMQTT "
        "test_broker.AbsentOfPlumbMQTT test_broker.FrozenOfPlumbMQTT test_access test_commands.CommandsOfPlumbMQTT "
        "test_secrets.SecretsOfPlumbMQTT test_command_line.OnceOfPlumbMQTT",
    ),
    "Tests/System/Share": (
        5,
        "test_attacks.ConnectionsOnPlumbd test_attacks.SilenceOnPlumbd test_attacks.RequestsOnPlumbd "
        "test_network.SlowClientsOnPlumbd test_network.TokensOnPlumbd test_network.BadNetworkOnPlumbd "
        "test_owners.OwnersOnPlumbd test_record.RecordingOnPlumbd",
    ),
    "Tests/System/Desktop": (
        4,
        "test_programs.Programs test_sensor_proxy.ProxyOfService test_rotation.LabwcTests test_rotation.SwayTests "
        "test_rotation.X11Tests",
    ),
}
PARTS = ("swift", "c", *PROGRAMS)


def run(words, log, **options):
    """Runs a command with its output in a file; returns its exit code."""
    with open(log, "ab") as output:
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options).returncode


class Coverage:
    def __init__(self, scratch, output):
        self.swift = shutil.which(os.environ.get("SWIFT", "swift")) or sys.exit("coverage: no swift")
        self.bin = pathlib.Path(self.swift).resolve().parent
        self.folder = scratch / "package"
        self.scratch = scratch
        self.products = scratch / "build/release"
        self.profiles = scratch / "profiles"
        self.data = scratch / "merged.profdata"
        self.output = output

    def build(self):
        """Builds the tests, the tool, and the daemon as a program of the host: a package of links, with extra
        targets."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("Sources", "Tests", "CSupport", "boards", "docs", "README.md", "CHANGELOG.md", "packaging", "clients"):
            link = self.folder / name
            if not link.is_symlink():
                link.symlink_to(ROOT / name)
        programs = """
            .executableTarget(name: "plumbd", dependencies: ["Plumbd"], path: "Sources/Programs/plumbd", sources: ["main.c"],
              linkerSettings: [.linkedLibrary("m")]),
            .executableTarget(
              name: "plumb-mqtt", dependencies: ["PlumbMQTT"], path: "Sources/Programs/plumb-mqtt", sources: ["main.c"],
              linkerSettings: [.linkedLibrary("m"), .unsafeFlags(["-Xlinker", "--wrap=getaddrinfo"])]),
            .executableTarget(
              name: "plumb-desktop", dependencies: ["PlumbDesktop"], path: "Sources/Programs/plumb-desktop",
              sources: ["main.c"], linkerSettings: [.linkedLibrary("m")]),
        """
        text = (ROOT / "Package.swift").read_text()
        mark = '    tests(of: "FixedPoint"'
        if text.count(mark) != 1:
            sys.exit("coverage: Package.swift is not as expected")
        # SwiftPM adds counters only for Swift.
        text = text.replace("cSettings: strictC", f"cSettings: strictC + [.unsafeFlags({json.dumps(COUNTED_C)})]")
        (self.folder / "Package.swift").write_text(text.replace(mark, programs + mark))
        words = [self.swift, "build", "--package-path", str(self.folder), "--scratch-path", str(self.scratch / "build")]
        words += ["-c", "release", "--build-tests", "--enable-code-coverage", "--disable-xctest"]
        log = self.scratch / "build.log"
        log.unlink(missing_ok=True)
        print("coverage: building everything with counters", flush=True)
        more = [[*words[:-3], "--enable-code-coverage", "--product", name] for name in ("plumb", *SERVICES)]
        if any(run(line, log) != 0 for line in (words, *more)):
            sys.exit(f"coverage: does not build: {log}")

        # The C tests of the C interface, linked with the built objects.
        objects = [str(path) for name in CORE_ABI for path in (self.products / f"{name}.build").glob("*.o")]
        for name in C_TESTS:
            source, object_file = ROOT / f"Tests/Core/CoreABI/{name}.c", self.scratch / f"{name}.o"
            include = f"-I{ROOT / 'Sources/Core/CoreABI/include'}"
            compiled = run([str(self.bin / "clang"), "-O1", include, "-c", str(source), "-o", str(object_file)], log)
            linker = [self.swift + "c", "-profile-generate", "-use-ld=lld", str(object_file), *objects, "-lm"]
            if compiled != 0 or run([*linker, "-o", str(self.scratch / name)], log) != 0:
                sys.exit(f"coverage: {source} does not build: {log}")

        wrapped = ["-Wl,--wrap=open,--wrap=ioctl,--wrap=scandir", "-li2c", "-linih", "-lpthread"]
        shim = [*sorted((ROOT / "CSupport").glob("*.c")), *sorted((ROOT / "CSupport/connect").glob("*.c")),
                *(ROOT / f"CSupport/desktop/{name}.c" for name in ("input", "screen")),
                *(ROOT / f"Tests/Proofs/Sanitize/{name}.c" for name in ("csupport", "fake"))]
        for version in SHIM_TESTS:
            folders = [f"-I{ROOT / name}" for name in
                       ("CSupport/include", "CSupport/connect/include", "CSupport/desktop/include", f"Tests/Proofs/Sanitize/version{version}")]
            words = [str(self.bin / "clang"), "-std=gnu11", "-O1", *COUNTED_C, "-fuse-ld=lld", *folders, *map(str, shim)]
            if run([*words, *wrapped, "-o", str(self.scratch / f"csupport-{version}")], log) != 0:
                sys.exit(f"coverage: Tests/Proofs/Sanitize/csupport.c does not build: {log}")

    def count(self, parts):
        """Runs the tests of the parts. One that fails because counters exceed a bound of time or memory has still run
        its lines."""
        (self.scratch / "tests.log").unlink(missing_ok=True)
        for part in parts or PARTS:
            print(f"coverage: running {part}", flush=True)
            shutil.rmtree(self.profiles_of(part), ignore_errors=True)
            if part == "swift":
                tests = ROOT / "Tests/Support/Python/swift_tests.py"
                self.run(part, [sys.executable, "-B", str(tests), str(self.products / "plumbPackageTests.xctest")])
            elif part == "c":
                for name in (*C_TESTS, *(f"csupport-{version}" for version in SHIM_TESTS)):
                    self.run(part, [str(self.scratch / name)])
                for name in SERVICES:
                    self.run(part, [str(self.products / name), "--help"])
            else:
                jobs, tests = PROGRAMS[part]
                words = [sys.executable, "-B", str(ROOT / "Tests/Support/Python/side_by_side.py"), "--jobs", str(jobs)]
                self.run(part, [*words, *tests.split(), "--", sys.executable, "-B", "-m", "unittest"], ROOT / part)
        self.merge()

    def profiles_of(self, part):
        return self.profiles / part.replace("/", "-")

    def run(self, part, words, folder=None):
        environment = os.environ | {
            "LLVM_PROFILE_FILE": str(self.profiles_of(part) / "%p-%4m.profraw"), "LC_ALL": "C.UTF-8", "PLUMB_STREAM": "none", "PLUMB_BOARD": "none",
            "PLUMB": str(self.products / "plumb"),
        } | {name.upper().replace("-", "_"): str(self.products / name) for name in SERVICES}  # fmt: skip
        log = self.scratch / "tests.log"
        if run(words, log, env=environment, cwd=folder or self.folder) != 0:
            print(f"coverage: not all of {part} pass in this build: {log}", flush=True)

    def merge(self):
        files = [str(path) for path in self.profiles.glob("*/*.profraw") if path.stat().st_size > 0]
        (self.scratch / "profiles.txt").write_text("\n".join(files))
        words = [str(self.bin / "llvm-profdata"), "merge", "-sparse", "--failure-mode=all", "-f", str(self.scratch / "profiles.txt")]
        # A program that was killed while writing leaves a partial file, which is skipped.
        subprocess.run([*words, "-o", str(self.data)], check=True, stderr=subprocess.DEVNULL)

    def objects(self):
        programs = [self.products / name for name in ("plumbPackageTests.xctest", "plumb", *SERVICES)]
        programs += [self.scratch / f"csupport-{version}" for version in SHIM_TESTS]
        return [str(programs[0]), *(word for path in programs[1:] for word in ("-object", str(path)))]

    def export(self, *words):
        command = [str(self.bin / "llvm-cov"), *words, "-instr-profile", str(self.data), *self.objects()]
        ignored = "-ignore-filename-regex=(/checkouts/|/Tests/|/build/|\\.derived/)"
        return subprocess.run([*command, ignored], check=True, capture_output=True).stdout

    def read(self):
        """The shares of each file, and the lines that no test ran."""
        figures = {}
        for file in json.loads(self.export("export", "-summary-only"))["data"][0]["files"]:
            figures[relative(file["filename"])] = file["summary"]
        missed, name = {}, None
        for line in self.export("export", "-format=lcov").decode().splitlines():
            if line.startswith("SF:"):
                name = relative(line[3:])
            elif line.startswith("DA:"):
                number, count = line[3:].split(",")[:2]
                if int(count) == 0:
                    missed.setdefault(name, set()).add(int(number))
        return figures, missed

    def pages(self):
        shutil.rmtree(self.output, ignore_errors=True)
        self.export("show", "-format=html", f"-output-dir={self.output}")


def relative(path):
    """The name of a source in the repository, however the compiler found it."""
    return re.sub(r".*?/((Sources|CSupport)/)", r"\1", path)


def module_of(file):
    parts = file.split("/")
    if parts[0] == "Sources":
        return parts[2]
    return {"connect": "CConnect", "desktop": "CDesktop", "mqtt": "CMQTT"}.get(parts[1], parts[0])


def reasons():
    """Why lines are not run: `file ¦ text of a line in the stretch ¦ reason`, one each; for all others of a file
    `file ¦ * ¦ reason`."""
    known = {}
    for number, line in enumerate((HERE / "uncovered.txt").read_text().splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" ¦ ")]
        if len(parts) != 3 or not all(parts):
            sys.exit(f"uncovered.txt:{number}: not `file ¦ line ¦ reason`")
        if not (ROOT / parts[0]).exists():
            sys.exit(f"uncovered.txt:{number}: there is no {parts[0]}")
        known.setdefault(parts[0], {})[parts[1]] = parts[2]
    return known


def stretches(lines):
    """Consecutive lines joined."""
    found = []
    for line in sorted(lines):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def report(figures, missed):
    """Prints the table and what is missing; returns whether everything is as required."""
    good = True
    print(f"{'module':12} {'lines':>7} {'run':>8} {'regions':>8} {'run':>8} {'branches':>9} {'run':>8} {'asked for':>10}")
    for module, least in MODULES.items():
        files = [summary for file, summary in figures.items() if module_of(file) == module]
        if not files:
            print(f"{module:12} is not in this build")
            good = False
            continue
        shown = []
        for kind, width in (("lines", 7), ("regions", 8), ("branches", 9)):
            count = sum(summary[kind]["count"] for summary in files)
            covered = sum(summary[kind]["covered"] for summary in files)
            share = 100 * covered / count if count else None
            shown += [f"{count:{width}}", f"{share:6.1f} %" if count else f"{'-':>8}"]
            if kind == "lines" and share < least:
                good = False
                shown[0] += "!"
        print(f"{module:12} {' '.join(shown)} {f'{least} %' if least else '-':>10}")
    known = reasons()
    unexplained = 0
    for file in sorted(missed):
        if not MODULES.get(module_of(file)):
            continue
        text = (ROOT / file).read_text().splitlines()
        for first, last in stretches(missed[file]):
            here = [text[line - 1].strip() for line in range(first, last + 1)]
            # Lines of the core are listed one by one.
            others = ["*"] if MODULES[module_of(file)] != CORE else []
            if not any(line in known.get(file, {}) for line in [*here, *others]):
                unexplained += 1
                print(f"{file}:{first}-{last}: not run, and no reason in uncovered.txt: {here[0]}")
                if MODULES[module_of(file)] == CORE:
                    good = False
    print(f"coverage: {unexplained} stretches without a reason")
    return good


def main():
    parser = argparse.ArgumentParser(description="Measures which lines of each module the tests run.")
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    arguments = parser.parse_args()
    if wrong := set(arguments.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(wrong))}; there are: {', '.join(PARTS)}")
    coverage = Coverage(arguments.scratch.resolve(), arguments.output.resolve())
    if not arguments.report:
        coverage.build()
        coverage.count(arguments.parts)
    figures, missed = coverage.read()
    coverage.pages()
    return 0 if report(figures, missed) else 1


if __name__ == "__main__":
    sys.exit(main())
