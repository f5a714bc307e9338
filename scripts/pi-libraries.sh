#!/bin/sh
# Fetches the static libraries with which plumbd, plumb-mqtt and plumb-desktop are linked for a Raspberry Pi or a PC, and prints their folder:
#
#     scripts/pi-libraries.sh amd64|arm64|armhf|armv6
#     scripts/pi-libraries.sh pin          rewrites scripts/pi-libraries.txt from Debian's current packages
#
# In that folder, libgpiod1 and libgpiod2 each have include/ and lib/, including libi2c and libinih; so do mqtt, with
# libpaho-mqtt and OpenSSL, and desktop, with libdbus. They are Debian 12's own packages (libgpiod 2 from its backports),
# unpacked, not installed. They are linked into released programs, so scripts/pi-libraries.txt pins each by version and
# SHA-256, and other files are rejected. In the folder, the file `packages` lists what was used, and `libraries` the
# package of each library. scripts/debian.sh has where they come from, and where they are kept.
#
# Exit codes: 0 success; 64 wrong usage; 69 not available.
set -eu
export LC_ALL=C

pins=$(dirname "$0")/pi-libraries.txt
is_pinning=${PLUMB_PINNING:-}
case ${1:-} in
  amd64 | arm64 | armhf) architecture=$1 ;;
  armv6) architecture=armel ;;
  pin)
    # In a separate cache: the usual one must contain no other version than the pinned one.
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    trap 'exit 130' INT TERM
    sed '/^[^#]/d' "$pins" >"$cache/pins"
    for target in amd64 arm64 armhf armv6; do
      folder=$(PLUMB_PINNING=yes PLUMB_CACHE=$cache sh "$0" "$target")
      cat "$folder/packages" >>"$cache/pins"
    done
    cat "$cache/pins" >"$pins"
    exit 0
    ;;
  *)
    printf 'usage: scripts/pi-libraries.sh amd64|arm64|armhf|armv6|pin\n' >&2
    exit 64
    ;;
esac

# shellcheck source=scripts/debian.sh
. "$(dirname "$0")/debian.sh"
# Increment when something else is fetched: the results of earlier versions of this script lack it.
content=4
folder=$cache/debian-12-$content/$architecture

# The pins for this architecture, in the format of `packages`.
pinned() { awk -v architecture="$architecture" '$1 == architecture' "$pins"; }

if is_kept; then
  printf '%s\n' "$folder"
  exit 0
fi

printf 'pi-libraries: fetching libraries for %s into %s\n' "$architecture" "$folder" >&2
open_debian "$architecture" bookworm bookworm-backports

# take NAME SUITE:PACKAGE...: puts headers and static libraries of the packages into a folder with that name. Takes the
# pinned version from the suite or, when pinning, the newest.
take() {
  name=$1
  shift
  mkdir -p "$work/$name" "$work/new/$name/include" "$work/new/$name/lib"
  for wanted in "$@"; do
    package=${wanted#*:}
    version=$(pinned | awk -v name="$name" -v package="$package" '$2 == name && $3 == package { print $4 }')
    if [ -n "$is_pinning" ]; then request=$package/${wanted%%:*}; else request=$package=$version; fi
    (cd "$work/$name" && apt download "$request")
    file=$(find "$work/$name" -maxdepth 1 -name "${package}_*.deb")
    sum=$(sha256sum <"$file")
    printf '%s %s %s %s %s\n' "$architecture" "$name" "$package" "$(dpkg-deb -f "$file" Version)" "${sum%% *}" >>"$work/new/packages"
    dpkg-deb --fsys-tarfile "$file" | tar -t | sed -n "s|.*/\\(lib[^/]*\\.a\\)\$|$name \\1 $package|p" >>"$work/new/libraries"
  done
  (
    cd "$work/$name"
    for package in *.deb; do dpkg-deb -x "$package" root; done
    # Files that differ between architectures, and those of libdbus, belong next to the rest.
    for own in root/usr/include/*-linux-gnu* root/usr/include/dbus-1.0 root/usr/lib/*/dbus-1.0/include; do
      if [ -d "$own" ]; then cp -R "$own/." root/usr/include/ && rm -rf "$own"; fi
    done
  )
  cp -R "$work/$name/root/usr/include/." "$work/new/$name/include/"
  cp "$work/$name"/root/usr/lib/*/*.a "$work/new/$name/lib/"
}

# expect_gpiod VERSION: checks that libgpiodVERSION has that version.
expect_gpiod() {
  grep -q 'GPIOD_LINE_BULK_MAX_LINES' "$work/new/libgpiod$1/include/gpiod.h" && found=1 || found=2
  [ "$found" = "$1" ] || stop "Debian has libgpiod $found where $1 was expected."
}

take libgpiod1 bookworm:libgpiod-dev bookworm:libi2c-dev bookworm:libinih-dev
take libgpiod2 bookworm-backports:libgpiod-dev bookworm:libi2c-dev bookworm:libinih-dev
take mqtt bookworm:libpaho-mqtt-dev bookworm:libssl-dev
take desktop bookworm:libdbus-1-dev
check_pins
expect_gpiod 1
expect_gpiod 2
keep
