#!/usr/bin/env bash
# Compiles Swift code with its tests: test modules unoptimised, because they are most of the code and run once, but for what computes
# much (Package.swift, `computing`).
#
#     Tests/build.sh release     for `make test`: all else as `make build` compiles it, so that both compile it once
#     Tests/build.sh debug       for `make test-only`: file by file, so that a change of one compiles little; optimised is what computes much
#
# SCRATCH: the folder of the build's intermediate files, .build by default; PLUMB_ONLY: the test targets, all without it; PLUMB_WITHOUT:
# targets that are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra flags <scripts/build-flags
flags+=(--scratch-path "${SCRATCH:-.build}" --disable-xctest)
case ${1:-} in
  # Not `swift test list`, which compiles all anew, for testable imports, and knows no other way.
  release) exec "${SWIFT:-swift}" build -c release "${flags[@]}" --build-tests ;;
  debug) PLUMB_TEST_BUILD=1 exec "${SWIFT:-swift}" build "${flags[@]}" --build-tests ;;
  *)
    echo 'usage: Tests/build.sh release|debug' >&2
    exit 64
    ;;
esac
