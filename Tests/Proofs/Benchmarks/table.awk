# Tabulates callgrind's counts: `kind row column calls instructions` lines, where kind is "count" or "empty". Each
# figure is the difference of the two, per call. `limits` names rows and the maximum that Plumb may cost; the step may
# cost half of the reference. Exits with 1 if a figure is over its limit.
BEGIN {
  words = split(limits, word, " ")
  for (i = 1; i < words; i += 2) limit[word[i]] = word[i + 1]
}
!($2 in known) {
  known[$2] = 1
  order[++rows] = $2
}
{ count[$2, $3, $1] = $5 / $4 }
function cost(row, column) {
  return (row, column, "count") in count ? count[row, column, "count"] - count[row, column, "empty"] : -1
}
function shown(value) { return value < 0 ? "–" : sprintf("%.1f", value) }
END {
  print "| function | Plumb | limit | | C, `float` | C, `double` | Plumb to `float` |"
  print "|---|---:|---:|---|---:|---:|---:|"
  for (i = 1; i <= rows; i++) {
    row = order[i]
    ours = cost(row, "plumb")
    theirs = cost(row, "float")
    most = row == "step" ? theirs / 2 : row == "fused" ? cost("plain", "plumb") + limit[row] : row in limit ? limit[row] : -1
    verdict = most < 0 ? "–" : ours > most ? sprintf("over by %.1f", ours - most) : "good"
    if (most >= 0 && ours > most) failed = failed " " row
    bound = row == "step" || row == "fused" ? shown(most) : most < 0 ? "–" : most
    ratio = theirs > 0 ? sprintf("%.2f", ours / theirs) : "–"
    printf "| %s | %s | %s | %s | %s | %s | %s |\n", row, shown(ours), bound, verdict, shown(theirs),
      shown(cost(row, "double")), ratio
  }
  if (failed) {
    print "bench: over the limit on x86-64:" failed >failures
    exit 1
  }
}
