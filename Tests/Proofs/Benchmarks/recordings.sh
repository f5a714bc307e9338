#!/usr/bin/env bash
# Measures `plumb replay` and `plumb plot` of a million rows: time against numpy.loadtxt, and memory.
#
#     Tests/Proofs/Benchmarks/recordings.sh        (run by bench.sh, after peers.sh, which installs numpy)
#
# Without numpy it is skipped, with a message. Exit codes: 0 all good; 1 over a limit.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

python=build/bench-venv/bin/python
out=build/bench/recordings
printf '\nbench: recordings, processor time and peak memory\n\n'
if ! "$python" -c 'import numpy' 2>/dev/null; then
  printf 'bench: recordings are not measured: numpy is not there, so PyPI may be out of reach\n'
  exit 0
fi
mkdir -p "$out"
status=0
OPENBLAS_NUM_THREADS=1 "$python" Tests/Proofs/Benchmarks/recordings.py build/plumb "$out" || status=1
rm -rf "$out"
exit "$status"
