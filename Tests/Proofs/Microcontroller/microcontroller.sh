#!/usr/bin/env bash
# Runs the core on an emulated Cortex-M4 and Cortex-M0: replayed recordings must give the same results as on the host,
# bit for bit, and on the M4 no function may exceed its limit of instructions.
#
#     Tests/Proofs/Microcontroller/microcontroller.sh        (after `make core`; CORE=folder names another library)
#
# Exit codes: 0 all good; 1 a difference, over a limit, or docs/numerics.md has other values; 69 a tool or the library
# is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

here=Tests/Proofs/Microcontroller
core=${CORE:-build/core}
out=build/microcontroller
sources=("$here"/{startup,machine,firmware,report,replay,text,count,empty,memory}.c)
warnings=(-std=gnu11 -Wall -Wextra -Wconversion -Werror "-I$here" "-I$core/include")

# Instructions per call on the Cortex-M4, from the table of the project's goals. The step has no goal; it is reported.
# For a fused step, the mean extra cost over a plain one of the same samples.
limits='atan2 72  asin 68  acos 68  sqrt 90  hypot 85  sincos 55  fused 700'

missing() {
  printf 'microcontroller: %s is missing; %s\n' "$1" "$2" >&2
  exit 69
}
for tool in gcc arm-none-eabi-gcc qemu-system-arm; do
  command -v "$tool" >/dev/null || missing "$tool" 'run make setup-microcontroller'
done
for target in x86_64-linux armv7em armv6m; do
  [ -f "$core/$target/libplumb.a" ] || missing "$core/$target/libplumb.a" 'run make core'
done

rm -rf "$out"
mkdir -p "$out"
awk -f "$here/recordings.awk" Tests/Programs/EndToEnd/Recordings/*.csv >"$out/recordings.c"
awk -f "$here/fused.awk" "$here"/Recordings/*.csv >"$out/fused.c"
gcc "${warnings[@]}" -O2 "$here"/{host,report,replay,text}.c "$out/recordings.c" "$out/fused.c" "$core/x86_64-linux/libplumb.a" \
  -o "$out/host"
"$out/host" >"$out/host.txt"

# run NAME PROCESSOR LIBRARY HERTZ MACHINE: builds the firmware, runs it, and compares its replay with the host's
#
# shift=10 makes an instruction last 1024 ns of the emulated clock, which the system timer resolves many times over:
# each single call is counted exactly, and the same on every run. The firmware proves that on a hundred known
# instructions.
run() {
  arm-none-eabi-gcc "${warnings[@]}" "-DCLOCK_HZ=$4" "-mcpu=$2" -mthumb -Os -ffreestanding -fno-short-enums \
    -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections -nostdlib -T "$here/link.ld" \
    -Wl,--gc-sections,--no-enum-size-warning,-z,noexecstack \
    "${sources[@]}" "$out/recordings.c" "$out/fused.c" "$core/$3/libplumb.a" -lgcc -o "$out/$2.elf"
  # Semihosting writes to standard error. The firmware ends within a fraction of a second, unless it fails.
  if ! timeout 120 qemu-system-arm -M "$5" -icount shift=10 -nographic -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel "$out/$2.elf" >"$out/$2.txt" 2>&1 </dev/null; then
    printf 'microcontroller: the firmware failed on %s; it said:\n' "$1" >&2
    cat "$out/$2.txt" >&2
    exit 1
  fi
  if ! diff <(grep '^replay ' "$out/host.txt") <(grep '^replay ' "$out/$2.txt") >"$out/$2.diff"; then
    printf 'microcontroller: the replay on %s differs from the host (<):\n' "$1" >&2
    cat "$out/$2.diff" >&2
    exit 1
  fi
}

run 'the Cortex-M4 (mps2-an386)' cortex-m4 armv7em 25000000 mps2-an386
run 'the Cortex-M0 (microbit)' cortex-m0 armv6m 16000000 microbit

printf 'microcontroller: the replay is the same on the host, the Cortex-M4 and the Cortex-M0\n\n'
{
  printf '| recording | steps | events | hash of the events | hash of all steps |\n|---|---:|---:|---|---|\n'
  awk '$1 == "replay" { printf "| %s | %d | %d | %s | %s |\n", $2, $3, $4, $5, $6 }' "$out/host.txt"
} | tee "$out/replay.md"
printf '\nmicrocontroller: instructions a call, less an empty call (QEMU -icount)\n\n'
status=0
awk -v limits="$limits" -v failures="$out/failures.txt" -f "$here/table.awk" "$out/cortex-m4.txt" \
  "$out/cortex-m0.txt" >"$out/counts.md" || status=1
cat "$out/counts.md"
[ "$status" -eq 0 ] || cat "$out/failures.txt" >&2
[ -n "${CORE:-}" ] || python3 -B Tests/Proofs/Benchmarks/check.py "$out/replay.md" "$out/counts.md" || status=1
exit "$status"
