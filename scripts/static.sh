#!/usr/bin/env bash
# Links the tool from the objects that `make build` has compiled with Swift's static libraries, so that it runs without
# Swift: build/install/plumb. Only the link differs from `make build`, so only the C shim is compiled again: with a
# stack protector and checked copies, which Package.swift must not request, because other packages depend on it.
# OUTPUT.linked lists all linked members for scripts/materials.py.
#
#     scripts/static.sh OUTPUT      SCRATCH: the folder of the build's intermediate files, .build by default
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
output=${1:?usage: scripts/static.sh OUTPUT}
objects=$("$swift" build -c release --scratch-path "${SCRATCH:-.build}" --show-bin-path)/plumb.product/Objects.LinkFileList
if [ ! -f "$objects" ]; then
  printf 'static: %s is not there: make build\n' "$objects" >&2
  exit 66
fi
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh # swiftc, toolchain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while IFS= read -r object; do
  case $object in
    */CSupport.build/*.c.o | */CConnect.build/*.c.o)
      source=$(basename "$object" .o)
      folder=CSupport
      [ -f "$folder/$source" ] || folder=CSupport/connect
      "$toolchain/clang" -std=gnu11 -O2 -fPIE -Wall -Wextra -Wconversion -Werror -fstack-protector-strong -U_FORTIFY_SOURCE \
        -D_FORTIFY_SOURCE=2 "-I$folder/include" -c "$folder/$source" -o "$work/$source.o"
      object=$work/$source.o
      ;;
  esac
  printf '%s\n' "$object"
done <"$objects" >"$work/objects"
# libgpiod is linked in: its shared library has another name in each release of Debian, so that the tool would run on one.
#
# Foundation's static libraries name the libraries that they need only if the compiler is given -static-stdlib. Swift
# Package Manager calls the program's entry point PlumbTool_main, so that tests can link it. lld does not warn about
# mktemp, which nothing here calls.
mkdir -p "$(dirname "$output")"
# Drop the compiler's hash of each module, which nothing in a program reads, because it differs between build folders.
printf 'SECTIONS { /DISCARD/ : { *(.swift_modhash) } } INSERT AFTER .text;\n' >"$work/without_hashes.ld"
"$swiftc" -static-stdlib -use-ld=lld "@$work/objects" -o "$output.part" -Xlinker --trace \
  -Xlinker -T -Xlinker "$work/without_hashes.ld" -Xlinker --defsym=main=PlumbTool_main -Xlinker --gc-sections -Xlinker --strip-all -Xlinker -z -Xlinker now \
  -l:libgpiod.a -li2c -linih -ldbus-1 -lpaho-mqtt3as -lssl -lcrypto -l_FoundationCShims -l_FoundationCollections -l_FoundationICU -lstdc++ -lm \
  >"$output.linked" 2>&1 || {
  grep -v '^/' "$output.linked" >&2
  exit 1
}
# Everything that is not a path of the list.
grep -v '^/' "$output.linked" >&2 || :
mv -f "$output.part" "$output"
