# shellcheck shell=bash disable=SC2034  # read by the scripts that source this one
# How modules are compiled as Embedded Swift: the options that all scripts share, and modules that several of them use.
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh

# With each function in its own section, so that the linker can drop it.
embedded_flags=(-enable-experimental-feature Embedded -wmo -parse-as-library -package-name plumb
  -warnings-as-errors -strict-memory-safety -enable-upcoming-feature ExistentialAny
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
  -Xfrontend -function-sections -Xfrontend -disable-stack-protector)

# sources_of MODULE: its sources.
sources_of() { find -L Sources/*/"$1" -name '*.swift' | sort; }

# emit_module MODULE FOLDER OPTION...: makes FOLDER/MODULE.swiftmodule; sources are among the options.
emit_module() {
  "$swiftc" "${embedded_flags[@]}" -module-name "$1" -I "$2" -emit-module -emit-module-path "$2/$1.swiftmodule" "${@:3}"
}

# shared_modules TRIPLE: begins build/objects/modules/ARCHITECTURE, the modules that all programs on it share. Sets
# `shared` to it, and `maps` to the options for the C that they import. 32-bit ARM has one folder, because a module has no
# machine code: programs for ARMv7 are the same, byte for byte, with ARMv6's modules as with their own.
shared_modules() {
  local map
  case $1 in
    arm*) shared=build/objects/modules/arm shared_flags=(-target armv6-none-none-eabi -Xcc -mfloat-abi=soft) ;;
    aarch64-*) shared=build/objects/modules/aarch64 shared_flags=(-target "$1" -Xcc -fPIC) ;;
    *) shared=build/objects/modules/${1%%-*} shared_flags=(-target "$1") ;;
  esac
  maps=(-Xcc "-fmodule-map-file=$shared/module.modulemap")
  mkdir -p "$shared"
  map=$(mktemp "$shared/map-XXXXXX")
  {
    printf 'module CSupport { header "%s" export * }\n' "$PWD/CSupport/include/csupport.h"
    printf 'module CConnect { header "%s" header "%s" header "%s" export * }\n' "$PWD"/CSupport/connect/include/csupport_{connect,serial,socket}.h
    printf 'module CMQTT { header "%s" export * }\n' "$PWD/CSupport/mqtt/include/cmqtt.h"
    printf 'module CDesktop { header "%s" export * }\n' "$PWD/CSupport/desktop/include/cdesktop.h"
  } >"$map"
  # In one step and only if it differs: another script may be compiling with it.
  if cmp -s "$map" "$shared/module.modulemap"; then rm "$map"; else mv -f "$map" "$shared/module.modulemap"; fi
}

# is_older FILE OTHER...: whether FILE is missing, or older than an OTHER, the C's headers, the compiler or these scripts.
is_older() {
  [ -f "$1" ] || return 0
  local newer
  newer=$(find -L "${@:2}" CSupport/include CSupport/*/include scripts/{modules,core-targets}.sh "$toolchain/swiftc" \
    -newer "$1" -print -quit) || return 0
  [ -n "$newer" ]
}

# compile_shared MODULE OPTION...: puts it into $shared, unless it is there and newer than what it is made from. One
# script compiles it, and the others wait.
compile_shared() {
  local module=$1 made=$shared/$1.swiftmodule sources imported begun
  shift
  exec 9>"$shared/$module.lock"
  flock 9
  mapfile -t sources < <(sources_of "$module")
  mapfile -t imported < <(sed -nE 's/^([a-z@_]+ )*import +([A-Za-z]+)$/\2/p' "${sources[@]}" | sort -u |
    while read -r name; do [ ! -f "$shared/$name.swiftmodule" ] || echo "$shared/$name.swiftmodule"; done)
  if is_older "$made" Sources/*/"$module" "${imported[@]}"; then
    begun=$(mktemp "$shared/begun-XXXXXX")
    emit_module "$module" "$shared" "${shared_flags[@]}" -Osize "$@" "${maps[@]}" "${sources[@]}" 9>&-
    # With the time of the start, so that a source changed in the meantime counts as newer.
    touch -r "$begun" "$made"
    rm "$begun"
  fi
  exec 9>&-
}
