# Turns recordings (CSV: time_s,x_g,y_g,z_g) into a C array of Q16.16 samples, rounded as in `plumb replay`.
BEGIN {
  FS = ","
  files = 0
  print "#include \"replay.h\"\n"
}
function q16(g) { return sprintf("%d", g * 65536 + (g < 0 ? -0.5 : 0.5)) }
FNR == 1 {
  if (files) print "};\n"
  name[files] = FILENAME
  gsub(/.*\/|\.csv$/, "", name[files])
  printf "static const sample_t samples_%d[] = {\n", files++
  next
}
{ printf "    {%d, %s, %s, %s},\n", $1 * 1e6 + 0.5, q16($2), q16($3), q16($4) }
END {
  print "};\n\nconst recording_t recordings[] = {"
  for (i = 0; i < files; i++)
    printf "    {\"%s\", samples_%d, sizeof samples_%d / sizeof samples_%d[0]},\n", name[i], i, i, i
  print "};\nconst size_t recordings_count = sizeof recordings / sizeof recordings[0];"
}
