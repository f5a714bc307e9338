#!/usr/bin/env bash
# Counts instructions per call on x86-64 with callgrind: the C library's functions against libm's on the same inputs,
# and the whole step against the same work in plain C with `float` (reference.c), in one run.
#
#     Tests/Proofs/Benchmarks/bench.sh [--counts]     (after `make core build`; CORE=folder names another library)
#
# With --counts only values that are the same in every run: no peers, which come from PyPI, and no time.
#
# Exit codes: 0 all good; 1 over a limit, the reference disagrees, or docs/numerics.md has other values; 69 a tool or
# the library is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

here=Tests/Proofs/Benchmarks
replay=Tests/Proofs/Microcontroller
core=${CORE:-build/core}
library=$core/x86_64-linux/libplumb.a
out=build/bench
flags=(-std=gnu11 -O2 -Wall -Wextra -Wconversion -Werror "-I$here" "-I$replay" "-I$core/include")

# Instructions per call; for a fused step, the extra cost over a plain one of the same samples. The arcs and the sine
# are those of every target (docs/decisions/0015-one-arithmetic.md).
limits='atan2 82  degrees 6  sqrt 66  hypot 65  asin 78  acos 78  sincos 78  fused 300'

missing() {
  printf 'bench: %s is missing; %s\n' "$1" "$2" >&2
  exit 69
}
[ "$(uname -m)" = x86_64 ] || missing 'an x86-64 processor' 'the limits are for that one'
for tool in gcc valgrind; do
  command -v "$tool" >/dev/null || missing "$tool" 'run make setup-bench'
done
[ -f "$library" ] || missing "$library" 'run make core'

rm -rf "$out"
mkdir -p "$out"
awk -f "$replay/recordings.awk" Tests/Programs/EndToEnd/Recordings/*.csv >"$out/recordings.c"
awk -f "$replay/fused.awk" "$replay"/Recordings/*.csv >"$out/fused.c"
# The reference is compiled as usual. The harness must not compute libm's functions itself: -fno-builtin.
gcc "${flags[@]}" -c "$here/reference.c" -o "$out/reference.o"
gcc "${flags[@]}" -fno-builtin "$here"/{calls,steps,shapes}.c "$out/reference.o" "$out"/{recordings,fused}.c "$library" -lm \
  -o "$out/calls"
if ! valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$out/counts" "$out/calls" \
  >"$out/agreement.txt" 2>"$out/valgrind.txt"; then
  tail -n 20 "$out/valgrind.txt" "$out/agreement.txt" >&2
  exit 1
fi
# Each count is a separate file, in order; its name and its sum are two of the lines.
mapfile -t parts < <(find "$out" -name 'counts.*' | sort -V)
awk '
  sub(/^desc: Trigger: Client Request: /, "") { name = $0 }
  /^totals: / && name { print name, $2; name = "" }' "${parts[@]}" >"$out/counts.txt"

printf 'bench: instructions a call on x86-64, less an empty call (callgrind)\n\n'
status=0
awk -v limits="$limits" -v failures="$out/failures.txt" -f "$here/table.awk" "$out/counts.txt" >"$out/table.md" ||
  status=1
cat "$out/table.md"
printf '\n'
awk '$1 == "agreement" {
  printf "The step and the reference over %d samples: angles %s° apart at most (steering %s°), ", $3, $5, $7
  printf "%d samples with another pose, %d and %d events.\n", $9, $11, $12
}' "$out/agreement.txt" | tee "$out/agreement.md"

if [ "${1:-}" != --counts ]; then
  bash "$here/peers.sh"
  bash "$here/vibration.sh" || status=1
  bash "$here/fusion.sh" || status=1
  bash "$here/recordings.sh" || status=1
fi
[ "$status" -eq 0 ] || [ ! -f "$out/failures.txt" ] || cat "$out/failures.txt" >&2
[ -n "${CORE:-}" ] || python3 -B "$here/check.py" "$out/table.md" "$out/agreement.md" || status=1
exit "$status"
