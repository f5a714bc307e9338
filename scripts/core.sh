#!/usr/bin/env bash
# Builds the core as a C library: build/core/<target>/libplumb.a and build/core/include/plumb.h.
#
#     scripts/core.sh [TARGET]...      (default: all of scripts/core-targets.sh; host: that of this machine; wasm32: a
#                                      module for the gates in place of a library, build/core/wasm32/plumb.wasm)
#
# Compiles everything as Embedded Swift without allocations, with each function and table in its own section. The single
# object with all code is then linked with itself (-r --gc-sections), which drops what no exported function reaches: the
# Swift runtime's own helpers. The result exports only plumb_*.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
# shellcheck source=scripts/modules.sh
. scripts/modules.sh

include=Sources/Core/CoreABI/include
modules=(FixedPoint HAL Sensors Orientation Gestures Vibration Indication Monitor)

# The functions that the headers declare, without the inline ones that call others by version: the exports, and the
# roots for the linker.
mapfile -t exports < <(cat "$include"/plumb{,_fusion,_movement,_rest,_taps,_tare,_vibration}.h | grep -v '^static inline' |
  grep -oE '\bplumb_[a-z0-9_]+\(' | tr -d '(' | sort -u)

# is_fresh LIBRARY: whether it exists, and no source, script or compiler is newer.
is_fresh() {
  [ -f "$1" ] || return 1
  local newer
  # shellcheck disable=SC2068  # patterns, on purpose: a module's layer is not named here
  newer=$(find ${modules[@]/#/Sources/*/} Sources/Core/CoreABI scripts/{core,core-targets,modules}.sh "$toolchain/swiftc" \
    -newer "$1" -print -quit) || return 1
  [ -z "$newer" ]
}

# needed_of MODULE: its sources. The library has no driver, so of Sensors it needs only the files that name no model.
needed_of() {
  if [ "$1" = Sensors ]; then
    find Sources/*/Sensors -maxdepth 1 -name '*.swift' -exec grep -L SensorModel {} + | sort
  else
    sources_of "$1"
  fi
}

build() {
  local name=$1 out work module sources product=libplumb.a
  if [ "$name" = host ]; then
    name=$(host_target)
    if [ -z "$name" ]; then
      printf 'core: no core library for this machine (%s)\n' "$(uname -m)"
      return
    fi
  fi
  out=build/core/$name work=build/core-objects/$name
  core_target "$name"
  [ "$name" != wasm32 ] || product=plumb.wasm
  if is_fresh "$out/$product"; then
    printf 'core: %-13s %s, as before\n' "$name" "$out/$product"
    return
  fi
  rm -rf "$work"
  mkdir -p "$out" "$work"
  touch "$work/begun"
  for module in "${modules[@]}"; do
    mapfile -t sources < <(needed_of "$module")
    emit_module "$module" "$work" -target "$triple" -no-allocations "${target_flags[@]}" "${sources[@]}"
  done
  "$swiftc" -target "$triple" "${embedded_flags[@]}" -no-allocations "${target_flags[@]}" -module-name CoreABI -I "$work" -I "$include" \
    -c Sources/Core/CoreABI/*.swift -o "$work/CoreABI.o"
  if [ "$name" = wasm32 ]; then
    link_module "$work"
  else
    reduce "$name" "$work"
    "$toolchain/llvm-ar" rcsD "$work/libplumb.a" "$work/plumb.o"
  fi
  # With the time of the start, so that a source changed in the meantime counts as newer.
  touch -r "$work/begun" "$work/$product"
  mv -f "$work/$product" "$out/$product"
  printf 'core: %-13s %s, %d functions\n' "$name" "$out/$product" "${#exports[@]}"
}

# link_module WORK: makes WORK/plumb.wasm from WORK/CoreABI.o, with the names of its functions for the gates.
link_module() {
  "$toolchain/clang" --target="$triple" -Os -ffreestanding -c CSupport/web/multiply.c -o "$1/multiply.o"
  "$toolchain/wasm-ld" --no-entry --gc-sections --strip-debug --stack-first -z stack-size=65536 \
    --initial-memory=131072 --max-memory=131072 \
    "${exports[@]/#/--export=}" "$1"/{CoreABI,multiply}.o -o "$1/plumb.wasm"
}

# reduce NAME WORK: makes WORK/plumb.o from WORK/CoreABI.o.
reduce() {
  # The linker keeps this although nothing refers to it: an unwinder's hook that traps.
  local drop=(-R .text._swift_exceptionPersonality -R .ARM.exidx.text._swift_exceptionPersonality
    -R .rel.ARM.exidx.text._swift_exceptionPersonality -N _swift_exceptionPersonality
    -R .swift_modhash -R .swift1_autolink_entries -R .linker-options -R .comment)
  # No exception passes through the core, and on a microcontroller unwind tables would take flash.
  is_linux "$1" || drop+=(-R '.ARM.exidx*' -R '.rel.ARM.exidx*' -R .eh_frame -R .rela.eh_frame)
  "$toolchain/ld.lld" -r --gc-sections "${exports[@]/#/--undefined=}" "$2/CoreABI.o" -o "$2/linked.o"
  "$toolchain/llvm-objcopy" --wildcard "${drop[@]}" "${exports[@]/#/--keep-global-symbol=}" \
    "$2/linked.o" "$2/plumb.o"
  [ -z "$cpu" ] || state_attributes "$2"
  if "$toolchain/llvm-nm" "$2/plumb.o" | grep plumb_monitor_t_is_too_small >/dev/null; then
    printf 'core: %s: a Swift state does not fit into its C struct: raise PLUMB_MONITOR_SIZE, PLUMB_MOVEMENT_SIZE or PLUMB_FUSION_SIZE\n' "$1" >&2
    return 1
  fi
}

# state_attributes WORK: marks WORK/plumb.o as compatible with every floating-point ABI and every size of enums, because
# no function takes or returns either. The compiler's own attributes would exclude it from hard-float programs.
state_attributes() {
  printf '.cpu %s\n.eabi_attribute %s\n.eabi_attribute %s\n.eabi_attribute %s\n.eabi_attribute %s\n.eabi_attribute %s\n' \
    "$cpu" 'Tag_FP_arch, 0' 'Tag_ABI_HardFP_use, 0' 'Tag_ABI_VFP_args, 3' 'Tag_ABI_align_needed, 1' \
    'Tag_ABI_align_preserved, 1' >"$1/attributes.s"
  "$toolchain/clang" --target="$triple" -c "$1/attributes.s" -o "$1/attributes.o"
  "$toolchain/llvm-objcopy" --dump-section .ARM.attributes="$1/attributes.bin" "$1/attributes.o"
  "$toolchain/llvm-objcopy" --update-section .ARM.attributes="$1/attributes.bin" "$1/plumb.o"
}

mkdir -p build/core/include
for header in plumb.h plumb_fusion.h plumb_movement.h plumb_rest.h plumb_taps.h plumb_tare.h plumb_vibration.h; do
  # Not touched if unchanged: another script may be compiling with it.
  cmp -s "$include/$header" "build/core/include/$header" || cp -f "$include/$header" build/core/include/
done
[ $# -gt 0 ] || set -- "${core_targets[@]}"
for target in "$@"; do build "$target"; done
