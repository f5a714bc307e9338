#!/bin/sh
# Fetches the sources that the firmware for a Pico is built with, and prints their folder:
#
#     scripts/pico-sources.sh
#     scripts/pico-sources.sh pin          rewrites scripts/pico-sources.txt from Debian's current packages
#
# In that folder are pico-sdk/, of Raspberry Pi's SDK what concerns an RP2040; tinyusb/, the USB stack; and the licences
# of both. They are Debian 13's own packages pico-sdk-source and tinyusb-source, unpacked, not installed, so no release
# of Debian needs them. They end in released firmware, so scripts/pico-sources.txt pins both by version and SHA-256, and
# other files are rejected. In the folder, the file `packages` lists what was used. scripts/debian.sh has where they
# come from, and where they are kept.
#
# Exit codes: 0 success; 64 wrong usage; 69 not available.
set -eu
export LC_ALL=C

pins=$(dirname "$0")/pico-sources.txt
is_pinning=${PLUMB_PINNING:-}
case ${1:-} in
  '') ;;
  pin)
    # In a separate cache: the usual one must contain no other version than the pinned one.
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    trap 'exit 130' INT TERM
    folder=$(PLUMB_PINNING=yes PLUMB_CACHE=$cache sh "$0")
    { sed '/^[^#]/d' "$pins" && cat "$folder/packages"; } >"$cache/pins"
    cat "$cache/pins" >"$pins"
    exit 0
    ;;
  *)
    printf 'usage: scripts/pico-sources.sh [pin]\n' >&2
    exit 64
    ;;
esac

# shellcheck source=scripts/debian.sh
. "$(dirname "$0")/debian.sh"
# Increment when something else is kept: the results of earlier versions of this script lack it.
content=1
folder=$cache/debian-13-$content/pico

pinned() { sed '/^#/d' "$pins"; }

if is_kept; then
  printf '%s\n' "$folder"
  exit 0
fi

# take PACKAGE FOLDER PATH...: puts these paths of the package's sources into a folder. Takes the pinned version or, when
# pinning, the newest.
take() {
  package=$1 place=$work/new/$2
  shift 2
  if [ -n "$is_pinning" ]; then
    request=$package
  else
    request=$package=$(pinned | awk -v package="$package" '$1 == package { print $2 }')
  fi
  (cd "$work" && apt download "$request")
  file=$(find "$work" -maxdepth 1 -name "${package}_*.deb")
  sum=$(sha256sum <"$file")
  printf '%s %s %s\n' "$package" "$(dpkg-deb -f "$file" Version)" "${sum%% *}" >>"$work/new/packages"
  dpkg-deb -x "$file" "$work/$package"
  for path in "$@"; do
    mkdir -p "$(dirname "$place/$path")"
    cp -R "$work/$package/usr/src/$(basename "$place")/$path" "$place/$path"
  done
  cp "$work/$package/usr/share/doc/$package/copyright" "$place/copyright"
}

printf 'pico-sources: fetching the SDK and TinyUSB into %s\n' "$folder" >&2
# Both packages are the same for every architecture.
open_debian amd64 trixie
take pico-sdk-source pico-sdk src/common src/rp2040 src/rp2_common
take tinyusb-source tinyusb src
check_pins
keep
