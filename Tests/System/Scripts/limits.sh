#!/usr/bin/env bash
# Scripts and Swift tests that do not end are ended, with all that they started, and named; and what runs the scripts hands no
# ignored signal on.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

python3 -B -W error Tests/Support/Python/test_limits.py
