# How far the angles of two replays are apart, in 2^-32 turn: `angles …` lines of two machines. Prints the greatest
# difference of each of the five angles; exits with 1 where one of the first four is over `most`, the fifth over
# `most_steering`, or the replays differ in length.
BEGIN { for (i = 2; i <= 6; i++) worst[i] = 0 }
$1 != "angles" { next }
FNR == NR {
  first[++steps] = $0
  next
}
{
  split(first[++compared], one)
  for (i = 2; i <= 6; i++) {
    apart = one[i] - $i
    if (apart < 0) apart = -apart
    if (apart > 2147483648) apart = 4294967296 - apart
    if (apart > worst[i]) worst[i] = apart
  }
}
END {
  printf "%d %d %d %d %d", worst[2], worst[3], worst[4], worst[5], worst[6]
  if (compared != steps || !steps) exit 1
  for (i = 2; i <= 6; i++) if (worst[i] > (i < 6 ? most : most_steering)) exit 1
}
