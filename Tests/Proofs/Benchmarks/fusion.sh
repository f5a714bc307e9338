#!/usr/bin/env bash
# Compares the gyroscope fusion with other filters: accuracy on trials with optical truth, and instructions per
# update.
#
#     Tests/Proofs/Benchmarks/fusion.sh        (run by bench.sh, after peers.sh, which installs the filters)
#
# The tables go to build/bench/fusion.md and build/bench/fusion-cost.md, and from there into docs/fusion.md by `make
# numerics`. Without the other filters it is skipped, with a message. Exit codes: 0 all good; 1 over a limit.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

here=Tests/Proofs/Benchmarks
python=build/bench-venv/bin/python
out=build/bench
export PYTHONHASHSEED=0 OPENBLAS_NUM_THREADS=1
printf '\nbench: the fusion beside others, on eight trials with optical truth\n\n'
if ! "$python" -c 'import vqf, imufusion, ahrs' 2>/dev/null; then
  printf 'bench: the fusion is not compared: pip could not install the others, so PyPI may be out of reach\n'
  exit 0
fi
status=0
"$python" -B "$here/fusion.py" accuracy build/plumb >"$out/fusion.md" || status=1
cat "$out/fusion.md"

# inside FILTER: instructions of one update in C++, without Python's
inside() {
  local calls=4000 counts=$out/fusion.$1
  valgrind --tool=callgrind --toggle-collect="$1::update(double const*, double const*)" \
    --callgrind-out-file="$counts" "$python" -B "$here/fusion.py" count "$1" "$calls" >"$counts.txt" 2>&1 || {
    tail -n 20 "$counts.txt" >&2
    return 1
  }
  awk -v calls="$calls" '/^totals: / { printf "%.0f", $2 / calls }' "$counts"
}
{
  printf '| one update on x86-64 | instructions |\n|---|---:|\n'
  awk -F '|' '
    $2 == " plain " { plain = $3 }
    $2 == " fused " { printf "| Plumb (fixed point): what the fusion adds to a step | %.0f |\n", $3 - plain }' "$out/table.md"
  printf '| VQF (C++, double) | %s |\n' "$(inside VQF)"
  printf '| BasicVQF (C++, double) | %s |\n' "$(inside BasicVQF)"
  awk -F '|' '/imufusion/ { printf "| imufusion (C, float) |%s|\n", $3 }' "$out/peers.md"
} | tee "$out/fusion-cost.md"
exit "$status"
