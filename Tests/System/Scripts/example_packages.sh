#!/usr/bin/env bash
# The example packages that the guides show block by block (Tests/System/Documents compares them): their own tests pass. Uses
# SCRATCH (a folder; .build where it is not set) for what the build makes, in a folder of its own there, which the packages
# share so that Plumb is compiled once.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

scratch=${SCRATCH:-.build}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)/testing-docs
for example in docs/examples/swift-tests docs/examples/new-sensor; do
  "${SWIFT:-swift}" test --package-path "$example" --scratch-path "$scratch" --disable-xctest
done
