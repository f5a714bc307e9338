#!/usr/bin/env bash
# Prints a manual page of packaging/ with its placeholders filled in, so that none repeats what a page of docs/ says.
#
#     scripts/manual.sh PAGE VERSION DATE
#
# @KEYS PAGE SECTION@ becomes the keys of a section of a settings file, from the table in docs/PAGE.md, as entries;
# @TOPICS@ the topics of docs/fleet.md as entries; @SENSORS@ the sensors of docs/sensors.md as lines: name in a board
# file, parts, addresses.
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

# Rows of "section | key | what | default", or with section and key in one cell: `[section] key`.
keys() {
  awk -F ' *[|] *' -v wanted="$2" '
    # Markdown as roff, without a link to another page at the end.
    function roff(text, code) {
      sub(/: \[[^]]*\]\([^)]*\)\.$/, ".", text)
      gsub(/\]\([^)]*\)/, "]", text)
      while (match(text, /`[^`]*`/)) {
        code = substr(text, RSTART + 1, RLENGTH - 2)
        gsub(/-/, "\\-", code)
        gsub(/\[/, "\001", code)
        gsub(/\]/, "\002", code)
        text = substr(text, 1, RSTART - 1) "\\fB" code "\\fR" substr(text, RSTART + RLENGTH)
      }
      gsub(/[][]/, "", text)
      gsub(/\001/, "[", text)
      gsub(/\002/, "]", text)
      return text
    }
    function sentence(text) { return toupper(substr(text, 1, 1)) substr(text, 2) "." }
    /^[|] section/ { in_table = 1 }
    !/^[|]/ { in_table = 0 }
    in_table && /`/ {
      first = NF == 6 ? 3 : 2
      if (match($2, /\[[a-z0-9-]+\]/)) section = substr($2, RSTART + 1, RLENGTH - 2)
      if (section != wanted) next
      names = $first
      sub(/\[[a-z0-9-]+\] /, "", names)
      gsub(/`/, "", names)
      gsub(/-/, "\\-", names)
      many = gsub(/, /, " \", \" ", names)
      printf ".TP\n%s %s\n%s\n", many ? ".BR" : ".B", names, roff(sentence($(first + 1)))
      standard = $(first + 2)
      if (standard ~ /^required/) print roff(sentence(standard))
      else if (standard != "none") print (many ? "Defaults: " : "Default: ") roff(standard ".")
      if (names == "model") print "@SENSORS@"
    }' "docs/$1.md"
}

while IFS= read -r line; do
  case $line in
    "@KEYS "*) read -r _ page section <<<"${line%@}" && keys "$page" "$section" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <"$1" >"$work/page"

sed -e "s|@VERSION@|$2|g" -e "s|@DATE@|$3|g" -e "/^@TOPICS@\$/{r $work/topics" -e 'd;}' \
  -e "/^@SENSORS@\$/{r $work/sensors" -e 'd;}' "$work/page"
