#!/usr/bin/env bash
# Compiles the core as Embedded Swift with -no-allocations for every supported architecture, with the example of a new
# sensor, then a small program that uses all of it, because generic code is checked only if it is specialised. The
# compiler looks for allocations before it generates code, so only what is for an ARMv7E-M becomes objects: nothing
# else of the project builds the drivers for it. The modules are those that programs are made from.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/modules.sh
. scripts/modules.sh

core=(FixedPoint HAL Sensors Orientation Gestures Vibration Indication Monitor Plumb)

# check NAME OPTION...: compiles a module that no program has into `out`.
check() {
  [ "$triple" != armv7em-none-none-eabi ] || set -- "$@" -c -o "$out/$1.o"
  emit_module "$1" "$out" -target "$triple" -Osize -no-allocations -I "$shared" "${@:2}"
}

for triple in armv7em-none-none-eabi armv6-none-none-eabi aarch64-none-none-elf x86_64-unknown-linux-gnu; do
  out=build/embedded/$triple
  rm -rf "$out"
  mkdir -p "$out"
  shared_modules "$triple"
  for module in "${core[@]}"; do compile_shared "$module" -no-allocations; done
  check TL3 docs/examples/new-sensor/Sources/TL3/*.swift
  check EmbeddedClient Tests/Proofs/Gates/Embedded{Client,Movement}.swift
  printf 'embedded: %-28s %d modules and a client without allocations\n' "$triple" "${#core[@]}"
done

# Board files are read only on Linux, through the C shim; the daemon needs them without allocations too.
for module in FixedText Text BoardFile LinuxHAL SenseHAT IIO OpenBoard Diagnosis; do
  compile_shared "$module" -no-allocations
done
check DiagnosisClient "${maps[@]}" Tests/Proofs/Gates/DiagnosisClient.swift
echo 'embedded: Text, BoardFile, LinuxHAL, SenseHAT, IIO, OpenBoard, Diagnosis and a client for Linux without allocations'

# The bridge, which serves a program that opens /dev/i2c-1, is generic over the bus, so checking it takes a client.
device=("${maps[@]}" -Xcc -fmodule-map-file="$PWD/Sources/Emulation/Bridge/include/module.modulemap")
mapfile -t sources < <(sources_of Bridge/Adapter)
check Adapter "${device[@]}" "${sources[@]}"
check DeviceClient "${device[@]}" Tests/Proofs/Gates/DeviceClient.swift
echo 'embedded: the adapter of the bridge for Linux and a client without allocations'
