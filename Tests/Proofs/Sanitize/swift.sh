#!/usr/bin/env bash
# Runs the Swift tests under the address and the thread sanitizer, with all the C that they link: the shim and the
# MQTT client.
#
#     Tests/Proofs/Sanitize/swift.sh      (KINDS="address thread": default both; TEST_FLAGS="--filter NAME": default all)
#
# First a small program with a defect of that kind is compiled in the same way, which must be found. Skipped are tests
# that start the tool, which compare its signals and preload a library before the sanitizer's, and models, soaks and
# endurance, which compute for minutes. Takes about half an hour, most of it for compiling.
#
# Exit codes: 0 found nothing; 1 found something; 64 wrong usage.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
swift=${SWIFT:-swift}
skipped='EndToEndTests|EnduranceTests|ModelTests|SoakTests'
# Memory that is still allocated at the end belongs to Swift's runtime. For use_sigaltstack see false.c. Swift's own
# report of a crash takes minutes.
export ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 SWIFT_BACKTRACE=enable=no
# shellcheck disable=SC2206  # words, on purpose
kinds=(${KINDS:-address thread})
for kind in "${kinds[@]}"; do
  if ! [ -f "Tests/Proofs/Sanitize/defects/$kind.swift" ]; then
    printf 'sanitize: no sanitizer "%s" for Swift; there are: address thread\n' "$kind" >&2
    exit 64
  fi
done

# found LOG: the findings in the words of the sanitizer and the tests
found() { grep -a -m 20 'recorded an issue\|ERROR: AddressSanitizer\|WARNING: ThreadSanitizer\|^SUMMARY' "$1"; }

sanitize() {
  local kind=$1 work=build/sanitize/$1 tests
  mkdir -p "$work"
  "${swift}c" -sanitize="$kind" -O "Tests/Proofs/Sanitize/defects/$kind.swift" -o "$work/defect" 2>"$work/defect.build" || {
    cat "$work/defect.build" >&2
    return 1
  }
  if "$work/defect" >"$work/defect.log" 2>&1 || ! found "$work/defect.log" >"$work/defect.found"; then
    printf 'sanitize: the %s sanitizer does not find the defect of Tests/Proofs/Sanitize/defects/%s.swift\n' "$kind" "$kind" >&2
    return 1
  fi
  printf 'sanitize: the %s sanitizer finds the planted defect in Swift; compiling the tests under it (about ten minutes)\n' "$kind"
  # The guard of the MQTT client is in front of Paho's recv; the sanitizer's own would take its place.
  set -- -c release --scratch-path "$work/build" --sanitize "$kind" -Xcc -DCMQTT_WEAK_RECV=
  "$swift" build "$@" --build-tests --disable-xctest >"$work/build.log" 2>&1 || {
    tail -n 40 "$work/build.log" >&2
    return 1
  }
  tests=$("$swift" build "$@" --show-bin-path)/plumbPackageTests.xctest
  # TEST_FLAGS are words for a shell; they may be quoted.
  eval "set -- ${TEST_FLAGS:-}"
  python3 -B -W error Tests/Support/Python/swift_tests.py --limit 7200 "$tests" --skip "$skipped" "$@" >"$work/tests.log" 2>&1 || {
    found "$work/tests.log" >&2 || tail -n 20 "$work/tests.log" >&2
    printf 'sanitize: all that was printed is in %s\n' "$work/tests.log" >&2
    return 1
  }
  printf 'sanitize: %s, clean under the %s sanitizer\n' \
    "$(grep -a -o 'Test run with [0-9]* tests in [0-9]* suites passed' "$work/tests.log")" "$kind"
}

for kind in "${kinds[@]}"; do sanitize "$kind"; done
