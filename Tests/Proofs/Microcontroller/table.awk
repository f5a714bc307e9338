# Tabulates the `count NAME CALLS LEAST TOTAL MOST` lines of the Cortex-M4 (first file) and the Cortex-M0 (second) with
# the limits of the M4, which apply to every single call. Exits with 1 if a count is over its limit.
BEGIN {
  words = split(limits, word, " ")
  for (i = 1; i < words; i += 2) limit[word[i]] = word[i + 1]
}
$1 == "count" && FNR == NR {
  order[++functions] = $2
  least[$2] = $4
  mean[$2] = sprintf("%.1f", $5 / $3)
  most[$2] = $6
}
$1 == "count" && FNR != NR {
  small_mean[$2] = sprintf("%.1f", $5 / $3)
  small_most[$2] = $6
}
END {
  print "| function | M4 least | M4 mean | M4 most | limit | | M0 mean | M0 most |"
  print "|---|---:|---:|---:|---:|---|---:|---:|"
  for (i = 1; i <= functions; i++) {
    name = order[i]
    verdict = "–"
    if (name in limit) {
      over = name == "fused" ? mean["fused"] - mean["plain"] - limit[name] : most[name] - limit[name]
      verdict = over > 0 ? "over by " over : "good"
      if (over > 0) failed = failed " " name
    }
    printf "| %s | %d | %s | %d | %s | %s | %s | %d |\n", name, least[name], mean[name], most[name],
      name == "fused" ? "plain + " limit[name] : name in limit ? limit[name] : "–", verdict, small_mean[name], small_most[name]
  }
  if (failed) {
    print "microcontroller: over the limit on the Cortex-M4:" failed >failures
    exit 1
  }
}
