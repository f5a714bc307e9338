#!/usr/bin/env bash
# Times the core and libm on the same inputs with ordo-one/benchmark: nanoseconds per call, in the release build.
#
#     Tests/Proofs/Benchmarks/time.sh        (or `make bench-time`; SCRATCH=folder of the build)
#
# Times depend on the computer and its load: they are printed, and cause no failure.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")"

root=$(cd ../.. && pwd)
out=$root/build/bench-time
scratch=${SCRATCH:-$root/.build-benchmarks}
mkdir -p "$out"

# The plugin starts the programs that it built, which its own sandbox would forbid to root.
if ! "${SWIFT:-swift}" package --scratch-path "$scratch" --disable-sandbox benchmark --no-progress \
  --time-units nanoseconds >"$out/time.txt" 2>"$out/time.log"; then
  tail -n 30 "$out/time.txt" "$out/time.log" >&2
  exit 1
fi
# A thousand calls are one iteration; the third column is the median.
awk -F '│' '
  / *: / && !/│/ { name = $0 }
  /Time \(wall clock\)/ { printf "| %s | %.1f |\n", name, $5 / 1000; found = 1 }
  END { exit !found }' "$out/time.txt" >"$out/time.rows" || {
  printf 'bench: no times in what the benchmarks printed: see %s\n' "$out/time.txt" >&2
  exit 1
}
printf '| function | ns a call, median |\n|---|---:|\n' | cat - "$out/time.rows" >"$out/time.md"
cat "$out/time.md"
