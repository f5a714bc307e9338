#!/usr/bin/env bash
# Tests plumbd as a program: what it prints and does on a bus that the test answers for, what it reports to a service
# manager, how many system calls a sample costs (with strace), and how much memory stays resident. Builds build/plumbd
# if it is missing. The tool (PLUMB=build/plumb) waits for the same data-ready line.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

bash scripts/program.sh plumbd host
export PLUMBD=$PWD/build/plumbd
cd Tests/System/Daemon
python3 -B ../../Support/Python/side_by_side.py --jobs 2 --limit 900 test_{plumbd,ready,batches,power,service,check,share,tool,vibration} -- python3 -B -W error -m unittest
