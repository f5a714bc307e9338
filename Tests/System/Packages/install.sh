#!/usr/bin/env bash
# Installs the packages in fresh Debian roots under emulation, with the root's own apt, and checks what is installed;
# then removes, reinstalls and purges them, and checks what is left.
#
#     Tests/System/Packages/install.sh [amd64|arm64|armhf]...      (default: all, with the packages of build/deb)
#
# Needs root rights and binfmt_misc. Mounts it and registers the emulator if necessary, and then also undoes that. See
# Tests/System/Packages/root.sh for environment variables.
#
# Exit codes: 0 success; 1 a check failed; 69 no root rights, tool, emulation, package or download.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/System/Packages/checks.sh
. Tests/System/Packages/checks.sh
# shellcheck source=Tests/System/Packages/root.sh
. Tests/System/Packages/root.sh

version=$(version_of_release)

install_plumb() {
  local group
  check 'apt install plumb' apt install /tmp/plumb.deb
  is 'dpkg says' installed "$(status plumb)"
  check 'dpkg --verify' inside dpkg --verify plumb
  check 'how to go on is said' grep -q 'cp /usr/share/plumb/boards/raspberry-pi-adxl345.ini /etc/plumb/board.ini' "$work/log"
  is 'plumbd --version' "plumbd $version" "$(inside plumbd --version)"
  for group in gpio i2c; do
    check "group $group" inside getent group "$group"
    is "members of $group" plumb "$(entry group "$group" | cut -d : -f 4)"
  done
  is 'home and shell of the user' /nonexistent:/usr/sbin/nologin "$(entry passwd plumb | cut -d : -f 6,7)"
  check 'the user is one of the system' test "$(entry passwd plumb | cut -d : -f 3)" -lt 1000
  is 'the service is enabled' /lib/systemd/system/plumbd.service "$(enabled plumbd.service)"
  check 'no board file, so the service would not start' test ! -e "$work/root/etc/plumb/board.ini"
}

check_boards() {
  local board
  ends 78 plumbd --check
  for board in "$work"/root/usr/share/plumb/boards/raspberry-pi-*.ini; do
    cp "$board" "$work/root/etc/plumb/board.ini"
    ends 69 plumbd --check
    check 'and says which bus is not there' grep -q '^the I2C bus: error: .*/dev/i2c-1' "$work/said"
    check 'and that the board file is well' grep -qx 'board file: OK' "$work/said"
  done
  # The user's rights suffice for board file and program.
  ends 69 su -s /bin/sh -c 'plumbd --check' plumb
}

install_publisher() {
  check 'apt install plumb-mqtt' apt install /tmp/plumb-mqtt.deb
  is 'dpkg says' installed "$(status plumb-mqtt)"
  check 'dpkg --verify' inside dpkg --verify plumb-mqtt
  check 'how to go on is said' grep -q 'cp /usr/share/doc/plumb-mqtt/examples/mqtt.ini /etc/plumb$' "$work/log"
  is 'plumb-mqtt --version' "plumb-mqtt $version" "$(inside plumb-mqtt --version)"
  is 'the service is enabled' /lib/systemd/system/plumb-mqtt.service "$(enabled plumb-mqtt.service)"
  check 'no settings, so the service would not start' test ! -e "$work/root/etc/plumb/mqtt.ini"
  inside getent passwd >"$work/users-now"
  check 'it adds no user' diff "$work/users-plumb" "$work/users-now"
}

install_desktop() {
  check 'apt install plumb-desktop' apt install /tmp/plumb-desktop.deb
  is 'dpkg says' installed "$(status plumb-desktop)"
  check 'dpkg --verify' inside dpkg --verify plumb-desktop
  check 'how to go on is said' grep -q 'cp /usr/share/doc/plumb-desktop/examples/desktop.ini /etc/plumb$' "$work/log"
  is 'plumb-desktop --version' "plumb-desktop $version" "$(inside plumb-desktop --version)"
  is 'plumb-rotate --version' "plumb-rotate $version" "$(inside plumb-rotate --version)"
  is 'the service is enabled' /lib/systemd/system/plumb-desktop.service "$(enabled plumb-desktop.service)"
  inside getent passwd >"$work/users-now"
  check 'it adds no user' diff "$work/users-plumb" "$work/users-now"
  ends 78 plumb-desktop --check
  cp "$work/root/usr/share/doc/plumb-desktop/examples/desktop.ini" "$work/root/etc/plumb"
  ends 69 plumb-desktop --check
  check 'and says that the bus is not there' grep -q '^functions: error: .*bus' "$work/said"
  check 'and that plumbd is not' grep -q '^owner of the sensor: error: .*/run/plumb/stream' "$work/said"
  check 'and that the settings are well' grep -qx 'settings: OK' "$work/said"
}

