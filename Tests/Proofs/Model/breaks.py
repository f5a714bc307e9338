"""Breaks each promise of tracker, monitor and lines once, in a copy of the code, and checks that the search of
Tests/Proofs/Model finds it."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SWIFT = os.environ.get("SWIFT", "swift")
MODULES = {
    "FixedPoint": [],
    "HAL": ["FixedPoint"],
    "Sensors": ["FixedPoint", "HAL"],
    "Orientation": ["FixedPoint"],
    "Gestures": ["FixedPoint"],
    "Indication": ["FixedPoint", "HAL", "Orientation"],
    "Monitor": ["FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication"],
}
TRACKER, MONITOR = "TrackerModelTests", "MonitorModelTests"

# The promise, the file, the unique original text, its replacement, and the suite that must find it.
BREAKS = [
    (
        "no pose before it has held for its dwell",
        "Orientation/PoseTracker.swift",
        "if let next = leader.pose, now - leader.since >= configuration.dwell,",
        "if let next = leader.pose, now - leader.since >= .zero,",
        TRACKER,
    ),
    (
        "no pose from a force outside the gate",
        "Orientation/PoseTracker.swift",
        "    guard isWithinGate(square) else {",
        "    guard isWithinGate(square) || isFirst else {",
        TRACKER,
    ),
    (
        "no pose kept that no sample confirms",
        "Orientation/PoseTracker.swift",
        "    return isUnconfirmed ? change(to: .unknown(.ambiguous)) : nil",
        "    return nil",
        TRACKER,
    ),
    (
        "no pose kept over a pause",
        "Orientation/PoseTracker.swift",
        "now - lastSample > configuration.longestGap else { return nil }",
        "now - lastSample > configuration.longestGap * 4 else { return nil }",
        TRACKER,
    ),
    (
        "no pose kept through an outage",
        "Monitor/Monitor.swift",
        "    let change = pipeline.fail()",
        "    let change: PoseChange? = nil",
        MONITOR,
    ),
    (
        "a way out of every state: better samples are believed again",
        "Monitor/Monitor.swift",
        "outage?.isImplausible == true && plausibility.remainsDoubtful",
        "outage?.isImplausible == true",
        MONITOR,
    ),
    (
        "an outage leads to another try",
        "Monitor/Monitor.swift",
        "return schedule.set(.restart, at: now + current.pause(configuration.faults))",
        "return schedule.set(.rest, at: now + current.pause(configuration.faults))",
        MONITOR,
    ),
    (
        "the wait for another try is bounded",
        "Monitor/FaultPolicy.swift",
        "defer { backOff = min(backOff * 2, policy.longestBackOff) }",
        "defer { backOff = backOff * 2 }",
        MONITOR,
    ),
    (
        "a sensor is given up after as many attempts as allowed",
        "Monitor/FaultPolicy.swift",
        "failedRestarts >= policy.restartLimit",
        "failedRestarts > policy.restartLimit",
        MONITOR,
    ),
    (
        "LEDs never contradict the state",
        "Monitor/Monitor.swift",
        "    _ = indicator.show(pipeline.state,",
        "    if report.reading != nil || hasGivenUp { _ = indicator.show(pipeline.state,",
        MONITOR,
    ),
    (
        "a code is never valid while it changes",
        "Indication/Indicator.swift",
        "    let data = target.without(code.valid)",
        "    let data = target",
        MONITOR,
    ),
    (
        "a code is valid no sooner than it has settled",
        "Indication/Indicator.swift",
        "    if let due = nextChange, now < due { return }\n",
        "",
        MONITOR,
    ),
]
# If the replacement opens a brace, the line must end with one.
CLOSED = {"LEDs never contradict the state": "at: now, configuration.indicator)"}


def manifest():
    """A package of the modules that the search needs."""
    targets = [
        f'.target(name: "{name}", dependencies: [{", ".join(map(repr, needs))}])'.replace("'", '"')
        for name, needs in MODULES.items()
    ]
    needs = ", ".join(f'"{name}"' for name in MODULES if name != "Gestures")
    targets.append(
        f'.testTarget(name: "ModelTests", dependencies: [{needs}], path: "Tests/Proofs/Model", exclude: ["breaks.py"])'
    )
    settings = "let strict: [SwiftSetting] = [\n" + "".join(
        f'  .enableUpcomingFeature("{name}"),\n'
        for name in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility")
    )
    return (
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        + settings
        + '  .strictMemorySafety(),\n]\nlet package = Package(name: "broken", targets: [\n'
        + "".join(f"  {target[:-1]}, swiftSettings: strict),\n" for target in targets)
        + "])\n"
    )


def swift(package, *arguments):
    """Runs a command of Swift in `package`; returns its exit code and output."""
    # Without the Makefile's limits: a break is near the start, or it is missed.
    environment = {key: value for key, value in os.environ.items() if key != "PLUMB_MODEL_DEPTH"}
    run = subprocess.run(
        [SWIFT, *arguments, "-c", "release"],
        cwd=package,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout


def search(package, suite):
    """Builds `package` and runs a suite; returns whether it passed, and the counterexample found."""
    code, output = swift(package, "build", "--build-tests")
    if code != 0:
        sys.exit(f"model-breaks: does not build\n{output}")
    code, output = swift(package, "test", "--skip-build", "--disable-xctest", "--filter", suite)
    lines = output.splitlines()
    found = [number for number, line in enumerate(lines) if line.startswith("model: => ")]
    return code == 0, [lines[found[0] - 1], lines[found[0]]] if found else []


def broken(text, promise, old, new):
    """`text` with `old` replaced by `new`; exits unless `old` occurs exactly once."""
    if text.count(old) != 1:
        sys.exit(f"model-breaks: the break of {promise!r} does not apply: its text stands there {text.count(old)} times")
    end = CLOSED.get(promise)
    if end is None:
        return text.replace(old, new)
    begin = text.index(old)
    close = text.index(end, begin) + len(end)
    return text[:begin] + new + text[begin + len(old) : close] + " }" + text[close:]


def main():
    """Breaks one promise after another."""
    with tempfile.TemporaryDirectory(prefix="plumb-breaks-") as folder:
        package = pathlib.Path(folder)
        for name in MODULES:
            shutil.copytree(ROOT / "Sources/Core" / name, package / "Sources" / name)
        shutil.copytree(ROOT / "Tests/Proofs/Model", package / "Tests/Proofs/Model")
        (package / "Package.swift").write_text(manifest())
        for suite in (TRACKER, MONITOR):
            passed, _ = search(package, suite)
            if not passed:
                sys.exit("model-breaks: the search complains of the code as it is")
        missed = 0
        for promise, file, old, new, suite in BREAKS:
            path = package / "Sources" / file
            text = path.read_text()
            path.write_text(broken(text, promise, old, new))
            passed, counterexample = search(package, suite)
            path.write_text(text)
            print(f"broken: {promise}\n  {file}: {' '.join(old.split())}\n  became: {' '.join(new.split()) or 'nothing'}")
            if passed or not counterexample:
                missed += 1
                print("  NOT FOUND")
            for line in counterexample:
                print(f"  {line}")
            sys.stdout.flush()
        if missed:
            sys.exit(f"model-breaks: {missed} of {len(BREAKS)} breaks were not found")
        print(f"model-breaks: all {len(BREAKS)} breaks found")


if __name__ == "__main__":
    main()
