# shellcheck shell=sh disable=SC2154  # set by the scripts that source this one
# Fetches packages of Debian that are pinned by version and SHA-256, and that apt verifies with Debian's keys, with an
# apt of its own: this machine's architectures, package lists and packages are unchanged. Sourced by pi-libraries.sh and
# pico-sources.sh, which set `pins`, the file with the pins; `is_pinning`, not empty while that file is rewritten;
# `folder`, where the result belongs; and `pinned`, which prints the pins of that folder in the format of its file
# `packages`.
#
# The packages come from the machine's own Debian mirror (scripts/mirror.sh; PLUMB_DEBIAN_MIRROR overrides it). What is
# made of them is kept in PLUMB_CACHE (else XDG_CACHE_HOME/plumb, else ~/.cache/plumb), so only the first build uses the
# network.

script=$(basename "$0" .sh)
cache=${PLUMB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/plumb}
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(sh "$(dirname "$0")/mirror.sh")

stop() {
  printf "$script: %s\n" "$@" >&2
  exit 69
}

# is_kept: whether the folder has what is pinned. Other versions are fetched again.
is_kept() {
  [ -f "$folder/complete" ] && { [ -n "$is_pinning" ] || [ "$(pinned)" = "$(cat "$folder/packages")" ]; }
}

# open_debian ARCHITECTURE SUITE...: reads the lists of the suites' packages.
open_debian() {
  debian_architecture=$1
  shift
  command -v apt-get >/dev/null 2>&1 || stop 'this needs apt-get, of Debian, Ubuntu or Raspberry Pi OS.'
  [ -f "$keys" ] || stop "$keys is missing: install debian-archive-keyring."
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  mkdir -p "$work/state/lists/partial" "$work/apt/archives/partial" "$work/new"
  : >"$work/status"
  for suite in "$@"; do
    printf 'deb [arch=%s signed-by=%s] %s %s main\n' "$debian_architecture" "$keys" "$mirror" "$suite"
  done >"$work/sources.list"
  apt update
}

# An apt with its own lists, packages and architecture. Old lists suffice, because packages are pinned.
apt() {
  apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/apt" \
    -o APT::Architecture="$debian_architecture" -o APT::Architectures::="$debian_architecture" -o APT::Sandbox::User= \
    -o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false "$@" >>"$work/log" 2>&1 && return
  tail -n 15 "$work/log" >&2
  stop "Debian's $debian_architecture packages could not be fetched from $mirror (PLUMB_DEBIAN_MIRROR names another mirror)." \
    "If Debian has replaced a version that $pins pins: sh scripts/$script.sh pin, and look at what changes;" \
    'or take a mirror that keeps old versions: PLUMB_DEBIAN_MIRROR=https://snapshot.debian.org/archive/debian/DATE'
}

# check_pins: compares what was fetched with the pins.
check_pins() {
  [ -z "$is_pinning" ] && [ "$(pinned)" != "$(cat "$work/new/packages")" ] || return 0
  pinned >"$work/pinned"
  diff "$work/pinned" "$work/new/packages" >&2 || :
  stop "these are not the packages that $pins pins (< pinned, > from $mirror)."
}

# keep: puts the result in its place in one step, and prints that.
keep() {
  : >"$work/new/complete"
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder"
  mv "$work/new" "$folder"
  printf '%s\n' "$folder"
}
