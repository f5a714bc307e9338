#!/usr/bin/env bash
# Gate: the core computes the same bits on every processor.
#
#     Tests/Proofs/Gates/bit_exact.sh
#
# Runs Tests/Proofs/Gates/bits.c natively and, under QEMU's user emulation, on aarch64 and on 32-bit ARM. Code for the
# Cortex-M4 and M0 is ordinary Thumb code: linked into a Linux program it runs there too. WebAssembly runs in two
# engines: in the toolchain's interpreter (wasmkit), and compiled by Node.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
recordings=(Tests/Programs/EndToEnd/Recordings/*.csv Tests/Proofs/Microcontroller/Recordings/*.csv)
echo 'gate: bit-exact'

# run TARGET COMPILER EMULATOR [FLAG]...: builds bits.c with the library of TARGET and runs it
run() {
  local target=$1 compiler=$2 emulator=$3 library=build/core/$1/libplumb.a
  shift 3
  command -v "$compiler" >/dev/null 2>&1 || { printf 'gate: bit-exact: no %s: make setup-gates\n' "$compiler"; exit 1; }
  [ -f "$library" ] || { printf 'gate: bit-exact: %s is not there: make core\n' "$library"; exit 1; }
  # The linker rejects a mixture of microcontroller and application-processor objects; without attributes it cannot
  # tell.
  "$toolchain/llvm-objcopy" -R .ARM.attributes "$library" "$work/$target.a"
  "$compiler" -std=c11 -O1 -Wall -Wextra -Wconversion -Werror "$@" -static -I build/core/include Tests/Proofs/Gates/bits.c \
    "$work/$target.a" -o "$work/bits-$target"
  # shellcheck disable=SC2086  # no word where there is no emulator
  $emulator "$work/bits-$target" "${recordings[@]}" >"$work/$target"
}

case $(uname -m) in
  x86_64) run x86_64-linux gcc '' ;;
  *) printf 'gate: bit-exact: x86_64-linux is left out: this is %s\n' "$(uname -m)" ;;
esac
run aarch64 aarch64-linux-gnu-gcc qemu-aarch64-static
run armv6 arm-linux-gnueabi-gcc qemu-arm-static -march=armv6 -marm
run armv7em arm-linux-gnueabi-gcc 'qemu-arm-static -cpu max'
run armv6m arm-linux-gnueabi-gcc 'qemu-arm-static -cpu max'

# run_wasm: builds bits.c with what scripts/core.sh has compiled for wasm32, a C library and its helpers, and runs it.
run_wasm() {
  local objects=build/core-objects/wasm32 program=$work/bits.wasm builtins
  [ -f build/core/wasm32/plumb.wasm ] || { echo 'gate: bit-exact: build/core/wasm32/plumb.wasm is not there: make core TARGETS=wasm32'; exit 1; }
  builtins=$(find /usr/lib/llvm-* -name 'libclang_rt.builtins-wasm32.a' 2>/dev/null | sort | tail -n 1)
  if [ ! -f /usr/lib/wasm32-wasi/crt1.o ] || [ -z "$builtins" ]; then
    echo 'gate: bit-exact: no C library for WebAssembly: make setup-gates'
    exit 1
  fi
  "$toolchain/clang" --target=wasm32-wasi -std=c11 -O1 -Wall -Wextra -Wconversion -Werror -isystem /usr/include/wasm32-wasi \
    -I build/core/include -c Tests/Proofs/Gates/bits.c -o "$work/bits.o"
  "$toolchain/wasm-ld" --gc-sections -z stack-size=1048576 /usr/lib/wasm32-wasi/crt1.o "$work/bits.o" \
    "$objects"/{CoreABI,multiply}.o /usr/lib/wasm32-wasi/libc.a "$builtins" -o "$program"
  "$toolchain/wasmkit" run --dir . "$program" "${recordings[@]}" >"$work/wasm32"
  node --no-warnings Tests/Proofs/Gates/wasi.mjs "$program" "${recordings[@]}" >"$work/node"
}
run_wasm

targets=()
for target in "${core_targets[@]}" wasm32 node; do [ ! -f "$work/$target" ] || targets+=("$target"); done
awk -v targets="${targets[*]}" '
  FNR == 1 { file++ }
  { hash[file, FNR] = $2; name[FNR] = $1; if (FNR > rows) rows = FNR }
  END {
    count = split(targets, target, " ")
    printf "  %-34s", "hash of"
    for (i = 1; i <= count; i++) printf "  %-16s", target[i]
    print ""
    for (row = 1; row <= rows; row++) {
      printf "  %-34s", name[row]
      for (i = 1; i <= count; i++) {
        printf "  %-16s", hash[i, row]
        if (hash[i, row] != hash[1, row])
          complaint[++complaints] = target[i] " differs from " target[1] " in " name[row]
      }
      print ""
    }
    for (i = 1; i <= complaints; i++) print "gate: bit-exact: " complaint[i]
    exit complaints > 0
  }' "${targets[@]/#/$work/}"
printf 'gate: bit-exact: passed (every function, every recording, on every target)\n\n'
