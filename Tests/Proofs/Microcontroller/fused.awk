# Turns recordings with six columns (CSV: time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps) into a C array of Q16.16 samples,
# rounded as in `plumb replay`.
BEGIN {
  files = 0
  FS = ","
  print "#include \"fused.h\"\n"
}
function q16(value) { return sprintf("%d", value * 65536 + (value < 0 ? -0.5 : 0.5)) }
FNR == 1 {
  if (files) print "};\n"
  name[files] = FILENAME
  gsub(/.*\/|\.csv$/, "", name[files])
  printf "static const fused_sample_t samples_%d[] = {\n", files++
  next
}
{ printf "    {%d, {%s, %s, %s}, {%s, %s, %s}},\n", $1 * 1e6 + 0.5, q16($2), q16($3), q16($4), q16($5), q16($6), q16($7) }
END {
  print "};\n\nconst fused_recording_t fused_recordings[] = {"
  for (i = 0; i < files; i++)
    printf "    {\"%s\", samples_%d, sizeof samples_%d / sizeof samples_%d[0]},\n", name[i], i, i, i
  print "};\nconst size_t fused_recordings_count = sizeof fused_recordings / sizeof fused_recordings[0];"
}
