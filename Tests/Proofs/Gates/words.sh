#!/bin/sh
# Words to avoid in text for people: CONTRIBUTING.md, "Words", has the replacements. Checks README, CHANGELOG and
# docs, the comments and strings of Sources, and the Python package. Prints each place as file:line: word, and fails if
# there is one. Code in backquotes, a string that is only a name (a JSON key), and the table of CONTRIBUTING do not
# count.
#
#     Tests/Proofs/Gates/words.sh [ROOT]
set -eu
LC_ALL=C
export LC_ALL
cd "${1:-$(dirname "$0")/../../..}"

found=$(mktemp)
trap 'rm -f "$found"' EXIT

words='cure|cures|cured|somebody|nobody|whoever|is told|are told|who wants'

# shellcheck disable=SC2016 # The dollars are awk's.
check='
  # Reports the words in `text` that have no letters next to them.
  function look(text) {
    text = " " tolower(text) " "
    while (match(text, "[^a-z](" words ")[^a-z]")) {
      printf "%s:%d: %s\n", FILENAME, FNR, substr(text, RSTART + 1, RLENGTH - 2)
      text = substr(text, RSTART + RLENGTH - 1)
    }
  }
'

find README.md CHANGELOG.md CONTRIBUTING.md docs Sources -name '*.md' -exec awk -v words="$words" "$check"'
  FILENAME == "CONTRIBUTING.md" && /^\|/ { next }
  { gsub(/`[^`]*`/, "`"); look($0) }' {} + >"$found"

find Sources docs -name '*.swift' -exec awk -v words="$words" "$check"'
  FNR == 1 { is_text = 0 }
  # A multi-line string.
  /"""/ { is_text = !is_text; next }
  is_text { look($0); next }
  {
    line = $0
    gsub(/\\"/, "", line)
    # Parts with an even number are strings; the first odd one that contains // begins a comment.
    count = split(line, part, "\"")
    for (i = 1; i <= count; i++) {
      if (i % 2 == 0) {
        if (part[i] !~ /^[a-z_]+$/) look(part[i])
      } else if (place = index(part[i], "//")) {
        comment = substr(part[i], place)
        for (i++; i <= count; i++) comment = comment "\"" part[i]
        gsub(/`[^`]*`/, "`", comment)
        look(comment)
      }
    }
  }' {} + >>"$found"

find Sources CSupport clients/python docs/examples/python \( -name '*.[ch]' -o -name '*.py' -o -name '*.ipynb' \) -exec awk -v words="$words" "$check"'{ look($0) }' {} + >>"$found"

if [ -s "$found" ]; then
  sort "$found"
  exit 1
fi
