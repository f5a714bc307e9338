#!/usr/bin/env bash
# Compiles all Swift code with its tests, for `make test`: unoptimised, which takes half the time, but for what computes much
# (Package.swift, `computing`).
#
#     Tests/build.sh      SCRATCH: the folder of the build's intermediate files, .build by default
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=${SCRATCH:-.build}
# An index that an editor had made would be read for names of tests, though it is of files that may be gone.
rm -rf "$scratch/debug/index"
PLUMB_TEST_BUILD=1 exec "${SWIFT:-swift}" build --scratch-path "$scratch" --build-tests --disable-xctest --disable-index-store
