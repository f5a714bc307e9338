#!/usr/bin/env bash
# Tries the first commands of README.md as a new user would: on a Debian with Swift and sudo and nothing else.
#
#     Tests/System/Fresh/fresh.sh        (as root; `make test-fresh`)
#
#     PLUMB_DEBIAN_SUITE    the release of Debian; that of this machine by default
#     PLUMB_DEBIAN_MIRROR   where from; this machine's own mirror of Debian by default (scripts/mirror.sh)
#
# The root is made anew, in a mount namespace of its own. Swift is that of this machine. What is cloned is the last commit,
# from here instead of from the address that README.md names; git's own replacements of addresses (url.….insteadOf) hold,
# so that Swift's packages come from where they come from here.
#
# Exit codes: 0 all good; 1 a command failed; 69 something is missing here.
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
  PLUMB_FRESH_INSIDE=yes exec unshare --mount --propagation private bash "$0"
fi

suite=${PLUMB_DEBIAN_SUITE:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")
work=$(mktemp -d)
root=$work/root
trap 'umount -l "$root"/{proc,dev,sys} 2>/dev/null || :; umount -l "$work"; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
# What is mounted below is out of the way with this one.
mount --bind "$work" "$work"

printf 'fresh: making a Debian %s with sudo and nothing else\n' "$suite"
mmdebstrap --mode=root --variant=minbase --include=sudo --skip=cleanup/apt/lists \
  --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$root" "$(sh scripts/mirror.sh)" \
  >"$work/log" 2>&1 || {
  tail -n 15 "$work/log" >&2
  stop "a Debian $suite could not be made."
}

# share FOLDER [WHERE]: the same folder, to read, in the root.
share() {
  mkdir -p "$root${2:-$1}"
  mount --bind "$1" "$root${2:-$1}"
  mount -o remount,bind,ro "$root${2:-$1}"
}
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
share "$toolchain"
git clone -q --bare . "$work/plumb.git"
share "$work/plumb.git" /srv/plumb.git

# The commands: what is indented in the first section, up to two blanks, with this clone in place of the address.
mapfile -t commands < <(sed -n '/^## Try it/,/^- /s/^    \([^ ].*\)/\1/p' README.md | sed 's/  .*//' | grep -v '^make test')
address=$(printf '%s\n' "${commands[@]}" | sed -n 's/^git clone //p')
[ -n "$address" ] || stop 'README.md has no "git clone" in its first section.'
{
  printf '[safe]\n\tdirectory = *\n[url "/srv/plumb.git"]\n\tinsteadOf = %s\n' "$address"
  git config --get-regexp '^url\..*\.insteadof$' | while read -r name value; do
    name=${name#url.}
    printf '[url "%s"]\n\tinsteadOf = %s\n' "${name%.insteadof}" "$value"
  done
} >"$root/etc/gitconfig"
git config --get-regexp '^url\./.*\.insteadof$' | sed 's/^url\.\(.*\)\.insteadof .*/\1/' | sort -u |
  while read -r folder; do [ ! -d "$folder" ] || share "${folder%/}"; done

# A user with sudo, who says yes.
chroot "$root" useradd -m -s /bin/bash maker
printf 'maker ALL=(ALL) NOPASSWD: ALL\n' >"$root/etc/sudoers.d/maker"
printf 'APT::Get::Assume-Yes "true";\nDPkg::Use-Pty "false";\n' >"$root/etc/apt/apt.conf.d/90yes"

printf 'fresh: as README.md begins:\n'
printf '    %s\n' "${commands[@]}"
printf '%s\n' 'set -e' "${commands[@]}" >"$root/home/maker/commands"
status=0
chroot "$root" su - maker -c "export PATH=\$PATH:$toolchain/bin DEBIAN_FRONTEND=noninteractive; bash commands" \
  >"$work/output" 2>&1 </dev/null || status=$?
if [ "$status" -ne 0 ] || ! grep -q '^Summary: ' "$work/output"; then
  tail -n 40 "$work/output" >&2
  printf 'fresh: exit code %d, or no summary of a run\n' "$status" >&2
  exit 1
fi
printf 'fresh: they end as README.md says, after %d s:\n' "$SECONDS"
tail -n 3 "$work/output"
