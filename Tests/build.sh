#!/usr/bin/env bash
# Compiles Swift code with its tests. Test modules are most of the code and run only once, so they are compiled
# unoptimised, except those that compute a lot (Package.swift, `computing`).
#
#     Tests/build.sh release     for `make test`: compiles everything else as `make build` does, so that both share it
#     Tests/build.sh debug       for `make test-only`: compiles file by file, so that a change to one recompiles little;
#                                optimises only what computes a lot
#
# SCRATCH: the folder for the build's intermediate files, .build by default; PLUMB_ONLY: the test targets, all by
# default; PLUMB_WITHOUT: targets to leave out.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra flags <scripts/build-flags
flags+=(--scratch-path "${SCRATCH:-.build}" --disable-xctest)
case ${1:-} in
  # Not `swift test list`, which recompiles everything for testable imports; no option prevents that.
  release)
    export PLUMB_TEST_PROGRAM=1
    flags+=(-c release --disable-index-store)
    # First: a build takes what is ready by name, from Z to A, so this would come last, and the tool, which needs it,
    # would compile alone at the end. Meanwhile the other core compiles the C library.
    "${SWIFT:-swift}" build "${flags[@]}" --target ArgumentParser
    exec "${SWIFT:-swift}" build "${flags[@]}" --build-tests
    ;;
  debug) PLUMB_TEST_BUILD=1 exec "${SWIFT:-swift}" build "${flags[@]}" --build-tests ;;
  *)
    echo 'usage: Tests/build.sh release|debug' >&2
    exit 64
    ;;
esac
