#!/bin/sh
# Prints the Debian mirror in this machine's own package sources, so that downloads come from the same place as its
# packages: a company's mirror or one nearby.
#
#     scripts/mirror.sh [FOLDER]      (FOLDER: instead of /etc/apt)
#
# PLUMB_DEBIAN_MIRROR takes precedence. If no source is one of Debian's, as on Ubuntu, prints Debian's main mirror.
#
# Reads both forms of sources: lines (sources.list, sources.list.d/*.list) and paragraphs (sources.list.d/*.sources). A
# source is one of Debian's if its suite is a Debian release and its components include main. Security and ports are
# other archives.
set -eu
export LC_ALL=C

if [ -n "${PLUMB_DEBIAN_MIRROR:-}" ]; then
  printf '%s\n' "${PLUMB_DEBIAN_MIRROR%/}"
  exit 0
fi
folder=${1:-/etc/apt}

found=$(
  for file in "$folder/sources.list" "$folder"/sources.list.d/*.list "$folder"/sources.list.d/*.sources; do
    [ ! -r "$file" ] || awk -v is_paragraphs="$(case $file in *.sources) echo 1 ;; *) echo 0 ;; esac)" '
      # Prints the first address whose types, suites and components are those of Debian.
      function judge(  i, is_source, count, word, addresses) {
        count = split(suites, word, " ")
        is_source = 0
        for (i = 1; i <= count; i++)
          if (word[i] ~ /^(bookworm|trixie|forky|duke|sid|stable|testing|unstable|oldstable)(-updates|-backports)?$/)
            is_source = 1
        if (!is_source || disabled || (" " types " ") !~ / deb / || (" " components " ") !~ / main /) return
        count = split(uris, addresses, " ")
        for (i = 1; i <= count; i++)
          if (addresses[i] ~ /^https?:\/\// && addresses[i] !~ /(security|ports|raspbian|raspberrypi|ubuntu)/) {
            sub(/\/+$/, "", addresses[i])
            print addresses[i]
            return
          }
      }
      function begin() { types = uris = suites = components = field = ""; disabled = 0 }
      BEGIN { begin() }
      /^[ \t]*#/ { next }
      !is_paragraphs {
        line = $0
        sub(/#.*/, "", line)
        sub(/\[[^]]*\]/, "", line)
        count = split(line, part, " ")
        begin()
        types = part[1]; uris = part[2]; suites = part[3]
        for (i = 4; i <= count; i++) components = components " " part[i]
        judge()
        next
      }
      /^[ \t]*$/ { judge(); begin(); next }
      {
        text = $0
        if (text ~ /^[^ \t:]+:/) {
          field = tolower(substr(text, 1, index(text, ":") - 1))
          text = substr(text, index(text, ":") + 1)
        }
        gsub(/^[ \t]+|[ \t]+$/, "", text)
        if (field == "types") types = types " " text
        if (field == "uris") uris = uris " " text
        if (field == "suites") suites = suites " " text
        if (field == "components") components = components " " text
        if (field == "enabled" && text ~ /^(no|false|0|off|disable)$/) disabled = 1
      }
      END { if (is_paragraphs) judge() }
    ' "$file"
  done
)
mirror=$(printf '%s\n' "$found" | head -n 1)
printf '%s\n' "${mirror:-http://deb.debian.org/debian}"
