#!/usr/bin/env bash
# Runs the Swift tests, which `make test` has built: those that mostly wait beside those that compute.
#
#     Tests/System/Scripts/swift.sh      (SCRATCH=.build; TEST_FLAGS="--filter NAME": those tests alone)
set -euo pipefail
cd "$(dirname "$0")/../../.."
tests=${SCRATCH:-.build}/release/plumbPackageTests.xctest

# run FLAG…: not `swift test`, which would keep the scripts beside it from building
run() { python3 -B -W error Tests/Support/Python/swift_tests.py "$tests" "$@"; }

if [ -n "${TEST_FLAGS:-}" ]; then
  # Words for a shell, which may have quotation marks.
  eval "run $TEST_FLAGS"
  exit
fi
printed=$(mktemp -d)
trap 'rm -rf "$printed"' EXIT
# Tests of one process run as many at a time as there are cores, and these wait, for programs, brokers or time: so several processes; of
# those that start the tool by the first letter of a suite.
waiting=()
for tests_that_wait in PublishingTests EndToEndTests\\.{[A-G],[H-P],[Q-S],[T-Z]}; do
  run --filter "^$tests_that_wait" >"$printed/waiting-${#waiting[@]}" 2>&1 &
  waiting+=($!)
done
result=0
# Days in virtual time are `make test-proofs`.
run --skip EndToEndTests --skip PublishingTests --skip SoakTests 2>&1 | tee "$printed/others" || result=$?
for process in "${waiting[@]}"; do wait "$process" || result=$?; done
cat "$printed"/waiting-*
if [ "$result" -ne 0 ]; then
  printf '\nswift: what failed, once more, among the %d lines above:\n' "$(cat "$printed"/* | wc -l)"
  grep -h -A 4 'recorded an issue\|Fatal error\|Crash' "$printed"/* || tail -n 20 "$printed"/*
fi
exit "$result"
