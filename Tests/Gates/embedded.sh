#!/usr/bin/env bash
# Compiles the core as Embedded Swift with -no-allocations for every architecture that it is meant for, then a small
# program that uses all of it, because generic code is only checked where it is made concrete.
set -euo pipefail
cd "$(dirname "$0")/../.."

triples=(x86_64-unknown-linux-gnu aarch64-none-none-elf armv6-none-none-eabi armv7em-none-none-eabi)
modules=(FixedPoint HAL Accelerometers Orientation Indication Monitor)
flags=(-enable-experimental-feature Embedded -wmo -Osize -no-allocations -parse-as-library -package-name plumb
  -warnings-as-errors -strict-memory-safety -enable-upcoming-feature ExistentialAny
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
  -Xfrontend -function-sections)

for triple in "${triples[@]}"; do
  out="build/embedded/$triple"
  rm -rf "$out"
  mkdir -p "$out"
  for module in "${modules[@]}"; do
    mapfile -t sources < <(find "Sources/$module" -name '*.swift' | sort)
    swiftc -target "$triple" "${flags[@]}" -module-name "$module" -I "$out" \
      -emit-module -emit-module-path "$out/$module.swiftmodule" -c "${sources[@]}" -o "$out/$module.o"
  done
  swiftc -target "$triple" "${flags[@]}" -module-name EmbeddedClient -I "$out" \
    -c Tests/Gates/EmbeddedClient.swift -o "$out/EmbeddedClient.o"
  printf 'embedded: %-28s %d modules and a client without allocations\n' "$triple" "${#modules[@]}"
done
