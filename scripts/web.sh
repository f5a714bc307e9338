#!/usr/bin/env bash
# Builds the core for browsers and Node: build/web with plumb.wasm.gz, plumb.js, plumb.d.ts and the page, a folder of static
# files for any server.
#
#     scripts/web.sh
#
# Swift's part is Embedded Swift without allocations; the memory of the module never grows. The size of all files
# together is limited.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
# shellcheck source=scripts/modules.sh
. scripts/modules.sh

limit=$((150 * 1024))
core_target wasm32
modules=(FixedPoint HAL JSON Sensors Orientation Gestures Vibration Indication Monitor FixedText Text BoardFile StreamCodec StreamLines)
flags=(-no-allocations "${target_flags[@]}" "${small_flags[@]}")
c_flags=(--target="$triple" -std=gnu11 -Os -Wall -Wextra -Wconversion -Werror -ffunction-sections -fdata-sections
  -ffreestanding -ICSupport/include -ICSupport/web/include)
work=build/objects/web
output=build/web

# Whether no source, script or compiler is newer than the module.
is_fresh() {
  [ -f "$work/plumb.wasm.gz" ] || return 1
  local newer
  # shellcheck disable=SC2068  # patterns, on purpose: a module's layer is not named here
  newer=$(find ${modules[@]/#/Sources/*/} Sources/Web/WebModule CSupport/web CSupport/include \
    scripts/{web,modules,core-targets}.sh "$toolchain/swiftc" -newer "$work/plumb.wasm.gz" -print -quit) || return 1
  [ -z "$newer" ]
}

compile() {
  local module sources maps
  rm -rf "$work"
  mkdir -p "$work"
  touch "$work/begun"
  {
    printf 'module CSupport { header "%s" export * }\n' "$PWD/CSupport/include/csupport.h"
    printf 'module CWeb { header "%s" export * }\n' "$PWD/CSupport/web/include/cweb.h"
  } >"$work/module.modulemap"
  maps=(-Xcc "-fmodule-map-file=$work/module.modulemap")
  for module in "${modules[@]}"; do
    mapfile -t sources < <(sources_of "$module")
    emit_module "$module" "$work" -target "$triple" "${flags[@]}" "${maps[@]}" "${sources[@]}"
  done
  "$swiftc" -target "$triple" "${embedded_flags[@]}" "${flags[@]}" "${maps[@]}" -module-name WebModule -I "$work" \
    -c Sources/Web/WebModule/*.swift -o "$work/swift.o"
  for source in CSupport/web/*.c; do
    "$toolchain/clang" "${c_flags[@]}" -c "$source" -o "$work/$(basename "$source" .c).o"
  done
  mapfile -t exports < <(sed -nE 's/^@c\((web_[a-z_]+)\)$/--export=\1/p' Sources/Web/WebModule/Exports.swift)
  # The stack lies first, so that its overflow is an error of the browser's and not a wrong pose.
  "$toolchain/wasm-ld" --no-entry --gc-sections --strip-all --stack-first -z stack-size=524288 \
    --initial-memory=1048576 --max-memory=1048576 "${exports[@]}" "$work"/{swift,web,multiply}.o -o "$work/linked.wasm"
  # No large function is moved into its only caller: the module grows by 2 % for that, but shrinks by 2 % when packed.
  wasm-opt -Oz --one-caller-inline-max-function-size=30 --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals \
    "$work/linked.wasm" -o "$work/plumb.wasm"
  # 5 % smaller than gzip's; without a name and a time, so that the same module gives the same bytes.
  zopfli -c "$work/plumb.wasm" >"$work/plumb.wasm.gz"
  touch -r "$work/begun" "$work/plumb.wasm.gz"
}

# The declarations, where `| "@EventName@"` becomes the names of that type in the vocabulary of the Python package, which
# a test makes from the names in Swift.
declarations() {
  awk '
    FNR == NR {
      if ($2 == "=" && $3 == "Literal[") type = $1
      if (/^\]/) type = ""
      if (type && /^    "[^"]*",$/) {
        if (names[type]) names[type] = names[type] "\n"
        names[type] = names[type] "  | " substr($1, 1, length($1) - 1)
      }
      next
    }
    match($0, /@[A-Za-z]+@/) {
      type = substr($0, RSTART + 1, RLENGTH - 2)
      if (!names[type]) {
        print "web: the vocabulary has no names of " type >"/dev/stderr"
        exit 1
      }
      $0 = names[type] ";"
    }
    { print }' clients/python/plumb/vocabulary.py clients/javascript/plumb.d.ts
}

is_fresh || compile
mkdir -p "$output"
declarations >"$work/plumb.d.ts"
for file in "$work"/plumb.{wasm.gz,d.ts} clients/javascript/package.json; do
  cmp -s "$file" "$output/$(basename "$file")" || cp -f "$file" "$output/"
done
bash scripts/web-page.sh
size=$(cat "$output"/* | wc -c)
printf 'web: %s, %d bytes in all, %d of them plumb.wasm.gz\n' "$output" "$size" "$(wc -c <"$output/plumb.wasm.gz")"
if [ "$size" -gt "$limit" ]; then
  printf 'web: %s has %d bytes: the limit is %d\n' "$output" "$size" "$limit" >&2
  exit 1
fi
