#!/usr/bin/env bash
# Checks the Debian package of the tool as a file; then installs it in a fresh Debian root, with the package of the
# service, the root's own apt and without Swift, tries program, manual, board files and completions there, removes it,
# and checks what is left.
#
#     Tests/System/Packages/tool.sh      (after `make deb deb-tool`; as root)
#
# Uses a root of the Debian release on which the package was built; three_lines.sh has the others. See
# Tests/System/Packages/root.sh for other environment variables.
#
# Exit codes: 0 success; 1 a check failed; 69 no root rights, tool, package or download, or this is not Debian.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/System/Packages/checks.sh
. Tests/System/Packages/checks.sh

[ "$(sed -n 's/^ID=//p' /etc/os-release)" = debian ] || stop 'the package is tried in a root of Debian, and this is none.'
# A mount namespace, so that mounts vanish however the script ends.
[ -n "${PLUMB_INSIDE:-}" ] || PLUMB_INSIDE=yes exec unshare --mount --propagation private bash "$0"
export PLUMB_DEBIAN_SUITE
PLUMB_DEBIAN_SUITE=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck source=Tests/System/Packages/root.sh
. Tests/System/Packages/root.sh
# Before the root is removed.
trap 'umount -l "$work/root/proc" 2>/dev/null || :; clean' EXIT

version=$(version_of_release)
architecture=$(dpkg --print-architecture)
package=build/deb/plumb-tool_${version}_$architecture.deb
services=(build/deb/plumb{,-mqtt,-desktop}_"${version}_$architecture".deb)
for file in "$package" "${services[@]}"; do [ -f "$file" ] || stop "$file is missing; run make deb deb-tool."; done

judge_file() {
  local mask
  is 'Package' plumb-tool "$(dpkg-deb -f "$package" Package)"
  is 'Version' "$version" "$(dpkg-deb -f "$package" Version)"
  is 'Architecture' "$architecture" "$(dpkg-deb -f "$package" Architecture)"
  check 'lintian has no error and no warning' lintian --allow-root --fail-on error,warning "$package"
  dpkg-deb -R "$package" "$work/package"
  check 'md5sums are right' sh -c "cd '$work/package' && md5sum --quiet --strict -c DEBIAN/md5sums"
  is 'md5sums names each file' "$(cd "$work/package" && find usr -type f | wc -l)" "$(wc -l <"$work/package/DEBIAN/md5sums")"
  is 'owners and rights' '' \
    "$(dpkg-deb -c "$package" | grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root/root ' | head -n 1)"
  is 'programs' ./usr/bin/plumb "$(dpkg-deb -c "$package" | awk '/^-rwx/ { print $6 }')"
  is 'files that a package of the services has, too' '' \
    "$(for file in "$package" "${services[@]}"; do dpkg-deb -c "$file" | awk '/^[-l]/ { print $6 }'; done | sort | uniq -d | xargs)"
  check 'it needs no library of Swift' fails sh -c "readelf -d '$work/package/usr/bin/plumb' | grep -E 'NEEDED.*(swift|Foundation|dispatch)'"
  check 'no folder of the build is in it' fails grep -qaF "$PWD" "$work/package/usr/bin/plumb"
  # Packing twice, with different modes, must give the same bytes.
  for mask in 022 077; do
    (umask "$mask" && SOURCE_DATE_EPOCH=1700000000 DEB_OUTPUT=$work/$mask bash scripts/deb.sh tool >/dev/null)
  done
  check 'packed again, the same bytes' cmp "$work/022/${package##*/}" "$work/077/${package##*/}"
}

# The contents of the root, except lists, logs, dpkg's own records, and what apt installs in addition.
files() { (cd "$work/root" && find usr etc | grep -i plumb | sort) || :; }

walk() {
  local page depends
  # What it and the service depend on, and nothing else, is installed in the root beforehand by name.
  depends=adduser,$(dependencies "$package" | sed 's/,plumb$//')
  unpack_root "$architecture" "$(root_name tool "$depends")" "apt,man-db,$depends"
  # Swift reads a program's arguments there.
  mount -t proc proc "$work/root/proc"
  cp "$package" "$work/root/tmp/plumb-tool.deb"
  cp "${services[0]}" "$work/root/tmp/plumb.deb"
  is 'nothing of Plumb is there' '' "$(files)"
  check 'apt install plumb-tool' apt install /tmp/plumb.deb /tmp/plumb-tool.deb
  check 'dpkg --verify' inside dpkg --verify plumb-tool
  is 'plumb --version' "$version" "$(inside plumb --version)"
  check 'no Swift is in the root' fails sh -c "find '$work/root/usr/lib' '$work/root/opt' -name 'libswift*' | grep -q ."
  # Records a second on the emulated board, then replays it without Swift: the recording must contain a pose.
  check 'plumb record' inside plumb record --motion tumble --duration 2 --speed fast -o /tmp/tumble.csv
  inside plumb replay /tmp/tumble.csv >"$work/replayed" || :
  check 'plumb replay tells poses' grep -q pose "$work/replayed"
  build/install/plumb replay "$work/root/tmp/tumble.csv" >"$work/expected"
  check 'the replay is that of the tool outside' cmp "$work/expected" "$work/replayed"
  check 'plumb run' inside plumb run --motion tumble --duration 1 --speed fast
  inside plumb boards >"$work/boards"
  for board in boards/*.ini; do
    check "$board is found" grep -q "$(basename "$board" .ini)" "$work/boards"
  done
  for page in 'plumb' 'plumb-run' '5 plumb-board.ini'; do
    # shellcheck disable=SC2086  # section and name
    check "man $page" sh -c "chroot '$work/root' env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 man -P cat $page | grep -q PLUMB"
  done
  # shellcheck disable=SC2016  # for the shell inside
  check 'bash completes its commands' inside bash -c \
    '. /usr/share/bash-completion/completions/plumb && COMP_WORDS=(plumb repl) COMP_CWORD=1 && _plumb 2>/dev/null; [[ " ${COMPREPLY[*]} " = *" replay "* ]]'
  check 'apt remove plumb-tool' apt remove plumb-tool
  check 'the program is gone' test ! -e "$work/root/usr/bin/plumb"
  # It has no settings, so nothing is left for a purge.
  check 'dpkg knows it no more' fails inside dpkg-query -W plumb-tool
  check 'apt purge plumb' apt purge plumb
  is 'nothing of Plumb is left' '' "$(files)"
}

say "$package"
judge_file
say "in a fresh Debian $suite root for $architecture"
walk
finish
