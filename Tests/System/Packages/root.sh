# Debian roots, those for other processors entered under emulation. The tests of the packages source this after checks.sh.
#
#     PLUMB_CACHE           the cache; ${XDG_CACHE_HOME:-$HOME/.cache}/plumb by default
#     PLUMB_DEBIAN_SUITE    the release of Debian; bookworm by default
#     PLUMB_DEBIAN_MIRROR   the source; by default the mirror of this machine (scripts/mirror.sh)
#
# Each root is made once and kept outside the repository as a tar file; delete it to get newer packages.
# shellcheck shell=bash

suite=${PLUMB_DEBIAN_SUITE:-bookworm}
mirror=$(sh scripts/mirror.sh)
roots=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}/roots
keys=/usr/share/keyrings/debian-archive-keyring.gpg
formats=/proc/sys/fs/binfmt_misc
mounted=''
registered=()

[ "$(id -u)" -eq 0 ] || stop 'this needs root rights: a root of another system is entered with chroot.' \
  'Run it as root, or in a container whose root may mount.'
for tool in mmdebstrap arch-test qemu-aarch64-static qemu-arm-static; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-deb."
done

work=$(mktemp -d)
# Called by the trap.
# shellcheck disable=SC2317
clean() {
  for architecture in "${registered[@]}"; do printf '%s' -1 >"$formats/plumb-$architecture" || :; done
  [ -z "$mounted" ] || umount "$formats" || :
  rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

# run_foreign ARCHITECTURE: lets the kernel run its programs in the emulator. F: the emulator need not be inside the
# root.
run_foreign() {
  local magic mask class machine emulator
  ! arch-test "$1" >/dev/null 2>&1 || return 0
  if [ ! -e "$formats/register" ]; then
    mount -t binfmt_misc binfmt_misc "$formats" 2>/dev/null ||
      stop "binfmt_misc cannot be mounted on $formats: this kernel or container does not allow it."
    mounted=yes
  fi
  case $1 in
    amd64) class='\x02' machine='\x3e' emulator=/usr/bin/qemu-x86_64-static ;;
    arm64) class='\x02' machine='\xb7' emulator=/usr/bin/qemu-aarch64-static ;;
    armhf) class='\x01' machine='\x28' emulator=/usr/bin/qemu-arm-static ;;
  esac
  magic="\\x7f\\x45\\x4c\\x46$class\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00$machine\\x00"
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":plumb-$1:M::$magic:$mask:$emulator:OCF" >"$formats/register" ||
    stop "$emulator cannot be registered in $formats."
  registered+=("$1")
  arch-test "$1" >/dev/null 2>&1 || stop "$1 programs do not run, although $emulator is registered."
}

# unpack_root ARCHITECTURE NAME PACKAGES: unpacks a fresh $work/root with these packages and the essential ones.
unpack_root() {
  local tree=$roots/$suite-$1-$2.tar
  run_foreign "$1"
  if [ ! -s "$tree" ]; then
    say "making a Debian $suite root for $1 (two minutes or more): $tree"
    mkdir -p "$roots"
    mmdebstrap --mode=root --arch="$1" --variant=essential --include="$3" --keyring="$keys" "$suite" \
      "$work/root.tar" "$mirror" >"$work/log" 2>&1 || {
      tail -n 15 "$work/log" >&2
      stop "a Debian $suite root for $1 could not be made from $mirror."
    }
    mv "$work/root.tar" "$tree"
  fi
  rm -rf --one-file-system "$work/root"
  mkdir "$work/root"
  tar -x -C "$work/root" --numeric-owner -f "$tree"
}

# dependencies PACKAGE.deb: the names of what it depends on, for unpack_root, so that only the first run needs the network.
dependencies() { dpkg-deb -f "$1" Depends | sed -E 's/ *\([^)]*\)//g; s/ *\|[^,]*//g; s/ //g'; }
# root_name PREFIX LIST: a name for unpack_root that differs for other packages.
root_name() { printf '%s-%s' "$1" "$(printf '%s' "$2" | cksum | cut -d ' ' -f 1)"; }

inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"; }
apt() { inside DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@" >"$work/log" 2>&1; }

# The contents of the root, except lists, logs, dpkg's own records and traces of adding users and groups.
files() {
  (cd "$work/root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var/lib/dpkg \
    -o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt \) -prune -o -name '*-' -path './etc/*' -o -print) | sort
}
entry() { inside getent "$@" || :; }
# shellcheck disable=SC2016  # dpkg's own variable
status() { inside dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || :; }
# enabled SERVICE: the target of its link.
enabled() { readlink "$work/root/etc/systemd/system/multi-user.target.wants/$1" | sed 's|^/usr||'; }
# ends CODE COMMAND...: the command inside must exit with this code; leaves its output in $work/said.
ends() {
  local code=0
  inside "${@:2}" >"$work/said" 2>&1 || code=$?
  is "${*:2} ends with" "$1" "$code"
}
