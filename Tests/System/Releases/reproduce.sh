#!/usr/bin/env bash
# Builds a release twice from two clones, in folders of different depth, at another time, as another user, with another
# umask, time zone and language, and compares all files byte by byte.
#
#     Tests/System/Releases/reproduce.sh [source|core|deb|tool|docs|pico]...      (default: all)
#
# Builds both from the last commit. If user namespaces are allowed, the second is built as a different user (1234, which
# has no name); otherwise only the names in the environment differ. libfaketime, if installed, sets the clock of the
# second 400 days ahead; otherwise it is later by the duration of the first build.
#
# KEEP=FOLDER stores both releases there, as one/ and two/.
#
# Then SPDX's own tools, with hashes in Tests/System/Releases/requirements.txt, validate the bill of materials.
#
# Exit codes: 0 identical, with a valid bill; 1 not; 69 PyPI is unreachable; otherwise that of the build.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

project=$PWD
changed=$(git status --porcelain)
[ -z "$changed" ] || {
  printf 'reproduce: commit first: a release is made of a commit, and these files differ from it:\n%s\n' "$changed" >&2
  exit 65
}
# The current one: there may be another commit during the first build.
commit=$(git rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
one=$work/a two=$work/another/and/a/much/longer/path/than/that/of/the/first

# released FOLDER COMMAND...: builds a clone there with `make dist` through the command. Packages are installed already
# (SETUP). HOME is unchanged, because git finds its settings there, and SwiftPM and scripts/pi-libraries.sh their
# downloads.
released() {
  local folder=$1
  shift
  mkdir -p "$(dirname "$folder")"
  git clone -q --no-checkout "$project" "$folder"
  git -C "$folder" checkout -q --detach "$commit"
  printf 'reproduce: building %s in %s\n' "${PARTS:-all}" "$folder"
  "$@" make -s -C "$folder" SETUP=true ${PARTS:+"PARTS=$PARTS"} dist >"$work/log" 2>&1 || {
    local code=$?
    tail -n 40 "$work/log" >&2
    exit "$code"
  }
  tail -n 1 "$work/log"
}

# The validator of the bill of materials. Installed first, because PyPI may be unreachable and the builds take long.
python3 -B scripts/pypi.py install build/spdx-venv Tests/System/Releases/requirements.txt
judge=build/spdx-venv/bin/pyspdxtools

PARTS=$*
# Variables of an outer make must not affect the builds.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES SOURCE_DATE_EPOCH SCRATCH
(
  umask 022
  released "$one" env TZ=UTC LC_ALL=C.UTF-8
)
other=(env TZ=Pacific/Kiritimati LC_ALL=C LANG=de_DE.UTF-8 USER=another LOGNAME=another)
if unshare --user --map-user=1234 --map-group=1234 true 2>/dev/null; then
  other=(unshare --user --map-user=1234 --map-group=1234 "${other[@]}")
else
  echo 'reproduce: no user namespaces here: both are built by the same user'
fi
if command -v faketime >/dev/null; then
  # Fakes the times of files as well: otherwise the compilers would take what they have just cached to be a year old and
  # remove it while others read it.
  # All clocks alike, because with only some of them false libfaketime makes Python's sleep fail (EINVAL).
  other+=(faketime -f +400d)
else
  echo 'reproduce: no faketime here: the second is later by as long as the first has taken'
fi
(
  umask 077
  released "$two" "${other[@]}"
)
if [ -n "${KEEP:-}" ]; then
  mkdir -p "$KEEP"
  rm -rf "${KEEP:?}"/{one,two}
  cp -R "$one/build/dist" "$KEEP/one"
  cp -R "$two/build/dist" "$KEEP/two"
fi
python3 -B Tests/System/Releases/compare.py "$one/build/dist" "$two/build/dist"

# A validator that accepts anything proves nothing: it must reject the bill with a relation to a missing element.
for bill in "$one"/build/dist/*.spdx.json; do
  sed 's/"relatedSpdxElement": "SPDXRef-/&Nothing-/' "$bill" >"$work/broken.spdx.json"
  ! "$judge" --infile "$work/broken.spdx.json" >"$work/log" 2>&1 || {
    printf 'reproduce: %s takes a bill that names what is not in it\n' "$judge" >&2
    exit 1
  }
  "$judge" --infile "$bill" || {
    printf 'reproduce: %s is not a valid bill of materials\n' "${bill##*/}" >&2
    exit 1
  }
  printf 'reproduce: %s is a valid bill of materials, of %d packages\n' "${bill##*/}" "$(grep -c '"versionInfo":' "$bill")"
done
