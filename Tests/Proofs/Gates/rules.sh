#!/bin/sh
# Rules for the source that no compiler checks, and the one that the project's addresses are in packaging/address alone.
# Prints each offending line as file:line: rule, and fails if there is one.
#
#     Tests/Proofs/Gates/rules.sh [ROOT]
set -eu
export LC_ALL=C.UTF-8
cd "${1:-$(dirname "$0")/../../..}"

found=$(mktemp)
trap 'rm -f "$found" "$found.addresses"' EXIT

# forbid RULE PATTERN FOLDER...: no line of code in a Swift file matches the extended expression; comments do not
# count
forbid() {
  rule=$1 pattern=$2
  shift 2
  find "$@" -name '*.swift' -exec awk -v rule="$rule" -v pattern="$pattern" '
    { code = $0; sub(/\/\/.*/, "", code) }
    code ~ pattern { printf "%s:%d: %s\n", FILENAME, FNR, rule }' {} + >>"$found"
}

forbid 'errors are handled, not dropped: no try?' 'try[?]' Sources
forbid 'errors are handled, not fatal: no try!' 'try!' Sources
forbid 'nothing stops the program: no fatalError' 'fatalError[(]' Sources
forbid 'the core computes in integers: no Float or Double' \
  '(^|[^A-Za-z0-9_])(Float|Double|CGFloat|CFloat|CDouble)(16|32|64|80)?($|[^A-Za-z0-9_])' \
  Sources/Core/FixedPoint Sources/Core/HAL Sources/Core/Sensors Sources/Core/Orientation Sources/Core/Gestures Sources/Core/Indication Sources/Core/Monitor \
  Sources/Core/Vibration Sources/Core/CoreABI
forbid 'an optimised build has no testable imports: declare it package' '@testable' Tests

# The Python package, which reads what a server sends.
find clients/python docs/examples/python -name '*.py' -exec awk '
  length > 120 { printf "%s:%d: a line has at most 120 columns\n", FILENAME, FNR }
  { code = $0; sub(/#.*/, "", code) }
  code ~ /(^|[^a-z_.])(eval|exec|compile|__import__)[(]|os[.](system|popen)|shell *=|pickle|marshal/ {
    printf "%s:%d: nothing that arrives is executed\n", FILENAME, FNR
  }' {} + >>"$found"

# The addresses, also without https:// and .git. Elsewhere, SITE and REPOSITORY stand for them.
sed -E 's|^[a-z]+ ([a-z]+://)?||; s|[.]git$||' packaging/address | sort -u >"$found.addresses"
grep -rInF --exclude-dir=build --exclude-dir='.build*' --exclude-dir=.git --exclude=Package.resolved \
  -f "$found.addresses" . | grep -v '^./packaging/address:' |
  sed -E "s|^./([^:]*:[0-9]+):.*|\1: the project's address is in packaging/address alone: write SITE or REPOSITORY|" >>"$found" || :

if [ -s "$found" ]; then
  sort "$found"
  exit 1
fi
