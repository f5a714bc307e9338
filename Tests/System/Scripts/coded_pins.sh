#!/usr/bin/env bash
# Tests the example readers of coded pins: they compile with the installed libgpiod, and on simulated wires they read
# every pose, reject everything that breaks the rule of docs/coded-pins.md, and report what is wrong. The same for the
# readers in C and Python, with versions 1 and 2 of libgpiod's interface.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

examples=docs/examples/coded-pins
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict=(-std=gnu11 -Wall -Wextra -Wconversion -Werror)
failures=0

fail() {
  printf 'coded_pins: %s\n' "$*" >&2
  failures=$((failures + 1))
}

gcc "${strict[@]}" -O1 "$examples/read_pose.c" -lgpiod -o "$work/installed"
for version in 1 2; do
  gcc "${strict[@]}" -O1 -I"Tests/System/CodedPins/version$version" "$examples/read_pose.c" -o "$work/read_pose-$version"
done
# The real header of the other version, if the daemon's libraries have been fetched.
for header in "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}"/plumb/*/*/libgpiod?/include; do
  [ ! -d "$header" ] || gcc "${strict[@]}" -fsyntax-only -I"$header" "$examples/read_pose.c"
done

# reader KIND ARGUMENT...: runs the reader in C or Python for either version.
reader() {
  local kind=$1
  shift
  case $kind in
    c*) "$work/read_pose-${kind#c}" "$@" ;;
    python*)
      PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="Tests/System/CodedPins:Tests/System/CodedPins/version${kind#python}" \
        python3 "$examples/read_pose.py" "$@"
      ;;
  esac
}

# expect NAME CODE WIRES WORD...: the reader must print the words for these wires, line by line, until they end.
expect() {
  local name=$1 code=$2 wires=$3 kind found wanted lines=(17 22 23 24)
  shift 3
  [ "$code" = binary ] || lines=(17 1 2 3 4 5 6)
  wanted=$(printf '%s\n' "$@")
  for kind in c1 c2 python1 python2; do
    local status=0
    found=$(WIRES=$wires reader "$kind" wires "$code" "${lines[@]}" 2>"$work/errors") || status=$?
    [ "$found" = "$wanted" ] || fail "$name, $kind: read '$found' instead of '$wanted'"
    [ "$status" = 69 ] || fail "$name, $kind: ended with $status"
    grep -q "cannot be read: Input/output error" "$work/errors" || fail "$name, $kind: $(cat "$work/errors")"
  done
}

# Three readings make a pose.
thrice() {
  for word in "$@"; do printf '%s %s %s ' "$word" "$word" "$word"; done
}

poses=(portrait portraitUpsideDown landscapeLeft landscapeRight faceUp faceDown)
expect 'every number' binary "$(thrice 1000 1100 1010 1110 1001 1101)" "${poses[@]}"
expect 'every line' one-hot "$(thrice 1100000 1010000 1001000 1000100 1000010 1000001)" "${poses[@]}"
expect 'a pose again' binary "$(thrice 1100 1100 1100)" portraitUpsideDown
expect 'no number of a pose' binary "$(thrice 1011 1111)" ''
expect 'two lines and none' one-hot "$(thrice 1110000 1000000 1111111)" ''
expect 'valid is off at the end' binary '1100 1110 0110' ''
expect 'valid is off at the beginning' binary '0100 1110 1110' ''
expect 'only the middle reading counts' binary '1000 1010 1100' landscapeLeft
expect 'readings that take 4 ms' binary '1100 +2 1100 +2 1100' portraitUpsideDown
expect 'readings that take 5 ms' binary '1100 +2 1100 +3 1100' ''
expect 'a change of poses' binary "$(thrice 1100 0100 0001 1001)" portraitUpsideDown faceUp
expect 'not known for long' binary "$(thrice 1100 0000 0000 0000 0000 0000 0000 1100)" portraitUpsideDown unknown \
  portraitUpsideDown
expect 'not known from the beginning' one-hot "$(thrice 0000000 0000000 0000000 0000000 0000000)" unknown
expect 'not known not long enough' binary "$(thrice 0000 0000 0000 0000 1000)" portrait

for kind in c1 c2 python1 python2; do
  for arguments in '' 'wires' 'wires binary 17 22 23' 'wires one-hot 17 22 23 24' 'wires gray 17 22 23 24' \
    'wires binary 17 22 23 x'; do
    status=0
    # shellcheck disable=SC2086 # words
    reader $kind $arguments >"$work/output" 2>"$work/errors" || status=$?
    [ "$status" = 64 ] || fail "$kind $arguments: ended with $status"
    if [ -s "$work/output" ] || ! grep -q "CHIP binary VALID" "$work/errors"; then
      fail "$kind $arguments: no usage"
    fi
  done
  status=0
  reader "$kind" /dev/none binary 17 22 23 24 >"$work/output" 2>"$work/errors" || status=$?
  [ "$status" = 69 ] || fail "$kind without a chip: ended with $status"
  grep -q "/dev/none cannot be .*: No such file or directory" "$work/errors" || fail "$kind: $(cat "$work/errors")"
done

[ "$failures" = 0 ] || exit 1
echo 'coded_pins: both readers, with both versions of libgpiod, read what the rule lets them read'
