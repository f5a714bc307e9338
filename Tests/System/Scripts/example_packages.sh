#!/usr/bin/env bash
# Runs the tests of the example packages that the guides show block by block (Tests/System/Documents compares them).
# Builds in a subfolder of SCRATCH (.build by default), which the packages share so that Plumb is compiled once.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

scratch=${SCRATCH:-.build}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)/testing-docs
for example in docs/examples/swift-tests docs/examples/new-sensor; do
  "${SWIFT:-swift}" test --package-path "$example" --scratch-path "$scratch" --disable-xctest
done
