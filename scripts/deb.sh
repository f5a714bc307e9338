#!/usr/bin/env bash
# Packs plumbd, plumb-mqtt, plumb-desktop and the tool for Debian and Raspberry Pi OS: build/deb/PACKAGE_<version>_<architecture>.deb.
#
#     scripts/deb.sh [amd64|arm64|armhf|armel]...   (after `make pi amd64`; default: all four)
#     scripts/deb.sh tool                        (after `make stage`: plumb-tool_<version>_<architecture>.deb, for this machine)
#
# armhf and armel contain the ARMv6 programs, which run on every Raspberry Pi: a Zero or 1 also calls itself armhf, but
# cannot run ARMv7. The other packed files are in packaging/: those that the packages share at the top, those of a
# single package in a folder with its name. The version is that of the tool, Sources/Linux/Text/Release.swift. The same
# files give the same bytes.
#
#     PI_PROGRAMS          the folder with {amd64,arm64,armv6}/{plumbd,plumb-mqtt,plumb-desktop}; build/pi by default
#     TOOL_STAGE           the folder with the tool and its manual; build/install by default
#     DEB_OUTPUT           the folder for the packages; build/deb by default
#     DEB_MAINTAINER       the maintainer of the packages, as NAME <ADDRESS>
#     SOURCE_DATE_EPOCH    the date of all packed files; that of the last commit by default
#
# Exit codes: 0 packed; 64 wrong usage; 69 a tool or a program is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=${PI_PROGRAMS:-build/pi}
stage=${TOOL_STAGE:-build/install}
output=${DEB_OUTPUT:-build/deb}
maintainer=${DEB_MAINTAINER:-Plumb maintainers <maintainers@plumb.invalid>}

stop() {
  printf 'deb: %s\n' "$@" >&2
  exit 69
}

command -v dpkg-deb >/dev/null || stop 'dpkg-deb is missing: install dpkg.'
version=$(sed -n 's/.*version: StaticString { "\(.*\)" }.*/\1/p' Sources/Linux/Text/Release.swift)
[ -n "$version" ] || stop 'Sources/Linux/Text/Release.swift tells no version.'
site=$(sed -n 's/^site //p' packaging/address)
version=${version/-/\~} # 1.0.0-beta comes before 1.0.0
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Sources/Linux/Text/Release.swift)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# fill FILE: prints a file of packaging/ with its placeholders filled in from the variables of `pack`.
fill() {
  sed -e "s|@VERSION@|$version|g" -e "s|@SIZE@|$size|g" \
    -e "s|@MAINTAINER@|$maintainer|g" -e "s|@ARCHITECTURE@|$architecture|g" \
    -e "s|@PACKAGE@|$package|g" -e "s|@PROGRAM@|$program|g" -e "s|@SERVICE@|$program.service|g" \
    -e "s|@UNITS@|$units|g" -e "s|@SITE@|$site|g" -e "s#@DEPENDS@#$depends#g" "packaging/$1"
}

# Prints a maintainer script: the shared one, with the package's own part inserted at its marker.
script() {
  local own=packaging/$package/$1
  [ -e "$own" ] || own=/dev/null
  # The first line of that part is for shellcheck.
  fill "$1" | sed -e "/^#PACKAGE#$/{r $own" -e 'd;}' | sed '/^# shellcheck /d'
}

changelog() {
  local whose=plumb
  [ "$package" != plumb-tool ] || whose=plumb-tool
  printf '%s (%s) unstable; urgency=medium\n\n  * The changes are listed in /usr/share/doc/%s/CHANGELOG.md.gz.\n\n' \
    "$package" "$version" "$whose"
  printf ' -- %s  %s\n' "$maintainer" "$(date -d "@$SOURCE_DATE_EPOCH" -R)"
}

# The parts that only one of the packages has.
add_plumb() {
  install -D -m 644 -t "$share/plumb/boards" boards/raspberry-pi-*.ini boards/sense-hat.ini boards/iio.ini
  install -D -m 644 -t "$root/usr/lib/udev/rules.d" packaging/plumb/40-plumb.rules packaging/70-plumb-serial.rules
  install -D -m 644 -t "$documents" docs/wiring/raspberry-pi-*.svg
  gzip -9nc CHANGELOG.md >"$documents/CHANGELOG.md.gz"
  install -d "$root/etc/plumb"
}

add_plumb-mqtt() {
  install -D -m 644 -t "$documents/examples" packaging/plumb-mqtt/mqtt.ini
}

