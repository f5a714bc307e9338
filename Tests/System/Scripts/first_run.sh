#!/usr/bin/env bash
# What `make run` would build: an unoptimised tool where there is no optimised one, which otherwise it keeps up to date.
#
#     Tests/System/Scripts/first_run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."
# make splits a path with a space, which TMPDIR may have.
mkdir -p build
work=$(mktemp -d build/first-run-XXXXXX)
trap 'rm -rf "$work"' EXIT

# plan SCRATCH: the commands that `make run` would run, also below `make test`.
plan() { env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -n SETUP=true SCRATCH="$1" run; }

fail() {
  printf 'first run: %s:\n%s\n' "$1" "$2" >&2
  exit 1
}

printed=$(plan "$work/nothing")
grep -q "swift.* build .*--scratch-path $work/nothing/quick .*-Onone --product plumb" <<<"$printed" ||
  fail 'without an optimised tool it does not build an unoptimised one in a folder of its own' "$printed"
grep -q 'ln -s.* build/plumb$' <<<"$printed" || fail 'build/plumb is not the tool that it builds' "$printed"
[ ! -e "$work/nothing" ] || fail 'make -n builds' "$printed"

mkdir -p "$work/built/release"
touch "$work/built/release/plumb"
printed=$(plan "$work/built")
grep -q "swift.* build .*--scratch-path $work/built .*--product plumb" <<<"$printed" ||
  fail 'it does not keep an optimised tool up to date' "$printed"
! grep -qE 'Onone|quick|ln -s' <<<"$printed" || fail 'it replaces an optimised tool by another' "$printed"
echo 'first run: unoptimised where there is no optimised tool'
