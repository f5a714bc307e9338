#!/usr/bin/env bash
# Installs the arm64 package in a fresh Debian root under emulation, with the root's own apt, looks at what is there,
# removes it, installs it again and purges it, and looks at what is left.
#
#     Tests/Packages/install.sh [PACKAGE]      (the arm64 package of build/deb by default)
#
# Needs root rights and binfmt_misc, which it mounts and where it registers the emulator, and undoes both where it did
# them. What the environment may say is in Tests/Packages/root.sh.
#
# Exit codes: 0 all is well; 1 something is not; 69 no root rights, tool, emulation, package or download.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Packages/checks.sh
. Tests/Packages/checks.sh
# shellcheck source=Tests/Packages/root.sh
. Tests/Packages/root.sh

version=$(version_of_release)
package=${1:-build/deb/plumb_${version}_arm64.deb}
[ -f "$package" ] || stop "$package is missing; run make deb."
unpack_root minimal apt
cp "$package" "$work/root/tmp/plumb.deb"

# What the root holds, but for lists, logs, dpkg's own books and what each adding of users and groups leaves.
files() {
  (cd "$work/root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var/lib/dpkg \
    -o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt \) -prune -o -name '*-' -path './etc/*' -o -print) | sort
}
entry() { inside getent "$@" || :; }
# shellcheck disable=SC2016  # dpkg's own variable
status() { inside dpkg-query -W -f '${db:Status-Status}' plumb 2>/dev/null || :; }

say "in a fresh Debian $suite root, $(inside dpkg --print-architecture)"
files >"$work/before"
inside getent passwd >"$work/users"

check 'apt install' apt install /tmp/plumb.deb
is 'dpkg says' installed "$(status)"
check 'dpkg --verify' inside dpkg --verify plumb
check 'how to go on is said' grep -q 'cp /usr/share/plumb/boards/raspberry-pi-adxl345.ini /etc/plumb/board.ini' "$work/log"
is 'plumbd --version' "plumbd $version" "$(inside plumbd --version)"
for group in gpio i2c; do
  check "group $group" inside getent group "$group"
  is "members of $group" plumb "$(entry group "$group" | cut -d : -f 4)"
done
is 'home and shell of the user' /nonexistent:/usr/sbin/nologin "$(entry passwd plumb | cut -d : -f 6,7)"
check 'the user is one of the system' test "$(entry passwd plumb | cut -d : -f 3)" -lt 1000
is 'the service is enabled' /lib/systemd/system/plumbd.service \
  "$(readlink "$work/root/etc/systemd/system/multi-user.target.wants/plumbd.service" | sed 's|^/usr||')"
check 'no board file, so the service would not start' test ! -e "$work/root/etc/plumb/board.ini"

code=0
inside plumbd --check >"$work/said" 2>&1 || code=$?
is '--check without a board file ends with' 78 "$code"
for board in raspberry-pi-adxl345 raspberry-pi-mpu6050; do
  cp "$work/root/usr/share/plumb/boards/$board.ini" "$work/root/etc/plumb/board.ini"
  code=0
  inside plumbd --check >"$work/said" 2>&1 || code=$?
  is "--check with $board ends with" 69 "$code"
  check 'and says which bus is not there' grep -q '^the I2C bus: error: .*/dev/i2c-1' "$work/said"
  check 'and that the board file is well' grep -qx 'board file: OK' "$work/said"
done

# The user's rights are enough for board file and program.
code=0
inside su -s /bin/sh -c 'plumbd --check' plumb >/dev/null 2>&1 || code=$?
is '--check as the user ends with' 69 "$code"

check 'apt install again, as an upgrade' apt install --reinstall /tmp/plumb.deb
check 'the board file is kept' test -e "$work/root/etc/plumb/board.ini"

check 'apt remove' apt remove plumb
is 'dpkg says' config-files "$(status)"
check 'the program is gone' test ! -e "$work/root/usr/bin/plumbd"
check 'the board file is kept' test -e "$work/root/etc/plumb/board.ini"

check 'apt install after that' apt install /tmp/plumb.deb
check 'the service is enabled again' test -L "$work/root/etc/systemd/system/multi-user.target.wants/plumbd.service"
check 'apt purge' apt purge plumb
is 'dpkg says' '' "$(status)"
files >"$work/after"
check 'purge leaves no file' diff "$work/before" "$work/after"
inside getent passwd >"$work/users-after"
check 'purge leaves no user' diff "$work/users" "$work/users-after"
check 'purge leaves the groups' inside getent group gpio i2c

finish
