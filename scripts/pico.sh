#!/usr/bin/env bash
# Builds the firmware for a Raspberry Pi Pico: build/pico/plumb-<sensor>.uf2, to be copied onto the Pico.
#
#     scripts/pico.sh [BOARD]...        (board files; default: boards/pico-*.ini; PLUMB=build/plumb reads them)
#
# Swift's part is Embedded Swift without allocations. Flash and RAM are limited by CSupport/pico/link.ld.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
# shellcheck source=scripts/modules.sh
. scripts/modules.sh

core_target armv6m
plumb=${PLUMB:-build/plumb}
modules=(FixedPoint HAL JSON Sensors Orientation Gestures Vibration Indication Monitor FixedText Text BoardFile StreamCodec StreamLines SerialStream PicoHAL)
flags=(-no-allocations "${target_flags[@]}" "${small_flags[@]}")
c_flags=(-std=gnu11 -Os -Wall -Wextra -Wconversion -Werror -ffunction-sections -fdata-sections -mcpu=cortex-m0plus -mthumb
  -ffreestanding -fno-short-enums -fno-tree-loop-distribute-patterns)
c_sources=(CSupport/pico/{boot,divide,memory}.c)
common=build/objects/pico
libgcc=$(arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -print-libgcc-file-name)

# is_fresh FILE [BOARD]: whether no source, script, compiler or board file is newer than FILE.
is_fresh() {
  [ -f "$1" ] || return 1
  local newer
  # shellcheck disable=SC2068  # patterns, on purpose: a module's layer is not named here
  newer=$(find ${modules[@]/#/Sources/*/} Sources/Pico CSupport/pico CSupport/include \
    scripts/{pico,pico-usb,modules,core-targets}.sh scripts/pico-sources.txt scripts/uf2.py "$plumb" "$toolchain/swiftc" "${@:2}" \
    -newer "$1" -print -quit) || return 1
  [ -z "$newer" ]
}

# The modules, which are the same for every board.
compile_modules() {
  local module sources
  ! is_fresh "$common/done" || return 0
  rm -rf "$common"
  mkdir -p "$common"
  touch "$common/begun"
  {
    printf 'module CSupport { header "%s" export * }\n' "$PWD/CSupport/include/csupport.h"
    printf 'module CPico { header "%s" header "%s" export * }\n' "$PWD/CSupport/pico/include/"cpico{,_usb}.h
  } >"$common/module.modulemap"
  maps=(-Xcc "-fmodule-map-file=$common/module.modulemap")
  for module in "${modules[@]}"; do
    mapfile -t sources < <(sources_of "$module")
    emit_module "$module" "$common" -target "$triple" "${flags[@]}" "${maps[@]}" "${sources[@]}"
  done
  for source in "${c_sources[@]}"; do
    arm-none-eabi-gcc "${c_flags[@]}" -c "$source" -o "$common/$(basename "$source" .c).o"
  done
  bash scripts/pico-usb.sh "$common"
  touch -r "$common/begun" "$common/done"
}

build() {
  local board=$1 sensor work
  work=$common-$(basename "$board" .ini)
  if ! is_fresh "$work/done" "$board" || [ "$(cat "$work/done")" != "$board" ]; then link "$board" "$work"; fi
  # Also if nothing has changed: another board with this sensor has a file of the same name.
  sensor=$(sed -nE 's/^  static var model.*"(.*)".*/\1/p' "$work/CompiledBoard.swift")
  python3 -B scripts/uf2.py "$work/plumb.elf" "build/pico/plumb-$sensor.uf2"
}

# allow_inlining FILE: the LLVM IR of FILE, in which the accesses to enumerations that swiftc takes out ($e...WO...) may be
# inlined again. swiftc makes them noinline and has no option against it, but most are a load and a comparison, which take
# less flash than a call. Attributes are groups, #NUMBER, that other functions have too: the accesses get #1000NUMBER, a
# copy without that word.
allow_inlining() {
  if ! grep -qE '^define.*WO[^"]*"\(.* #[0-9]+ ' "$1" || ! grep -q '^attributes #.* noinline ' "$1"; then
    printf '%s\n' "pico.sh: $1 has no noinline accesses to enumerations: does this swiftc name them otherwise?" >&2
    return 1
  fi
  sed -E -e '/^define.*WO[^"]*"\(/ s/ #([0-9]+) / #1000\1 /' \
    -e '/^attributes #/ { h; s/ noinline / /; s/#/#1000/; x; G; }' "$1"
}

# link BOARD WORK: makes WORK/plumb.elf.
link() {
  local board=$1 work=$2
  rm -rf "$work"
  mkdir -p "$work" build/pico
  touch "$work/begun"
  "$plumb" pico "$board" >"$work/CompiledBoard.swift"
  # Functions of five instructions or more are merged if they differ in constants alone. The linker gets Swift's part as
  # bitcode: that no other program calls its functions is known only there. It optimises twice, the second time for size
  # alone: what is left after the first is often small enough to be inlined. It inlines nothing that has much on the
  # stack, which is to be free again; values are split for size, and loops left as they are. The bitcode is clang's,
  # because swiftc stops as it writes a summary of unnamed functions. Each gain is in docs/decisions/0038.
  "$swiftc" -target "$triple" "${embedded_flags[@]}" "${flags[@]}" -Xcc "-fmodule-map-file=$common/module.modulemap" \
    -Xllvm -swiftmergefunc-threshold=5 -module-name Firmware -I "$common" -emit-ir Sources/Pico/Firmware/*.swift \
    "$work/CompiledBoard.swift" -o "$work/compiled.ll"
  allow_inlining "$work/compiled.ll" >"$work/swift.ll"
  "$toolchain/clang" --target="$triple" -c -emit-llvm -Xclang -disable-llvm-passes "$work/swift.ll" -o "$work/swift.o"
  "$toolchain/ld.lld" -T CSupport/pico/link.ld --lto-newpm-passes='lto<O2>,default<Oz>' -mllvm -inline-max-stacksize=256 \
    -mllvm -split-spill-mode=size -mllvm -disable-lsr --icf=all --gc-sections -z noexecstack -Map="$work/map" --trace \
    "$common"/{boot,divide,memory}.o "$common"/usb/*.o "$work/swift.o" "$libgcc" -o "$work/plumb.elf" >build/pico/linked
  printf '%s\n' "$board" >"$work/done"
  touch -r "$work/begun" "$work/done"
}

compile_modules
[ $# -gt 0 ] || set -- boards/pico-*.ini
for board in "$@"; do build "$board"; done
