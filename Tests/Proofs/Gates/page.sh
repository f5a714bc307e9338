#!/usr/bin/env bash
# Gate: docs/using-from-c.md works for ARM. Each whole program of the page is compiled and run with the page's own
# commands for a hard-float Raspberry Pi and a Cortex-M4F, emulated, and must print what the page shows below it.
#
#     Tests/Proofs/Gates/page.sh        (after `make core`)
set -euo pipefail
cd "$(dirname "$0")/../../.."

page=docs/using-from-c.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$PWD/build" "$PWD/docs" "$work"
echo 'gate: the C page'

# N.c is the Nth C block with a `main`, and N.txt the text block after it.
awk -v out="$work" '
  /^```c$/ { in_c = 1; code = ""; next }
  /^```text$/ && wanted { in_text = 1; next }
  /^```$/ {
    if (in_c && code ~ /int main\(/) { wanted = ++count; printf "%s", code >(out "/" count ".c") }
    if (in_text) wanted = 0
    in_c = in_text = 0
    next
  }
  in_c { code = code $0 "\n" }
  in_text { print >(out "/" wanted ".txt") }' "$page"

# The commands in the blocks that this gate tests, without the installation.
awk '
  /^<!--.*tested by Tests\/Proofs\/Gates\/page.sh/ { is_ours = 1; next }
  is_ours && /^    / { began = 1; if ($1 != "sudo") print substr($0, 5); next }
  began { is_ours = began = 0; print "echo ----" }' "$page" >"$work/commands"

count=0
for source in "$work"/[0-9].c; do
  expected=${source%.c}.txt
  cp "$source" "$work/program.c"
  if ! (cd "$work" && timeout 120 bash -euo pipefail commands >output 2>words); then
    printf 'gate: the C page: a command fails with program %s of %s:\n' "$(basename "$source")" "$page"
    cat "$work/words"
    exit 1
  fi
  { cat "$expected"; echo ----; cat "$expected"; echo ----; } >"$work/expected"
  if ! diff "$work/expected" "$work/output" || [ -s "$work/words" ]; then
    printf 'gate: the C page: program %s of %s prints something else (above)\n' "$(basename "$source")" "$page"
    cat "$work/words"
    exit 1
  fi
  count=$((count + 1))
done
[ "$count" -eq 7 ] || { printf 'gate: the C page: %d programs, not 7\n' "$count"; exit 1; }
printf '  %d programs run on a hard-float Raspberry Pi and on a Cortex-M4F\n' "$count"
