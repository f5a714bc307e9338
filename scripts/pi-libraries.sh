#!/bin/sh
# Fetches the static libraries that plumbd and plumb-mqtt are linked with for a Raspberry Pi, and prints the folder where
# they are:
#
#     scripts/pi-libraries.sh arm64|armhf|armv6
#
# Below that folder, libgpiod1 and libgpiod2 have include/ and lib/ each, with libi2c and libinih beside; so has mqtt, with
# libpaho-mqtt and OpenSSL. They are Debian 12's own packages (libgpiod 2 from its backports), checked by apt against
# Debian's keys, unpacked and not installed: the machine's architectures, package lists and packages stay as they are. They come from the machine's own
# mirror of Debian (scripts/mirror.sh; PLUMB_DEBIAN_MIRROR names another) and are kept in
# PLUMB_CACHE (else XDG_CACHE_HOME/plumb, else ~/.cache/plumb), so that only the first build asks the network.
#
# Exit codes: 0 there; 64 wrong usage; 69 not to be had.
set -eu
export LC_ALL=C

case ${1:-} in
  arm64 | armhf) architecture=$1 ;;
  armv6) architecture=armel ;;
  *)
    printf 'usage: scripts/pi-libraries.sh arm64|armhf|armv6\n' >&2
    exit 64
    ;;
esac

cache=${PLUMB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/plumb}
# To be counted up whenever something else is fetched: what a former version of this script has kept lacks it.
content=2
folder=$cache/debian-12-$content/$architecture
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(sh "$(dirname "$0")/mirror.sh")

if [ -f "$folder/complete" ]; then
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

# An apt with lists, packages and architecture of its own.
apt() {
  apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/apt" \
    -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o APT::Sandbox::User= \
    -o Acquire::Languages=none -o Acquire::Retries=3 "$@" >>"$work/log" 2>&1 && return
  tail -n 15 "$work/log" >&2
  stop "Debian's $architecture packages could not be fetched from $mirror (PLUMB_DEBIAN_MIRROR names another mirror)."
}

printf 'pi-libraries: fetching libraries for %s into %s\n' "$architecture" "$folder" >&2
apt update

# take NAME PACKAGE...: headers and static libraries of the packages, in a folder of that name.
take() {
  name=$1
  shift
  mkdir -p "$work/$name" "$work/new/$name/include" "$work/new/$name/lib"
  (
    cd "$work/$name"
    apt download "$@"
    for package in *.deb; do dpkg-deb -x "$package" root; done
    # What is different for each architecture belongs beside the rest.
    for own in root/usr/include/*-linux-gnu*; do
      if [ -d "$own" ]; then cp -R "$own/." root/usr/include/ && rm -rf "$own"; fi
    done
  )
  cp -R "$work/$name/root/usr/include/." "$work/new/$name/include/"
  cp "$work/$name"/root/usr/lib/*/*.a "$work/new/$name/lib/"
}

# expect_gpiod VERSION: that libgpiodVERSION is that.
expect_gpiod() {
  grep -q 'GPIOD_LINE_BULK_MAX_LINES' "$work/new/libgpiod$1/include/gpiod.h" && found=1 || found=2
  [ "$found" = "$1" ] || stop "Debian has libgpiod $found where $1 was expected."
}

take libgpiod1 libgpiod-dev/bookworm libi2c-dev/bookworm libinih-dev/bookworm
take libgpiod2 libgpiod-dev/bookworm-backports libi2c-dev/bookworm libinih-dev/bookworm
take mqtt libpaho-mqtt-dev/bookworm libssl-dev/bookworm
expect_gpiod 1
expect_gpiod 2
: >"$work/new/complete"
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
mv "$work/new" "$folder"
printf '%s\n' "$folder"
