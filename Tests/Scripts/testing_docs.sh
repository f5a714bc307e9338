#!/usr/bin/env bash
# docs/testing.md and its example package: every code block of the page is in the example, and the example's tests pass.
# Uses SCRATCH (a folder; .build where it is not set) for what the build makes, in a folder of its own there.
set -euo pipefail
cd "$(dirname "$0")/../.."

page=docs/testing.md example=docs/examples/swift-tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without indentation, which may be another one inside of a string; files end in a form feed, so that no block spans two.
flat() { sed -e 's/^[[:blank:]]*//' -e 's/[[:blank:]]*$//' "$@"; }
find "$example" -path '*/.build*' -prune -o -name '*.swift' -print0 | sort -z |
  while IFS= read -r -d '' file; do
    flat "$file"
    printf '\f\n'
  done >"$work/example"
source=$(<"$work/example")

# One file a block: its first line is the line number on the page, the rest its text.
flat "$page" | awk -v folder="$work" '
  /^```(swift|text)$/ { block = sprintf("%s/block-%03d", folder, ++count); print NR + 1 >block; next }
  /^```/ { if (block == "") { printf "%d: a block is neither swift nor text\n", NR; bad = 1 } else close(block); block = ""; next }
  block != "" { print >block }
  END { if (block != "") { print "a block has no end"; bad = 1 } exit bad }' || exit 1

count=0 missing=0
for block in "$work"/block-*; do
  [ -e "$block" ] || break
  count=$((count + 1))
  text=$(tail -n +2 "$block")
  case $source in
    *$'\n'"$text"$'\n'*) ;;
    *)
      printf '%s:%s: the block that begins here is not in %s\n' "$page" "$(head -n 1 "$block")" "$example"
      missing=$((missing + 1))
      ;;
  esac
done
[ "$missing" -eq 0 ] || exit 1
[ "$count" -ge 10 ] || {
  printf 'testing docs: only %d code blocks in %s\n' "$count" "$page"
  exit 1
}
printf 'testing docs: %d code blocks, all in %s\n' "$count" "$example"

scratch=${SCRATCH:-.build}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)/testing-docs
"${SWIFT:-swift}" test --package-path "$example" --scratch-path "$scratch" --disable-xctest
