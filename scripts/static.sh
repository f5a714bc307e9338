#!/usr/bin/env bash
# Links the tool from the objects that `make build` has compiled with Swift's static libraries, so that it runs where no
# Swift is: build/install/plumb. Only the link differs from `make build`, so nothing is compiled a second time.
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
# Foundation's static libraries name the libraries that they need only to a compiler that was told -static-stdlib. Swift
# Package Manager calls the program's entry point PlumbTool_main, so that tests can link it. lld does not warn about
# mktemp, which nothing here calls.
mkdir -p "$(dirname "$output")"
"$(dirname "$(command -v "$swift")")/swiftc" -static-stdlib -use-ld=lld "@$objects" -o "$output.part" \
  -Xlinker --defsym=main=PlumbTool_main -Xlinker --gc-sections -Xlinker --strip-all \
  -lgpiod -li2c -linih -l_FoundationCShims -l_FoundationCollections -l_FoundationICU -lstdc++ -lm
mv -f "$output.part" "$output"
