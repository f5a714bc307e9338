#!/usr/bin/env bash
# Compiles the core as Embedded Swift with -no-allocations for every supported architecture, with the example of a new
# sensor, then a small program that uses all of it, because generic code is checked only if it is specialised. The
# compiler looks for allocations before it generates code, so only what is for an ARMv7E-M becomes objects: nothing else
# of the project builds the drivers for it.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

# SWIFT=/path/to/swift selects the compiler, as everywhere; SWIFTC only if it is elsewhere.
swiftc=${SWIFTC:-$(dirname "$(command -v "${SWIFT:-swift}")")/swiftc}
triples=(x86_64-unknown-linux-gnu aarch64-none-none-elf armv6-none-none-eabi armv7em-none-none-eabi)
modules=(FixedPoint HAL Sensors Orientation Gestures Vibration Indication Monitor Plumb)
flags=(-enable-experimental-feature Embedded -wmo -Osize -no-allocations -parse-as-library -package-name plumb
  -warnings-as-errors -strict-memory-safety -enable-upcoming-feature ExistentialAny
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
  -Xfrontend -function-sections)

compile() { # folder of the module, triple, folder for the output, more flags...
  local module=${1##*/} folder=$1 triple=$2 out=$3
  shift 3
  mapfile -t sources < <(find "$folder" -name '*.swift' | sort)
  emit "$module" "$triple" "$out" "$@" "${sources[@]}"
}

emit() { # name of the module, triple, folder for the output, more flags and sources...
  local module=$1 triple=$2 out=$3
  shift 3
  [ "$triple" != armv7em-none-none-eabi ] || set -- "$@" -c -o "$out/$module.o"
  "$swiftc" -target "$triple" "${flags[@]}" -module-name "$module" -I "$out" \
    -emit-module -emit-module-path "$out/$module.swiftmodule" "$@"
}

for triple in "${triples[@]}"; do
  out="build/embedded/$triple"
  rm -rf "$out"
  mkdir -p "$out"
  for module in "${modules[@]}"; do
    compile Sources/*/"$module" "$triple" "$out"
  done
  compile docs/examples/new-sensor/Sources/TL3 "$triple" "$out"
  emit EmbeddedClient "$triple" "$out" Tests/Proofs/Gates/Embedded{Client,Movement}.swift
  printf 'embedded: %-28s %d modules and a client without allocations\n' "$triple" "${#modules[@]}"
done

# Board files are read only on Linux, through the C shim; the daemon needs them without allocations too.
out=build/embedded/x86_64-unknown-linux-gnu
printf 'module CSupport { header "%s" export * }\n' "$PWD/CSupport/include/csupport.h" >"$out/module.modulemap"
for module in FixedText Text BoardFile LinuxHAL SenseHAT IIO OpenBoard Diagnosis; do
  compile Sources/*/"$module" x86_64-unknown-linux-gnu "$out" -Xcc -fmodule-map-file="$out/module.modulemap"
done
emit DiagnosisClient x86_64-unknown-linux-gnu "$out" -Xcc -fmodule-map-file="$out/module.modulemap" \
  Tests/Proofs/Gates/DiagnosisClient.swift
echo 'embedded: Text, BoardFile, LinuxHAL, SenseHAT, IIO, OpenBoard, Diagnosis and a client for Linux without allocations'

# The bridge, which serves a program that opens /dev/i2c-1, is generic over the bus, so checking it takes a client.
device=(-Xcc -fmodule-map-file="$PWD/Sources/Emulation/Bridge/include/module.modulemap")
compile Sources/Emulation/Bridge/Adapter x86_64-unknown-linux-gnu "$out" "${device[@]}"
emit DeviceClient x86_64-unknown-linux-gnu "$out" "${device[@]}" Tests/Proofs/Gates/DeviceClient.swift
echo 'embedded: the adapter of the bridge for Linux and a client without allocations'
