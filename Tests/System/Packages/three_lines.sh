#!/usr/bin/env bash
# Types the three lines of the repository's page in fresh Debian roots, with the root's own apt over loopback, checks
# what is installed, upgrades it, and purges it; and what apt must refuse there.
#
#     Tests/System/Packages/three_lines.sh [SUITE-ARCHITECTURE]...      (with the packages of build/deb)
#
# By default bookworm and trixie, each for arm64, armhf and amd64; with plumb-tool where build/deb has that, too. An
# architecture without packages is skipped, which is printed. The version before is the same package with another
# version; a stand-in for systemctl records what the packages ask of it (service.py looks at a real one).
#
# Needs root rights and binfmt_misc. See Tests/System/Packages/root.sh for environment variables.
#
# Exit codes: 0 success; 1 a check failed; 69 no root rights, tool, emulation, package or download.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/System/Packages/checks.sh
. Tests/System/Packages/checks.sh
# shellcheck source=Tests/System/Packages/root.sh
. Tests/System/Packages/root.sh
# shellcheck source=Tests/System/Packages/repository.sh
. Tests/System/Packages/repository.sh
# A mount that is left would keep the root from being removed.
trap 'stop_serving; umount "$work/root/proc" 2>/dev/null || :; clean' EXIT

version=$(version_of_release)
before=0.0.1
tried=0

# Before and after an upgrade: the packages as built, and the same as an older version.
make_packages() {
  local name file
  rm -rf "$work/new" "$work/old"
  mkdir "$work/new" "$work/old"
  for name in plumb plumb-mqtt plumb-desktop plumb-tool; do
    file=${name}_${version}_$1.deb
    [ -f "build/deb/$file" ] || continue
    cp "build/deb/$file" "$work/new"
    rm -rf "$work/package"
    dpkg-deb -R "build/deb/$file" "$work/package"
    sed -i -e "s/^Version: .*/Version: $before/" -e "s/(= $version)/(= $before)/" "$work/package/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz -z1 --build "$work/package" "$work/old/$file" >/dev/null
  done
}

# apt of the root, without Debian's own archive, so that the network is not used.
prepare() {
  local root=$work/root
  rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/*
  printf 'APT::Get::Assume-Yes "true";\nDPkg::Use-Pty "false";\n' >"$root/etc/apt/apt.conf.d/90yes"
  mkdir -p "$root/run/systemd/system"
  cat >"$root/usr/bin/systemctl" <<'END'
#!/bin/sh
printf '%s\n' "$*" >>/tmp/systemctl
case " $* " in *' is-active '*) echo active ;; *' is-enabled '*) echo enabled ;; esac
END
  chmod 755 "$root/usr/bin/systemctl"
}

forget() { rm -rf "$work/root/var/lib/apt/lists"/*; }
update() { apt -o APT::Update::Error-Mode=any update; }
fetch() {
  apt clean
  apt install --reinstall "$1"
}
# asked WHAT PATTERN: what the packages have asked of systemctl since the last time.
asked() {
  check "$1" grep -qE -- "$2" "$work/root/tmp/systemctl"
  : >"$work/root/tmp/systemctl"
}

check_service() {
  ends 78 plumbd --check
  cp "$work/root/usr/share/plumb/boards/raspberry-pi-adxl345.ini" "$work/root/etc/plumb/board.ini"
  printf '# ours\n' >>"$work/root/etc/plumb/board.ini"
  local bus=/dev/i2c-1
  if [ "$1" = amd64 ]; then
    # As docs/deployment.md says.
    bus=/dev/i2c-8
    inside sed -i 's|^bus = .*|bus = /dev/i2c-8|; s/^chip = .*/chip = emulated/' /etc/plumb/board.ini
  fi
  ends 69 plumbd --check
  check 'the board file is OK' grep -qx 'board file: OK' "$work/said"
  check 'the bus is not there' grep -q "^the I2C bus: error: .*$bus" "$work/said"
}

# The tool finds all its libraries, whatever the release, and the board files of the service.
check_tool() {
  mount -t proc proc "$work/root/proc" # Swift reads a program's arguments there
  is 'plumb --version' "$version" "$(inside plumb --version)"
  check 'plumb run' inside plumb run --motion tumble --duration 1 --speed fast
  ends 0 plumb boards
  check 'a board file of the service is found' grep -q raspberry-pi-adxl345 "$work/said"
  umount "$work/root/proc"
}

walk() {
  local architecture=$1 depends=adduser file=plumb_${version}_$1.deb tool=plumb-tool_${version}_$1.deb name
  local installed=(plumb plumb-mqtt plumb-desktop)
  make_packages "$architecture"
  if [ ! -f "$work/new/$file" ]; then
    say "skipped: build/deb has no package for $architecture"
    return
  fi
  if [ -f "$work/new/$tool" ]; then
    installed+=(plumb-tool)
    depends=$depends,$(dependencies "$work/new/$tool" | sed 's/,plumb$//')
  fi
  tried=$((tried + 1))
  unpack_root "$architecture" "$(root_name apt "$depends")" "apt,wget,$depends"
  prepare
  files >"$work/files-before"
  inside getent passwd >"$work/users-before"

  publish "$work/old" right
  lines >"$work/root/tmp/lines"
  is 'the page has three lines' 3 "$(wc -l <"$work/root/tmp/lines")"
  check 'the three lines' inside sh -e /tmp/lines
  is 'dpkg says' installed "$(status plumb)"
  check_service "$architecture"
  asked 'the service is started' '^(--\S+ )*start plumbd.service'
  check 'the others are installed, too' apt install "${installed[@]}"
  cp "$work/root/etc/plumb/board.ini" "$work/settings"

  publish "$work/new" right
  check 'apt update' update
  check 'apt upgrade' apt upgrade
  for name in "${installed[@]}"; do
    # shellcheck disable=SC2016  # dpkg's own variable
    is "the version of $name" "$version" "$(inside dpkg-query -W -f '${Version}' "$name")"
    check "dpkg --verify $name" inside dpkg --verify "$name"
  done
  is 'plumbd --version' "plumbd $version" "$(inside plumbd --version)"
  check 'the settings are kept' cmp "$work/settings" "$work/root/etc/plumb/board.ini"
  asked 'the service is restarted' '^(--\S+ )*restart plumbd.service'
  [ ! -f "$work/new/$tool" ] || check_tool

  check_refusals "$work/new" "$file" plumb

  check 'apt purge' apt purge "${installed[@]}"
  rm "$work/root/etc/apt/keyrings/plumb.gpg" "$work/root/etc/apt/sources.list.d/plumb.sources"
  files >"$work/files-after"
  check 'purge leaves no file' diff "$work/files-before" "$work/files-after"
  inside getent passwd >"$work/users-after"
  check 'purge leaves no user' diff "$work/users-before" "$work/users-after"
}

[ $# -gt 0 ] || set -- {bookworm,trixie}-{arm64,armhf,amd64}
for tool in apt-ftparchive gpg python3; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-apt."
done
make_key right
make_key wrong
serve
for place in "$@"; do
  suite=${place%%-*}
  say "in a fresh Debian $suite root for ${place#*-}"
  walk "${place#*-}"
done
[ "$tried" -gt 0 ] || stop 'build/deb has no package for any of these; run make deb.'
finish
