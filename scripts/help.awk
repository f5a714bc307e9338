# Prints the targets of a Makefile in groups, at most 80 columns wide. A group begins with a line `##@ title`.
/^##@ / { printf "\n%s\n", substr($0, 5); next }
/^[a-z-]+:.*## / {
  line = sprintf("  make %-19s", $1)
  count = split($2, words, " ")
  for (i = 1; i <= count; i++) {
    if (length(line) + 1 + length(words[i]) > 80) { print line; line = sprintf("%26s", "") }
    line = line " " words[i]
  }
  print line
}
