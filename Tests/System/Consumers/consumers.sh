#!/usr/bin/env bash
# Plumb as a dependency of other packages: copies docs/examples/{minimal,stream,raspberry-pi,embedded} out of the
# project and makes each depend by URL on a repository of it. Checks what they print, what is fetched, and which C
# libraries are needed and linked, with and without the package traits; and runs firmware in Embedded Swift on an
# emulated microcontroller.
#
#     Tests/System/Consumers/consumers.sh        (after `make bridge`, which the Raspberry Pi program runs on)
#
# Exit codes: 0 success; 1 a check failed; 69 a tool is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

project=$PWD
swift=${SWIFT:-swift}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  printf 'consumers: %s\n' "$1" >&2
  [ -z "${2:-}" ] || tail -n 25 "$2" >&2
  failures=$((failures + 1))
}

command -v qemu-system-arm >/dev/null || {
  echo 'consumers: qemu-system-arm is missing; run make setup-examples' >&2
  exit 69
}

# Only repositories on this machine: fetching any other fails.
export GIT_ALLOW_PROTOCOL=file GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
mkdir "$work/plumb"
tar -cf - --exclude='.build*' --exclude=.git --exclude=./build --exclude=Package.resolved . | tar -xf - -C "$work/plumb"
git -C "$work/plumb" init -q -b main
git -C "$work/plumb" add -A
git -C "$work/plumb" -c commit.gpgsign=false commit -q -m 'As it is'

# copy EXAMPLE TRAITS: makes $work/EXAMPLE depend on the repository with these traits, and leaves the rest unchanged.
copy() {
  rm -rf "${work:?}/$1"
  cp -R "$project/docs/examples/$1" "$work/$1"
  rm -rf "$work/$1/.build" "$work/$1/Package.resolved"
  sed -i "s|\.package(name: \"plumb\", path: \"../../..\", traits: .*)|.package(url: \"file://$work/plumb\", branch: \"main\", traits: $2)|" \
    "$work/$1/Package.swift"
  grep -q "file://$work/plumb" "$work/$1/Package.swift" || {
    echo "consumers: docs/examples/$1/Package.swift does not depend on Plumb as expected" >&2
    exit 1
  }
}

# package EXAMPLE COMMAND...: runs a SwiftPM command in it, with a cache that belongs to the test. Examples with equal
# traits have one build folder, $built, so that Plumb is compiled once for them.
package() {
  local folder=$work/$1 command=$2
  shift 2
  (cd "$folder" && "$swift" "$command" --cache-path "$work/cache" --scratch-path "$built" "$@")
}

# fetches_plumb_alone EXAMPLE: fetches nothing but Plumb.
fetches_plumb_alone() {
  local found
  found=$(ls "$built/checkouts")
  [ "$found" = plumb ] || fail "$1 fetched $(echo "$found" | tr '\n' ' ')"
  found=$(package "$1" package show-dependencies --format flatlist 2>/dev/null)
  [ "$found" = plumb ] || fail "$1 depends on $(echo "$found" | tr '\n' ' ')"
}

# same EXAMPLE FILE: compares what the example printed with the file.
same() {
  diff "$work/$1/expected.txt" "$2" >"$work/difference" || fail "$1 does not print what it should:" "$work/difference"
}

# until_shown PATTERN COMMAND...: runs a command for a few seconds, longer on a busy machine, until its output matches.
# Leaves the output in $work/printed. Returns the exit code, or 124 if the command was still running.
until_shown() {
  local pattern=$1 seconds code
  shift
  for seconds in 3 10 60; do
    code=0
    timeout -s INT "$seconds" "$@" >"$work/printed" 2>&1 || code=$?
    ! grep -q "$pattern" "$work/printed" || break
  done
  return "$code"
}

# Headers that report their inclusion, found before those of the system.
traps=$work/traps
mkdir -p "$traps/i2c"
for header in gpiod.h ini.h i2c/smbus.h; do echo "#error \"trap: $header was wanted\"" >"$traps/$header"; done

