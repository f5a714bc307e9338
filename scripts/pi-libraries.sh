#!/bin/sh
# Fetches the static libraries with which plumbd, plumb-mqtt and plumb-desktop are linked for a Raspberry Pi, and prints their folder:
#
#     scripts/pi-libraries.sh arm64|armhf|armv6
#     scripts/pi-libraries.sh pin          rewrites scripts/pi-libraries.txt from Debian's current packages
#
# In that folder, libgpiod1 and libgpiod2 each have include/ and lib/, including libi2c and libinih; so do mqtt, with
# libpaho-mqtt and OpenSSL, and desktop, with libdbus. They are Debian 12's own packages (libgpiod 2 from its backports), which apt verifies with
# Debian's keys; they are unpacked, not installed: the machine's architectures, package lists and packages are
# unchanged. They are linked into released programs, so scripts/pi-libraries.txt pins each by version and SHA-256, and
# other files are rejected. In the folder, the file `packages` lists what was used, and `libraries` the package of each
# library. They come from the machine's own Debian mirror (scripts/mirror.sh; PLUMB_DEBIAN_MIRROR overrides it) and are
# kept in PLUMB_CACHE (else XDG_CACHE_HOME/plumb, else ~/.cache/plumb), so only the first build uses the network.
#
# Exit codes: 0 success; 64 wrong usage; 69 not available.
set -eu
export LC_ALL=C

pins=$(dirname "$0")/pi-libraries.txt
is_pinning=${PLUMB_PINNING:-}
case ${1:-} in
  arm64 | armhf) architecture=$1 ;;
  armv6) architecture=armel ;;
  pin)
    # In a separate cache: the usual one must contain no other version than the pinned one.
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    trap 'exit 130' INT TERM
    sed '/^[^#]/d' "$pins" >"$cache/pins"
    for target in arm64 armhf armv6; do
      folder=$(PLUMB_PINNING=yes PLUMB_CACHE=$cache sh "$0" "$target")
      cat "$folder/packages" >>"$cache/pins"
    done
    cat "$cache/pins" >"$pins"
    exit 0
    ;;
  *)
    printf 'usage: scripts/pi-libraries.sh arm64|armhf|armv6|pin\n' >&2
    exit 64
    ;;
esac

cache=${PLUMB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/plumb}
# Increment when something else is fetched: the results of earlier versions of this script lack it.
content=4
folder=$cache/debian-12-$content/$architecture
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(sh "$(dirname "$0")/mirror.sh")

# The pins for this architecture, in the format of `packages`.
pinned() { awk -v architecture="$architecture" '$1 == architecture' "$pins"; }

# Fetch again what was fetched when other versions were pinned.
if [ -f "$folder/complete" ] && { [ -n "$is_pinning" ] || [ "$(pinned)" = "$(cat "$folder/packages")" ]; }; then
  printf '%s\n' "$folder"
  exit 0
fi

stop() {
  printf 'pi-libraries: %s\n' "$@" >&2
  exit 69
}

command -v apt-get >/dev/null 2>&1 || stop 'this needs apt-get, of Debian, Ubuntu or Raspberry Pi OS.'
[ -f "$keys" ] || stop "$keys is missing: install debian-archive-keyring."

mkdir -p "$cache"
work=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$work/state/lists/partial" "$work/apt/archives/partial" "$work/new"
: >"$work/status"
for suite in bookworm bookworm-backports; do
  printf 'deb [arch=%s signed-by=%s] %s %s main\n' "$architecture" "$keys" "$mirror" "$suite"
done >"$work/sources.list"

# An apt with its own lists, packages and architecture. Old lists suffice, because packages are pinned.
apt() {
  apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/apt" \
    -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o APT::Sandbox::User= \
    -o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false "$@" >>"$work/log" 2>&1 && return
  tail -n 15 "$work/log" >&2
  stop "Debian's $architecture packages could not be fetched from $mirror (PLUMB_DEBIAN_MIRROR names another mirror)." \
    "If Debian has replaced a version that $pins pins: sh scripts/pi-libraries.sh pin, and look at what changes;" \
    'or take a mirror that keeps old versions: PLUMB_DEBIAN_MIRROR=https://snapshot.debian.org/archive/debian/DATE'

}

printf 'pi-libraries: fetching libraries for %s into %s\n' "$architecture" "$folder" >&2
apt update

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
if [ -z "$is_pinning" ] && [ "$(pinned)" != "$(cat "$work/new/packages")" ]; then
  pinned >"$work/pinned"
  diff "$work/pinned" "$work/new/packages" >&2 || :
  stop "these are not the packages that $pins pins (< pinned, > from $mirror)."
fi
expect_gpiod 1
expect_gpiod 2
: >"$work/new/complete"
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
mv "$work/new" "$folder"
printf '%s\n' "$folder"
