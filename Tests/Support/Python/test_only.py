"""Builds and runs some of the Swift tests, with only what they use: what `make test-only FILTER=…` calls.

    test_only.py [--release] FILTER      SWIFT, SCRATCH as in the Makefile

--release uses what `make test` has compiled.

FILTER is a module (Orientation), or a regular expression as for `swift test --filter`, such as a suite
(PoseDwellTests) or words of a test's name. The tests of the tool's commands are EndToEndTests: `FILTER=ReadTests`
builds the tool, and runs the tests of `plumb read`.

Exit codes: 0 all passed; 1 some did not, or the build failed; 64 no test matches.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Programs that the tests start, besides the modules that they import.
STARTED = {"EndToEndTests": ["PlumbTool", "Bridge", "BridgePreload"]}


def modules(root=ROOT):
    """The test targets in Package.swift, each with its folder."""
    text = (root / "Package.swift").read_text()
    found = {f"{name}Tests": root / "Tests" / layer / name for name, layer in re.findall(r'\btests\(\s*of: "(\w+)", in: "([^"]+)"', text)}
    found |= {name: root / path for name, path in re.findall(r'\.testTarget\(\s*name: "(\w+)".*?path: "([^"]+)"', text, re.S)}
    return found


def names(folder):
    """The suites and tests in the Swift files of a folder, as filters see them: suite/test."""
    for path in sorted(folder.rglob("*.swift")):
        text = path.read_text()
        suites = re.findall(r"^(?:@Suite(?:\(.*\))? )?(?:\w+ )*(?:struct|extension|enum|class) (\w+)", text, re.MULTILINE)
        tests = re.findall(r"@Test\b[\s\S]*?\bfunc (`[^`]+`|\w+)", text)
        yield from (f"{suite}/{test}" for suite in suites for test in tests)


def choose(chosen, found):
    """The targets whose tests `chosen` names, and the filter for them."""
    for name in (chosen, f"{chosen}Tests"):
        if name in found:
            return [name], f"^{name}\\."
    pattern = re.compile(chosen)
    return [target for target, folder in found.items() if any(pattern.search(f"{target}.{name}") for name in names(folder))], chosen


def main():
    words = sys.argv[1:]
    configuration = "release" if words[:1] == ["--release"] else "debug"
    chosen = words[configuration == "release":]
    if len(chosen) != 1 or not chosen[0]:
        print("test-only: which tests? make test-only FILTER=Orientation, or FILTER=PoseDwellTests", file=sys.stderr)
        return 64
    targets, pattern = choose(chosen[0], modules())
    if not targets:
        print(f'test-only: no test matches "{chosen[0]}"', file=sys.stderr)
        return 64
    needed = targets + [name for target in targets for name in STARTED.get(target, [])]
    environment = {**os.environ, "PLUMB_ONLY": " ".join(needed)}
    scratch = os.environ.get("SCRATCH") or ".build"
    print(f"test-only: building {', '.join(targets)}", flush=True)
    build = subprocess.run(["bash", ROOT / "Tests/build.sh", configuration], cwd=ROOT, env=environment, check=False)
    if build.returncode != 0:
        return 1
    program = ROOT / scratch / configuration / "plumbPackageTests.xctest"
    # Not `swift test`: only now is it certain that the build contains the selected tests. A day in virtual time is
    # silent for long.
    run = [sys.executable, "-B", ROOT / "Tests/Support/Python/swift_tests.py", "--silence", "1500", program, "--filter", pattern]
    return 1 if subprocess.run(run, cwd=ROOT, check=False).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
