#!/usr/bin/env bash
# The pages that show code, each with its example package: every code block of the page is in the example, and the example's
# tests pass. Uses SCRATCH (a folder; .build where it is not set) for what the build makes, in a folder of its own there,
# which the examples share so that Plumb is compiled once.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without indentation, which may be another one inside of a string; files end in a form feed, so that no block spans two.
flat() { sed -e 's/^[[:blank:]]*//' -e 's/[[:blank:]]*$//' "$@"; }

compare() { # page, example, the least number of blocks that it is expected to have
  local page=$1 example=$2 least=$3 source block text count=0 missing=0
  find "$example" -path '*/.build*' -prune -o -name '*.swift' -print0 | sort -z |
    while IFS= read -r -d '' file; do
      # An empty line, so that a block which is a whole file is found like any other.
      printf '\n'
      flat "$file"
      printf '\f\n'
    done >"$work/example"
  source=$(<"$work/example")

  # One file a block: its first line is the line number on the page, the rest its text.
  rm -f "$work"/block-*
  flat "$page" | awk -v page="$page" -v folder="$work" '
    /^```(swift|text)$/ { block = sprintf("%s/block-%03d", folder, ++count); print NR + 1 >block; next }
    /^```/ {
      if (block == "") { printf "%s:%d: a block is neither swift nor text\n", page, NR; bad = 1 } else close(block)
      block = ""
      next
    }
    block != "" { print >block }
    END { if (block != "") { printf "%s: a block has no end\n", page; bad = 1 } exit bad }' || return 1

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
  [ "$missing" -eq 0 ] || return 1
  [ "$count" -ge "$least" ] || {
    printf 'testing docs: only %d code blocks in %s\n' "$count" "$page"
    return 1
  }
  printf 'testing docs: %d code blocks, all in %s\n' "$count" "$example"
}

compare docs/testing.md docs/examples/swift-tests 10
compare docs/adding-a-sensor.md docs/examples/new-sensor 9

scratch=${SCRATCH:-.build}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)/testing-docs
for example in docs/examples/swift-tests docs/examples/new-sensor; do
  "${SWIFT:-swift}" test --package-path "$example" --scratch-path "$scratch" --disable-xctest
done