# One program under two names, a service of a user's session, and what the system bus and udev need to know.
add_plumb-desktop() {
  local own=packaging/plumb-desktop
  ln -s plumb-desktop "$root/usr/bin/plumb-rotate"
  install -D -m 644 -t "$documents/examples" "$own/desktop.ini"
  install -D -m 644 -t "$root/usr/lib/systemd/user" "$own/user/plumb-rotate.service"
  install -D -m 644 -t "$share/dbus-1/system.d" "$own/plumb-desktop.conf"
  install -D -m 644 -t "$share/polkit-1/actions" "$own/plumb-desktop.policy"
  install -D -m 644 -t "$root/usr/lib/udev/rules.d" "$own"/*.rules
  ln -s plumb-desktop.1.gz "$share/man/man1/plumb-rotate.1.gz"
}

# As `make install` puts it, then as Debian requires it.
add_plumb-tool() {
  local page name
  PREFIX=/usr DESTDIR=$root bash scripts/install.sh install "$stage" >/dev/null
  rm "$share/plumb/installed" "$share/doc/plumb/LICENSE"
  gzip -9n "$share/doc/plumb/CHANGELOG.md"
  mv "$share/doc/plumb"/* "$documents"
  rmdir "$share/doc/plumb"
  install -D -m 644 -t "$share/zsh/vendor-completions" "$share/zsh/site-functions/_plumb"
  rm -r "$share/zsh/site-functions"
  # It is sourced, not executed.
  sed -i '1{/^#!/d}' "$share/bash-completion/completions/plumb"
  depends=$(libraries "$root/usr/bin/plumb")
  # Files with the same names as in the daemons' packages come from those.
  depends="$depends, plumb (= $version)"
  for page in packaging/*/*.5; do rm "$share/man/man5/${page##*/}"; done
  rmdir "$share/man/man5"
  rm "$share"/plumb/boards/{raspberry-pi-*,sense-hat,iio}.ini
  # `plumb desktop` and the service plumb-desktop have pages of one name: `man 1plumb plumb-desktop` is that of the tool.
  for page in packaging/*/*.1; do
    name=$share/man/man1/${page##*/}
    [ -e "$name" ] || continue
    sed -E '/^\.(Dt|TH) /s/ 1( |$)/ 1plumb\1/' "$name" >"${name}plumb"
    rm "$name"
  done
  find "$share/man" -type f -exec gzip -9n {} +
}

# libraries PROGRAM: the packages that contain its shared libraries, as a package field.
libraries() {
  mkdir -p "$work/libraries/debian"
  printf 'Source: plumb\n\nPackage: plumb-tool\nArchitecture: any\n' >"$work/libraries/debian/control"
  (cd "$work/libraries" && dpkg-shlibdeps -O "-e$1") | sed -n 's/^shlibs:Depends=//p'
}

# Paragraphs on what is linked into the program: without libinih and libc for the tool, which uses them as shared
# libraries.
copyright() {
  if [ "$package" != plumb-tool ]; then
    cat packaging/copyright
  else
    awk -v RS= -v ORS='\n\n' '!/^Files: lib(inih|c)\n/ && !/^License: BSD-3-Clause\n/' packaging/copyright
  fi
  printf '\n'
  cat "packaging/$package/copyright"
}

# pack PACKAGE PROGRAM ARCHITECTURE FOLDER: packs the program in that folder.
pack() {
  local package=$1 program=$2 architecture=$3 root=$work/$1-$3 size='' units='' depends='' page name
  local share=$root/usr/share documents=$root/usr/share/doc/$package result=$output/${package}_${version}_$architecture.deb
  # Sockets first: a service that is stopped before its socket is started again by it.
  for page in packaging/"$package"/*.socket packaging/"$package"/*.service; do
    [ ! -e "$page" ] || units="${units:+$units }${page##*/}"
  done
  install -D -m 755 "$4/$program" "$root/usr/bin/$program"
  install -d "$documents" "$root/DEBIAN"
  for name in $units; do install -D -m 644 -t "$root/usr/lib/systemd/system" "packaging/$package/$name"; done
  if [ -n "$units" ]; then
    install -d "$share/lintian/overrides"
    fill lintian-overrides >"$share/lintian/overrides/$package"
  fi
  copyright | cat -s >"$documents/copyright"
  changelog | gzip -9n >"$documents/changelog.gz"
  for page in packaging/"$package"/*.[15]; do
    [ -e "$page" ] || continue
    name=${page##*/}
    install -d "$share/man/man${page##*.}"
    bash scripts/manual.sh "$page" "$version" "$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)" | gzip -9n >"$share/man/man${page##*.}/$name.gz"
  done
  "add_$package"
  (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  # Debian's way of counting: files in KiB, each rounded up, and 1 for everything else.
  size=$(cd "$root" && find . -mindepth 1 -path ./DEBIAN -prune -o -type f -printf '%s\n' -o -printf '1\n' |
    awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
  fill "$package/control" >"$root/DEBIAN/control"
  if [ -n "$units" ]; then
    for name in postinst prerm postrm; do script "$name" >"$root/DEBIAN/$name"; done
    chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
  fi
  chmod -R u=rwX,go=rX "$root"
  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mkdir -p "$output"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$work/package.deb" >/dev/null
  mv -f "$work/package.deb" "$result"
  printf 'deb: %s, %d KiB\n' "$result" "$(($(stat -c %s "$result") / 1024))"
}

[ $# -gt 0 ] || set -- amd64 arm64 armhf armel
for architecture in "$@"; do
  case $architecture in
    tool)
      command -v dpkg-shlibdeps >/dev/null || stop 'dpkg-shlibdeps is missing: install dpkg-dev.'
      if [ ! -x "$stage/plumb" ] || [ ! -d "$stage/man" ]; then stop "$stage holds no plumb; run make stage."; fi
      pack plumb-tool plumb "$(dpkg --print-architecture)" "$stage"
      continue
      ;;
    amd64 | arm64) folder=$programs/$architecture ;;
    armhf | armel) folder=$programs/armv6 ;;
    *)
      printf 'deb: no architecture "%s"; there are: amd64 arm64 armhf armel, and tool\n' "$architecture" >&2
      exit 64
      ;;
  esac
  for program in plumbd plumb-mqtt plumb-desktop; do
    [ -x "$folder/$program" ] || stop "$folder/$program is missing; run make pi amd64."
  done
  pack plumb plumbd "$architecture" "$folder"
  pack plumb-mqtt plumb-mqtt "$architecture" "$folder"
  pack plumb-desktop plumb-desktop "$architecture" "$folder"
done
