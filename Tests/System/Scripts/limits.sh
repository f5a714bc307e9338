#!/usr/bin/env bash
# Tests that hanging scripts and Swift tests are ended with everything that they started, and named; and that the runner
# of the scripts passes on no ignored signal.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

python3 -B -W error Tests/Support/Python/test_limits.py
