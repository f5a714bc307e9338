#!/usr/bin/env bash
# Compiles all Swift code with its tests, for `make test`: unoptimised, which takes half the time, but for what computes much
# (Package.swift, `computing`).
#
#     Tests/build.sh      SCRATCH: the folder of the build's intermediate files, .build by default; PLUMB_ONLY: the test targets, all
#                         without it; PLUMB_WITHOUT: targets that are left out
set -euo pipefail
cd "$(dirname "$0")/.."

# Without information for debuggers, which takes a sixth of the time: what fails says its own line.
PLUMB_TEST_BUILD=1 exec "${SWIFT:-swift}" build --scratch-path "${SCRATCH:-.build}" -debug-info-format none --build-tests --disable-xctest