check_settings() {
  ends 78 plumb-mqtt --check
  # A port of this root on which nothing listens.
  sed 's/^host = .*/host = 127.0.0.1/; s/^# port = .*/port = 1/' "$work/root/usr/share/doc/plumb-mqtt/examples/mqtt.ini" \
    >"$work/root/etc/plumb/mqtt.ini"
  ends 69 plumb-mqtt --check
  check 'and says which broker is not there' grep -q '^broker 127\.0\.0\.1:1: error: ' "$work/said"
  check 'and that plumbd is not' grep -q '^owner of the sensor: error: .*/run/plumb/stream' "$work/said"
  check 'and that the settings are well' grep -qx 'settings: OK' "$work/said"
  (umask 077 && echo secret >"$work/root/etc/plumb/mqtt.password")
}

walk() {
  local name
  for name in plumb plumb-mqtt plumb-desktop; do
    [ -f "build/deb/${name}_${version}_$1.deb" ] || stop "build/deb/${name}_${version}_$1.deb is missing; run make deb."
  done
  unpack_root "$1" minimal apt
  for name in plumb plumb-mqtt plumb-desktop; do cp "build/deb/${name}_${version}_$1.deb" "$work/root/tmp/$name.deb"; done
  is "a fresh Debian $suite root of the architecture" "$1" "$(inside dpkg --print-architecture)"
  files >"$work/before"
  inside getent passwd >"$work/users"

  check 'plumb-mqtt alone is refused' fails inside dpkg --install /tmp/plumb-mqtt.deb
  check 'and leaves nothing' inside dpkg --purge plumb-mqtt
  install_plumb
  check_boards
  inside getent passwd >"$work/users-plumb"
  install_publisher
  check_settings
  install_desktop

  check 'apt install all again, as an upgrade' apt install --reinstall /tmp/plumb.deb /tmp/plumb-mqtt.deb /tmp/plumb-desktop.deb
  for name in board.ini mqtt.ini mqtt.password desktop.ini; do check "$name is kept" test -e "$work/root/etc/plumb/$name"; done

  check 'apt remove plumb, which takes the others with it' apt remove plumb
  for name in plumb plumb-mqtt plumb-desktop; do is "dpkg says of $name" config-files "$(status "$name")"; done
  for name in plumbd plumb-mqtt plumb-desktop plumb-rotate; do check "$name is gone" test ! -e "$work/root/usr/bin/$name"; done
  for name in board.ini mqtt.ini mqtt.password desktop.ini; do check "$name is kept" test -e "$work/root/etc/plumb/$name"; done

  check 'apt install after that' apt install /tmp/plumb.deb /tmp/plumb-mqtt.deb /tmp/plumb-desktop.deb
  for name in plumbd plumb-mqtt plumb-desktop; do
    check "$name.service is enabled again" test -L "$work/root/etc/systemd/system/multi-user.target.wants/$name.service"
  done
  check 'apt purge plumb-mqtt' apt purge plumb-mqtt
  for name in mqtt.ini mqtt.password; do check "$name is gone" test ! -e "$work/root/etc/plumb/$name"; done
  check 'apt purge plumb-desktop' apt purge plumb-desktop
  check 'desktop.ini is gone' test ! -e "$work/root/etc/plumb/desktop.ini"
  check 'the board file is kept' test -e "$work/root/etc/plumb/board.ini"
  check 'apt purge plumb' apt purge plumb
  for name in plumb plumb-mqtt plumb-desktop; do is "dpkg says of $name" '' "$(status "$name")"; done
  files >"$work/after"
  check 'purge leaves no file' diff "$work/before" "$work/after"
  inside getent passwd >"$work/users-after"
  check 'purge leaves no user' diff "$work/users" "$work/users-after"
  check 'purge leaves the groups' inside getent group gpio i2c
}

[ $# -gt 0 ] || set -- amd64 arm64 armhf
for architecture in "$@"; do
  say "in a fresh Debian $suite root for $architecture"
  walk "$architecture"
done
finish
