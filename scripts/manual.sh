#!/usr/bin/env bash
# Prints a manual page of packaging/ with its placeholders filled in, so that none repeats what a page of docs/ says.
#
#     scripts/manual.sh PAGE VERSION DATE
#
# @TOPICS@ becomes the topics of docs/fleet.md as entries; @SENSORS@ the sensors of docs/sensors.md as lines: name in a
# board file, parts, addresses.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -F ' *[|] *' '
  BEGIN { words["yes"] = "Retained"; words["no"] = "Not retained"; words["in"] = "Subscribed to" }
  /^[|] `<[a-z]+>\// {
    name = substr($2, 3, length($2) - 3)
    gsub(/[<>]/, " ", name)
    gsub(/\]\([^)]*\)|\[/, "", $4)
    gsub(/-/, "\\-", name)
    while (sub(/`/, "\\fB", $4)) sub(/`/, "\\fR", $4)
    printf ".TP\n.IB %s\n%s: %s.\n", name, words[$3], $4
  }' docs/fleet.md >"$work/topics"

awk -F ' *[|] *' '
  match($0, /`raspberry-pi-[a-z0-9]+`/) { parts[substr($0, RSTART + 14, RLENGTH - 15)] = $2 }
  $3 ~ /^`[a-z0-9]+`, 0x/ {
    split($3, found, /`, /)
    name = substr(found[1], 2)
    printf ".br\n\\fB%s\\fR: %s, at %s\n", name, parts[name], found[2]
  }' docs/sensors.md >"$work/sensors"

sed -e "s|@VERSION@|$2|g" -e "s|@DATE@|$3|g" -e "/^@TOPICS@\$/{r $work/topics" -e 'd;}' \
  -e "/^@SENSORS@\$/{r $work/sensors" -e 'd;}' "$1"
