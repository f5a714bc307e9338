#!/usr/bin/env bash
# Tests the core as a C library on this machine: the header as C and as C++, every function from C, and the example,
# whose poses must be those of `plumb replay`. Builds what is missing; uses the tool (PLUMB, build/plumb by default) if
# it exists.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

cc=${CC:-gcc} cxx=${CXX:-g++}
bash scripts/core.sh host
. scripts/core-targets.sh
target=$(host_target)
[ -n "$target" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=build/core/include library=build/core/$target/libplumb.a
strict=(-Wall -Wextra -Wconversion -Wpedantic -Werror -I "$include")

"$cc" -std=c99 "${strict[@]}" -fsyntax-only -x c "$include/plumb.h"
"$cc" -std=c11 "${strict[@]}" -O1 Tests/Core/CoreABI/smoke.c "$library" -o "$work/smoke"
"$work/smoke"
"$cc" -std=c11 "${strict[@]}" -O1 Tests/Core/CoreABI/refusals.c "$library" -o "$work/refusals"
"$work/refusals"

# mismatched WORD FLAG...: the smallest program must fail to link because WORD is undefined.
mismatched() {
  local word=$1
  shift
  printf '#include <plumb.h>\nint main(void) { plumb_monitor_t m; return plumb_monitor_init(&m, NULL); }\n' >"$work/mismatched.c"
  if "$cc" -std=c11 "$@" -include stddef.h "$work/mismatched.c" "$library" -o "$work/mismatched" 2>"$work/words"; then
    printf 'core: a program with the header of another version links: %s\n' "$word"
    exit 1
  fi
  grep -q "undefined.*\b$word\b" "$work/words" || { cat "$work/words"; exit 1; }
}

# The linker must detect a header of another version: of a later one, and of the first, whose names had no version.
version=$(sed -n 's/^#define PLUMB_INTERFACE //p' "$include/plumb.h")
cp -R "$include" "$work/later"
sed -i -E "s/(\\bplumb_\\w+_v)$version\\b/\\1$((version + 1))/g" "$work"/later/*.h
mismatched "plumb_monitor_init_v$((version + 1))" -I "$work/later"
mkdir "$work/first"
printf 'typedef struct { long long storage[56]; } plumb_monitor_t;\nint plumb_monitor_init(plumb_monitor_t *, const void *);\n' \
  >"$work/first/plumb.h"
mismatched plumb_monitor_init -I "$work/first"
# Everything that prepares a configuration or a state has the version in its name.
unversioned=$("$toolchain/llvm-nm" --defined-only --extern-only --format=just-symbols "$library" |
  grep -E '_(init|default|config_fused)(_v[0-9]+)?$' | grep -v "_v$version\$" || true)
[ -z "$unversioned" ] || { printf 'core: without version %s: %s\n' "$version" "$unversioned"; exit 1; }

# In C++ the functions keep their C names, so the linker finds them.
printf '#include <plumb.h>\nint main() { return plumb_hypot(3, 4) == 5 ? 0 : 1; }\n' >"$work/client.cc"
if command -v "$cxx" >/dev/null 2>&1; then
  "$cxx" -std=c++11 "${strict[@]}" "$work/client.cc" "$library" -o "$work/client"
else
  # gcc comes without C++; the Swift toolchain's clang supports it, and its library is not needed.
  "$toolchain/clang" -std=c++11 "${strict[@]}" -x c++ "$work/client.cc" -x none "$library" -o "$work/client"
fi
"$work/client"

# Position-independent: a shared library can include it, without relocations in its text.
"$cc" -shared -Wl,-z,text -Wl,--whole-archive "$library" -Wl,--no-whole-archive -o "$work/libplumb.so"

"$cc" -std=c11 "${strict[@]}" -O1 docs/examples/c/poses.c "$library" -o "$work/poses"
# One line per event: time, pose (or unknown and why), device angle.
turn='portrait landscapeRight portraitUpsideDown landscapeLeft portrait faceUp'
found=$("$work/poses" | awk '{ printf "%s%s", (NR > 1 ? " " : ""), $2 }')
[ "$found" = "$turn" ] || {
  printf 'core: the example turns a board through "%s", not "%s"\n' "$found" "$turn"
  exit 1
}

# The output of `plumb replay --format json`, in the words of the example.
as_example() {
  sed -nE -e 's/^\{"t":([^,]*),"event":"pose",.*"to":"([^"]*)","angle_deg":([^,]*),.*/\1 \2 \3/p' \
    -e 's/^\{"t":([^,]*),"event":"trouble","reason":"([^"]*)".*/\1 unknown \2/p'
}

plumb=${PLUMB:-build/plumb}
[ -x "$plumb" ] || {
  echo "core: $plumb is not there: the example is not compared with it"
  exit 0
}
for recording in Tests/Programs/EndToEnd/Recordings/*.csv; do
  "$work/poses" "$recording" >"$work/example"
  "$plumb" replay --format json "$recording" | as_example >"$work/tool"
  # Both print to 0.0001 degrees, but round ties differently. For a board that lies flat the tool prints no angle.
  paste -d ' ' "$work/example" "$work/tool" | awk -v name="${recording##*/}" '
    { off = $6 == "null" && $2 ~ /^face/ ? 0 : $3 - $6 }
    NF != 6 || $1 + 0 != $4 + 0 || $2 != $5 || off * off > 2e-8 || ($2 == "unknown" && $3 != $6) {
      printf "core: %s: the example says \"%s %s %s\", the tool \"%s %s %s\"\n", name, $1, $2, $3, $4, $5, $6
      wrong = 1
    }
    END {
      if (NR == 0) { printf "core: %s: no event at all\n", name; exit 1 }
      if (wrong) exit 1
      printf "core: %s: %d events, the same from C and from the tool\n", name, NR
    }'
done
