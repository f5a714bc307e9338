# Roots of Debian for arm64, entered under emulation. Sourced by the tests of the packages, after checks.sh.
#
#     PLUMB_CACHE           the cache; ${XDG_CACHE_HOME:-$HOME/.cache}/plumb by default
#     PLUMB_DEBIAN_SUITE    the release of Debian; bookworm by default
#     PLUMB_DEBIAN_MIRROR   where from; this machine's own mirror of Debian by default (scripts/mirror.sh)
#
# Each root is made once and kept outside the repository, as a tar file; delete it for newer packages.
# shellcheck shell=bash

suite=${PLUMB_DEBIAN_SUITE:-bookworm}
mirror=$(sh scripts/mirror.sh)
roots=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}/roots
keys=/usr/share/keyrings/debian-archive-keyring.gpg
emulator=/usr/bin/qemu-aarch64-static
formats=/proc/sys/fs/binfmt_misc
mounted=''
registered=''

[ "$(id -u)" -eq 0 ] || stop 'this needs root rights: a root of another system is entered with chroot.' \
  'Run it as root, or in a container whose root may mount.'
[ -x "$emulator" ] || stop "$emulator is missing; run make setup-test-deb."
for tool in mmdebstrap arch-test; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-deb."
done

work=$(mktemp -d)
# Called by the trap.
# shellcheck disable=SC2317
clean() {
  [ -z "$registered" ] || printf '%s' -1 >"$formats/plumb-aarch64" || :
  [ -z "$mounted" ] || umount "$formats" || :
  rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

# Lets the kernel run arm64 programs by the emulator. F: the emulator need not be inside the root.
run_arm64() {
  local magic mask
  ! arch-test arm64 >/dev/null 2>&1 || return 0
  if [ ! -e "$formats/register" ]; then
    mount -t binfmt_misc binfmt_misc "$formats" 2>/dev/null ||
      stop "binfmt_misc cannot be mounted on $formats: this kernel or container does not allow it."
    mounted=yes
  fi
  magic='\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":plumb-aarch64:M::$magic:$mask:$emulator:OCF" >"$formats/register" ||
    stop "$emulator cannot be registered in $formats."
  registered=yes
  arch-test arm64 >/dev/null 2>&1 || stop "arm64 programs do not run, although $emulator is registered."
}

# unpack_root NAME PACKAGES: $work/root, with these packages besides the essential ones.
unpack_root() {
  local tree=$roots/$suite-arm64-$1.tar
  run_arm64
  if [ ! -s "$tree" ]; then
    say "making a Debian $suite root for arm64 (two minutes or more): $tree"
    mkdir -p "$roots"
    mmdebstrap --mode=root --arch=arm64 --variant=essential --include="$2" --keyring="$keys" "$suite" \
      "$work/root.tar" "$mirror" >"$work/log" 2>&1 || {
      tail -n 15 "$work/log" >&2
      stop "a Debian $suite root for arm64 could not be made from $mirror."
    }
    mv "$work/root.tar" "$tree"
  fi
  mkdir "$work/root"
  tar -x -C "$work/root" --numeric-owner -f "$tree"
}

inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"; }
apt() { inside DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >"$work/log" 2>&1; }
