#!/usr/bin/env bash
# plumbd as a program: what it says and does on a bus that the test answers for, what it tells a service manager, how many
# system calls a sample costs (with strace), how much memory stays resident. Builds build/plumbd where that is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash scripts/plumbd.sh host
PLUMBD=$PWD/build/plumbd python3 -B -W error -m unittest discover -s Tests/Daemon
