#!/usr/bin/env bash
# Runs the first commands of README.md, including `make run` and `make test`, as a new user would: on a Debian with only
# Swift and sudo.
#
#     Tests/System/Fresh/fresh.sh [SUITE]...      (as root; `make test-fresh`)      (default: bookworm trixie)
#
#     PLUMB_DEBIAN_MIRROR   the source; by default the mirror of this machine (scripts/mirror.sh)
#     LIMIT                 the time limit of the commands per release, s; 5400 by default
#
# Creates each root from scratch in its own mount namespace. Swift is that of this machine. Clones the last commit from
# here instead of the address that packaging/address has for REPOSITORY in README.md; git's address replacements (url.….insteadOf) apply, so Swift's packages come
# from the same place as here.
#
# Exit codes: 0 success; 1 a command failed or took too long; 69 something is missing here.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

stop() {
  printf 'fresh: %s\n' "$@" >&2
  exit 69
}
[ "$(id -u)" -eq 0 ] || stop 'this needs root rights: a root of another system is entered with chroot.'
for tool in mmdebstrap unshare git "${SWIFT:-swift}"; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-fresh."
done
if [ -z "${PLUMB_FRESH_INSIDE:-}" ]; then
  PLUMB_FRESH_INSIDE=yes exec unshare --mount --propagation private bash "$0" "$@"
fi
[ $# -gt 0 ] || set -- bookworm trixie

limit=${LIMIT:-5400}
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")
work=$(mktemp -d)
# Others enter it by a path below.
chmod 755 "$work"
trap 'umount -l "$work"; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
# Unmounting this one also removes what is mounted below it.
mount --bind "$work" "$work"
git clone -q --bare . "$work/plumb.git"

# The commands: lines indented in the first section, up to two blanks, with this clone in place of the address.
address=$(sed -n 's/^repository //p' packaging/address)
mapfile -t commands < <(sed -n '/^## Try it/,/^- /s/^    \([^ ].*\)/\1/p' README.md | sed "s/  .*//; s|REPOSITORY|$address|")
for command in "git clone $address plumb" 'make run' 'make test'; do
  printf '%s\n' "${commands[@]}" | grep -qx "$command" || stop "README.md has no \"$command\" in its first section."
done

# share ROOT FOLDER [WHERE]: mounts the folder read-only in the root.
share() {
  mkdir -p "$1${3:-$2}"
  mount --bind "$2" "$1${3:-$2}"
  mount -o remount,bind,ro "$1${3:-$2}"
}

# make_root SUITE ROOT: a Debian with Swift, sudo, and a user who may do everything through it.
make_root() {
  local suite=$1 root=$2 name value folder
  mmdebstrap --mode=root --variant=minbase --include=sudo --skip=cleanup/apt/lists \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$root" "$(sh scripts/mirror.sh)" \
    >"$work/log" 2>&1 || {
    tail -n 15 "$work/log" >&2
    stop "a Debian $suite could not be made."
  }
  mount --rbind /dev "$root/dev"
  mount --make-rslave "$root/dev"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  share "$root" "$toolchain"
  share "$root" "$work/plumb.git" /srv/plumb.git
  {
    printf '[safe]\n\tdirectory = *\n[url "/srv/plumb.git"]\n\tinsteadOf = %s\n' "$address"
    git config --get-regexp '^url\..*\.insteadof$' | while read -r name value; do
      name=${name#url.}
      printf '[url "%s"]\n\tinsteadOf = %s\n' "${name%.insteadof}" "$value"
    done
  } >"$root/etc/gitconfig"
  git config --get-regexp '^url\./.*\.insteadof$' | sed 's/^url\.\(.*\)\.insteadof .*/\1/' | sort -u |
    while read -r folder; do [ ! -d "$folder" ] || share "$root" "${folder%/}"; done
  chroot "$root" useradd -m -s /bin/bash maker
  printf 'maker ALL=(ALL) NOPASSWD: ALL\n' >"$root/etc/sudoers.d/maker"
  printf 'APT::Get::Assume-Yes "true";\nDPkg::Use-Pty "false";\n' >"$root/etc/apt/apt.conf.d/90yes"
  printf '%s\n' 'set -e' "${commands[@]}" >"$root/home/maker/commands"
}

failures=0
for suite in "$@"; do
  root=$work/$suite
  printf 'fresh: making a Debian %s with sudo and nothing else\n' "$suite"
  make_root "$suite" "$root"
  printf 'fresh: as README.md begins:\n'
  printf '    %s\n' "${commands[@]}"
  begin=$SECONDS status=0
  # In a process namespace, where all processes end with the first.
  timeout --kill-after=10 "$limit" unshare --pid --fork --kill-child --mount-proc="$root/proc" chroot "$root" su - maker -c \
    "export PATH=\$PATH:$toolchain/bin DEBIAN_FRONTEND=noninteractive; bash commands" >"$work/output" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ] || ! grep -q '^Summary: ' "$work/output"; then
    tail -n 80 "$work/output" >&2
    printf 'fresh: Debian %s: exit code %d after %d s (124: longer than %d s), or no summary of a run\n' \
      "$suite" "$status" $((SECONDS - begin)) "$limit" >&2
    failures=$((failures + 1))
  else
    printf 'fresh: on Debian %s they end as README.md says, after %d s\n' "$suite" $((SECONDS - begin))
  fi
  umount -R -l "$root/dev"
done
[ "$failures" -eq 0 ] || exit 1
