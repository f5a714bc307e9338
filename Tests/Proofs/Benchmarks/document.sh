#!/usr/bin/env bash
# Writes the last measured tables into docs/numerics.md, docs/fusion.md and docs/vibration.md, each between its two
# marks:
#
#     <!-- measured: build/bench/table.md -->
#     …
#     <!-- end -->
#
# Exit code 66 if a table has not been measured.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

pages=(docs/numerics.md docs/fusion.md docs/vibration.md)
mapfile -t tables < <(sed -n 's/^<!-- measured: \(.*\) -->$/\1/p' "${pages[@]}")
for table in "${tables[@]}"; do
  if [ ! -f "$table" ]; then
    printf 'numerics: %s is missing; run make microcontroller bench bench-time first\n' "$table" >&2
    exit 66
  fi
done
for page in "${pages[@]}"; do
  awk '
    /^<!-- end -->$/ { skips = 0 }
    !skips { print }
    /^<!-- measured: .* -->$/ {
      file = $3
      print ""
      while ((getline line <file) > 0) print line
      print ""
      close(file)
      skips = 1
    }' "$page" >build/measured.md
  mv build/measured.md "$page"
done
printf 'numerics: %d tables written into %s\n' "${#tables[@]}" "${pages[*]}"
