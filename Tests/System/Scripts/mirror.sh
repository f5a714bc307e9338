#!/usr/bin/env bash
# Tests what scripts/mirror.sh makes of a machine's package sources.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
debian=http://deb.debian.org/debian
unset PLUMB_DEBIAN_MIRROR

# expect WHAT WANTED NAME TEXT [NAME TEXT]...: files with these names must give this mirror.
expect() {
  local what=$1 wanted=$2 found
  shift 2
  rm -rf "$work/apt"
  mkdir -p "$work/apt/sources.list.d"
  while [ $# -gt 0 ]; do
    printf '%b' "$2" >"$work/apt/$1"
    shift 2
  done
  found=$(sh scripts/mirror.sh "$work/apt")
  [ "$found" = "$wanted" ] || {
    printf 'mirror: %s: "%s" instead of "%s"\n' "$what" "$found" "$wanted" >&2
    failures=$((failures + 1))
  }
}

near=http://mirror.example/debian
expect 'no sources at all' "$debian"
expect 'a line' "$near" sources.list "deb $near bookworm main\n"
expect 'a line with options, several components and a comment' "$near" sources.list \
  "# of ours\ndeb [arch=amd64 signed-by=/a/b.gpg] $near/ bookworm contrib main # near\n"
expect 'a commented line' "$debian" sources.list "# deb $near bookworm main\n"
expect 'sources of source packages' "$debian" sources.list "deb-src $near bookworm main\n"
expect 'security first' "$near" sources.list \
  "deb http://other.example/debian-security bookworm-security main\ndeb $near bookworm main\n"
expect 'updates alone' "$near" sources.list.d/a.list "deb $near trixie-updates main\n"
expect 'another project beside it' "$near" sources.list "deb https://packages.example/apt tools main\n" \
  sources.list.d/debian.list "deb $near bookworm main\n"
expect 'Ubuntu' "$debian" sources.list "deb http://archive.ubuntu.com/ubuntu noble main universe\n"
expect 'Raspbian' "$debian" sources.list "deb http://raspbian.raspberrypi.org/raspbian bookworm main\n"
expect 'Raspberry Pi OS, 64 bit' "$near" sources.list "deb $near bookworm main contrib\n" \
  sources.list.d/raspi.list "deb http://archive.raspberrypi.com/debian bookworm main\n"
expect 'a medium' "$debian" sources.list "deb cdrom:[Debian]/ bookworm main\ndeb file:/srv/debian bookworm main\n"
expect 'a paragraph' "$near" sources.list.d/debian.sources \
  "Types: deb\nURIs: $near\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /a.gpg\n"
expect 'fields in any case and over several lines' "$near" sources.list.d/debian.sources \
  "types: deb-src deb\nuris:\n  $near/\n  http://second.example/debian\nsuites: bookworm\ncomponents: contrib\n main\n"
expect 'the second paragraph' "$near" sources.list.d/debian.sources \
  "Types: deb\nURIs: http://a.example/debian-security\nSuites: bookworm-security\nComponents: main\n\n# next\nTypes: deb\nURIs: $near\nSuites: trixie\nComponents: main\n"
expect 'a paragraph that is switched off' "$debian" sources.list.d/debian.sources \
  "Enabled: no\nTypes: deb\nURIs: $near\nSuites: bookworm\nComponents: main\n"
expect 'https' https://mirror.example/debian sources.list "deb https://mirror.example/debian/ stable main\n"

expect 'the environment goes before' "$near" sources.list "deb $near bookworm main\n"
found=$(PLUMB_DEBIAN_MIRROR=http://mine.example/debian/ sh scripts/mirror.sh "$work/apt")
[ "$found" = http://mine.example/debian ] || {
  printf 'mirror: PLUMB_DEBIAN_MIRROR gives "%s"\n' "$found" >&2
  failures=$((failures + 1))
}

[ "$failures" = 0 ] || exit 1
echo 'mirror: package sources of both forms give the mirror that they name'
