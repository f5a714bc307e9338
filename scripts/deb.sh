#!/usr/bin/env bash
# Packs plumbd for Debian and Raspberry Pi OS: build/deb/plumb_<version>_<architecture>.deb.
#
#     scripts/deb.sh [arm64|armhf|armel]...      (after `make pi`; without a word: all three)
#
# armhf and armel have the ARMv6 program: it runs on every Raspberry Pi, and a Zero or 1 calls itself armhf too, where
# ARMv7 does not run. The files that are packed beside it are in packaging/. The version is that of the tool,
# Sources/Text/Release.swift. The same files give the same bytes.
#
#     PI_PROGRAMS          the folder with {arm64,armv6}/plumbd; build/pi by default
#     DEB_OUTPUT           the folder for the packages; build/deb by default
#     DEB_MAINTAINER       who answers for the packages, as NAME <ADDRESS>
#     SOURCE_DATE_EPOCH    the date of all that is packed; that of the last commit by default
#
# Exit codes: 0 packed; 64 wrong usage; 69 a tool or a program is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=${PI_PROGRAMS:-build/pi}
output=${DEB_OUTPUT:-build/deb}
maintainer=${DEB_MAINTAINER:-Plumb maintainers <maintainers@plumb.invalid>}

stop() {
  printf 'deb: %s\n' "$@" >&2
  exit 69
}

command -v dpkg-deb >/dev/null || stop 'dpkg-deb is missing: install dpkg.'
version=$(sed -n 's/.*version: StaticString { "\(.*\)" }.*/\1/p' Sources/Text/Release.swift)
[ -n "$version" ] || stop 'Sources/Text/Release.swift tells no version.'
version=${version/-/\~} # 1.0.0-beta comes before 1.0.0
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Sources/Text/Release.swift)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# fill FILE ARCHITECTURE SIZE: a file of packaging/ with its blanks filled in.
fill() {
  sed -e "s|@VERSION@|$version|g" -e "s|@DATE@|$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)|g" \
    -e "s|@MAINTAINER@|$maintainer|g" -e "s|@ARCHITECTURE@|$2|g" -e "s|@SIZE@|$3|g" "packaging/$1"
}

changelog() {
  printf 'plumb (%s) unstable; urgency=medium\n\n  * What has changed is told in CHANGELOG.md.gz.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -d "@$SOURCE_DATE_EPOCH" -R)"
}

# pack ARCHITECTURE PROGRAM
pack() {
  local architecture=$1 program=$2 root=$work/$1 page package=$output/plumb_${version}_$1.deb
  local share=$root/usr/share documents=$root/usr/share/doc/plumb
  install -D -m 755 "$program" "$root/usr/bin/plumbd"
  install -D -m 644 -t "$share/plumb/boards" boards/raspberry-pi-*.ini
  install -D -m 644 -t "$root/usr/lib/systemd/system" packaging/plumbd.{service,socket}
  install -D -m 644 -t "$root/usr/lib/udev/rules.d" packaging/40-plumb.rules
  install -D -m 644 packaging/lintian-overrides "$share/lintian/overrides/plumb"
  install -D -m 644 -t "$documents" packaging/copyright docs/wiring/raspberry-pi-*.svg
  install -d "$root/etc/plumb" "$root/DEBIAN"
  changelog | gzip -9n >"$documents/changelog.gz"
  gzip -9nc CHANGELOG.md >"$documents/CHANGELOG.md.gz"
  for page in plumbd.1 plumb-board.ini.5; do
    install -d "$share/man/man${page##*.}"
    fill "$page" '' '' | gzip -9n >"$share/man/man${page##*.}/$page.gz"
  done
  (cd "$root" && find etc usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  # As Debian counts it: files in KiB, each rounded up, and 1 for all else.
  fill control "$architecture" "$(find "$root/etc" "$root/usr" \( -type f -printf '%s\n' \) -o -printf '1\n' |
    awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')" >"$root/DEBIAN/control"
  install -m 755 packaging/{postinst,prerm,postrm} "$root/DEBIAN"
  chmod -R u=rwX,go=rX "$root"
  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mkdir -p "$output"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$work/package.deb" >/dev/null
  mv -f "$work/package.deb" "$package"
  printf 'deb: %s, %d KiB\n' "$package" "$(($(stat -c %s "$package") / 1024))"
}

[ $# -gt 0 ] || set -- arm64 armhf armel
for architecture in "$@"; do
  case $architecture in
    arm64) program=$programs/arm64/plumbd ;;
    armhf | armel) program=$programs/armv6/plumbd ;;
    *)
      printf 'deb: no architecture "%s"; there are: arm64 armhf armel\n' "$architecture" >&2
      exit 64
      ;;
  esac
  [ -x "$program" ] || stop "$program is missing; run make pi."
  pack "$architecture" "$program"
done