built=$work/built-without-traits
echo 'consumers: minimal, without traits'
copy minimal '[]'
if C_INCLUDE_PATH=$traps package minimal build >"$work/log" 2>&1; then
  "$built/debug/Minimal" >"$work/printed" || fail 'minimal ended with an error' "$work/printed"
  same minimal "$work/printed"
  ldd "$built/debug/Minimal" >"$work/libraries"
  ! grep -E 'gpiod|i2c|inih' "$work/libraries" >"$work/linked" || fail 'minimal is linked with' "$work/linked"
  fetches_plumb_alone minimal
else
  fail 'minimal does not build:' "$work/log"
fi

echo 'consumers: stream, without traits'
copy stream '[]'
if C_INCLUDE_PATH=$traps package stream build >"$work/log" 2>&1; then
  ldd "$built/debug/Listen" >"$work/libraries"
  ! grep -E 'gpiod|i2c|inih' "$work/libraries" >"$work/linked" || fail 'stream is linked with' "$work/linked"
  fetches_plumb_alone stream
  code=0
  "$built/debug/Listen" unix:/nonexistent >"$work/printed" 2>&1 || code=$?
  if [ "$code" != 69 ] || ! grep -q 'no owner' "$work/printed"; then fail 'stream does not say what is wrong:' "$work/printed"; fi
else
  fail 'stream does not build:' "$work/log"
fi

echo 'consumers: raspberry-pi, its trait forgotten'
copy raspberry-pi '[]'
if package raspberry-pi build >"$work/log" 2>&1; then
  fail 'raspberry-pi builds without its trait'
else
  grep -q 'error: LinuxHAL is off: depend on Plumb with traits: \["LinuxHAL"\]' "$work/log" ||
    fail 'without its trait, raspberry-pi is not told so:' "$work/log"
  ! grep -q 'no such module' "$work/log" || fail 'without its trait, raspberry-pi is told of a module:' "$work/log"
fi

built=$work/built-for-linux
echo 'consumers: raspberry-pi, without the C libraries'
copy raspberry-pi '["LinuxHAL"]'
if C_INCLUDE_PATH=$traps package raspberry-pi build >"$work/log" 2>&1; then
  fail 'raspberry-pi builds without the headers of the C libraries'
else
  grep -q 'trap: .* was wanted' "$work/log" || fail 'raspberry-pi does not want the C libraries:' "$work/log"
fi

echo 'consumers: raspberry-pi'
if package raspberry-pi build >"$work/log" 2>&1; then
  program=$built/debug/RaspberryPi
  ldd "$program" >"$work/libraries"
  for library in gpiod i2c inih; do
    grep -q "lib$library\.so" "$work/libraries" || fail "raspberry-pi is not linked with lib$library"
  done
  fetches_plumb_alone raspberry-pi
  # Without a bus, use the bridge, from a path without blanks: LD_PRELOAD is split at them.
  cp build/libPlumbBridge.so "$work/bridge.so"
  until_shown faceDown env LD_PRELOAD="$work/bridge.so" PLUMB_BRIDGE='adxl345@0x53=0,0,-1' "$program" ||
    [ $? -eq 124 ] || fail 'raspberry-pi failed:' "$work/printed"
  # On a very busy machine it may add that the last sample is stale.
  [ "$(grep -Ev 'unknown: stale' "$work/printed" | sort -u)" = faceDown ] ||
    fail 'raspberry-pi does not print the pose:' "$work/printed"
  until_shown 'unknown: fault' env LD_PRELOAD="$work/bridge.so" PLUMB_BRIDGE='' "$program" || :
  grep -q 'unknown: fault, bus(.*noAcknowledge)' "$work/printed" || fail 'raspberry-pi does not tell:' "$work/printed"
else
  fail 'raspberry-pi does not build:' "$work/log"
fi

built=$work/embedded/.build
echo 'consumers: embedded, on an emulated Cortex-M4'
copy embedded '[]'
if C_INCLUDE_PATH=$traps timeout 600 "$work/embedded/run.sh" --cache-path "$work/cache" >"$work/printed" 2>"$work/log"; then
  same embedded "$work/printed"
  fetches_plumb_alone embedded
else
  fail 'embedded failed:' "$work/log"
fi

[ "$failures" = 0 ] || exit 1
echo 'consumers: minimal, stream, raspberry-pi and embedded build, fetch, link and print what they should'
