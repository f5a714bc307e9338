#!/usr/bin/env bash
# Runs the Swift tests, which `make test` has built: those that mostly wait in parallel with those that compute.
#
#     Tests/System/Scripts/swift.sh      (SCRATCH=.build; TEST_FLAGS="--filter NAME": only those tests)
set -euo pipefail
cd "$(dirname "$0")/../../.."
tests=${SCRATCH:-.build}/release/plumbPackageTests.xctest

# run FLAG…: not `swift test`, which would block the builds of scripts that run at the same time
run() { python3 -B -W error Tests/Support/Python/swift_tests.py "$tests" "$@"; }

if [ -n "${TEST_FLAGS:-}" ]; then
  # Words for a shell; they may be quoted.
  eval "run $TEST_FLAGS"
  exit
fi
printed=$(mktemp -d)
trap 'rm -rf "$printed"' EXIT
# Within one process, only as many tests run at a time as there are cores, but these wait for programs, brokers or time,
# so use several processes. The tests that start the tool are divided by the first letter of their suite.
waiting=()
for tests_that_wait in PublishingTests EndToEndTests\\.{[A-G],[H-P],[Q-S],[T-Z]}; do
  run --filter "^$tests_that_wait" >"$printed/waiting-${#waiting[@]}" 2>&1 &
  waiting+=($!)
done
result=0
# Faults under a whole monitor, and days in virtual time, are for `make test-proofs`.
run --skip EndToEndTests --skip PublishingTests --skip '^FaultMatrixTests\.(MonitorMatrix|Soak|Endurance)Tests/' 2>&1 | tee "$printed/others" || result=$?
for process in "${waiting[@]}"; do wait "$process" || result=$?; done
cat "$printed"/waiting-*
if [ "$result" -ne 0 ]; then
  printf '\nswift: what failed, once more, among the %d lines above:\n' "$(cat "$printed"/* | wc -l)"
  grep -h -A 4 'recorded an issue\|Fatal error\|Crash' "$printed"/* || tail -n 20 "$printed"/*
fi
exit "$result"
