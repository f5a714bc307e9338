#!/usr/bin/env bash
# Counts the instructions of a block of vibration, and its memory: build/bench/vibration.md.
#
#     Tests/Proofs/Benchmarks/vibration.sh        (run by bench.sh)
#
# The module is compiled as for the daemon: Embedded Swift, -Osize, without a heap. A count is the difference between
# runs of 30 and of 10 blocks of each axis. Exit code 1 if a block exceeds its limit: 28 · N · log2(N) instructions
# for a spectrum, 36 · N · log2(N) for bands.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh

here=Tests/Proofs/Benchmarks/Vibration
out=build/bench/vibration
flags=(-target x86_64-unknown-linux-gnu -enable-experimental-feature Embedded -wmo -Osize -no-allocations -parse-as-library
  -package-name plumb -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
  -Xfrontend -function-sections -I "$out")
rm -rf "$out"
mkdir -p "$out"
for module in FixedPoint Vibration; do
  "$swiftc" "${flags[@]}" -module-name "$module" -emit-module -emit-module-path "$out/$module.swiftmodule" \
    Sources/Core/"$module"/*.swift
done
"$swiftc" "${flags[@]}" -module-name Blocks -c "$here/Blocks.swift" -o "$out/blocks.o"
# GNU ld rejects Embedded Swift's objects; the toolchain's own linker accepts them.
"$toolchain/clang" -B"$toolchain" -fuse-ld=lld -Wl,--gc-sections "$here/main.c" "$out/blocks.o" -o "$out/run"

# count BINS BANDS SAMPLES: the instructions of a run
count() {
  valgrind --tool=callgrind --callgrind-out-file="$out/counts" "$out/run" "$@" >/dev/null 2>"$out/valgrind.txt" || {
    tail -n 20 "$out/valgrind.txt" >&2
    return 1
  }
  awk '/^(summary|totals): / { sum = $2 } END { print sum }' "$out/counts"
}

printf '\nbench: instructions a block of vibration, and bytes\n\n'
status=0
{
  printf '| samples a block | spectrum: instructions a block of an axis | a sample | bytes | bands: instructions a block of an axis | a sample | bytes |\n'
  printf '|---:|---:|---:|---:|---:|---:|---:|\n'
  for bins in 32 64 128 256 512; do
    row="| $((2 * bins)) |"
    for bands in 0 1; do
      few=$(count "$bins" "$bands" $((10 * bins)))
      many=$(count "$bins" "$bands" $((30 * bins)))
      block=$(((many - few) / 60))
      log=$(awk -v n="$((2 * bins))" 'BEGIN { print int(log(n) / log(2) + .5) }')
      [ "$block" -le $(((28 + 8 * bands) * 2 * bins * log)) ] || {
        printf 'bench: a block of %d samples takes %d instructions\n' "$((2 * bins))" "$block" >&2
        status=1
      }
      row+=" $block | $(((many - few) / (20 * bins))) | $("$out/run" "$bins" "$bands") |"
    done
    printf '%s\n' "$row"
  done
} >build/bench/vibration.md
cat build/bench/vibration.md
exit "$status"
