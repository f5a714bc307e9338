#!/usr/bin/env bash
# Builds a release twice from two clones, in folders of different depth, at another time, as another user, with other rights of
# new files, another time zone and another language, and compares all files byte by byte.
#
#     Tests/Releases/reproduce.sh [source|core|deb|tool|docs]...      (without a word: all)
#
# Both are built from the last commit. Where user namespaces are allowed, the second is built as another user than the first (1234,
# which has no name); elsewhere only the names in the environment are others. libfaketime, where it is installed, sets the clock of
# the second 400 days ahead; elsewhere it is later by as long as the first has taken.
#
# KEEP=FOLDER keeps both releases there, as one/ and two/.
#
# Exit codes: 0 the same; 1 not; else that of the build.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.."

project=$PWD
changed=$(git status --porcelain)
[ -z "$changed" ] || {
  printf 'reproduce: commit first: a release is made of a commit, and these files differ from it:\n%s\n' "$changed" >&2
  exit 65
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
one=$work/a two=$work/another/and/a/much/longer/path/than/that/of/the/first

# released FOLDER COMMAND...: builds a clone there by `make dist` through the command. Packages were installed before (SETUP).
# HOME is the same, as git finds its settings there, and SwiftPM and scripts/pi-libraries.sh what they have fetched.
released() {
  local folder=$1
  shift
  mkdir -p "$(dirname "$folder")"
  git clone -q "$project" "$folder"
  printf 'reproduce: building %s in %s\n' "${PARTS:-all}" "$folder"
  "$@" make -s -C "$folder" SETUP=true ${PARTS:+"PARTS=$PARTS"} dist >"$work/log" 2>&1 || {
    local code=$?
    tail -n 40 "$work/log" >&2
    exit "$code"
  }
  tail -n 1 "$work/log"
}

PARTS=$*
# What a make above this one has set is no part of it.
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
  other+=(FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 faketime -f +400d)
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
python3 -B Tests/Releases/compare.py "$one/build/dist" "$two/build/dist"
