#!/usr/bin/env bash
# Makes the folder of Debian 13 in which compositors and X servers run, and prints its path: unpacked packages, with
# nothing configured, no services, and no graphics drivers (everything draws in memory).
#
#     Tests/System/Desktop/root.sh
#
#     PLUMB_CACHE           the cache; ${XDG_CACHE_HOME:-$HOME/.cache}/plumb by default
#     PLUMB_DEBIAN_MIRROR   the source; by default the mirror of this machine (scripts/mirror.sh)
#
# It is made once, of about 65 MB to download, and again when this script has changed; delete it to get newer packages.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../../.."

suite=trixie
wanted=(
  labwc sway wlr-randr grim                                          # compositors, and what turns and looks
  xvfb xserver-xephyr xserver-xorg-core xserver-xorg-video-dummy     # X servers: one that turns, one that is touched
  x11-xserver-utils xinput
  foot swaybg fonts-dejavu-core libc-bin                             # what pictures show
  dash                                                               # X servers start xkbcomp through a shell
)
# What they depend on, but do not need in order to draw in memory.
unneeded='^(libllvm.*|libz3-4|mesa-libgallium|libgl1-mesa-dri|cpp.*|libisl.*|libmpfr.*|libmpc.*|systemd.*|libsystemd-shared|udev|dbus.*|perl.*|debconf|adduser|passwd|coreutils|tar|dpkg|mount|util-linux|shared-mime-info|keyboard-configuration|x11-common|hicolor-icon-theme)$'
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(sh scripts/mirror.sh)
roots=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}/roots
tree=$roots/$suite-desktop-$(sha256sum Tests/System/Desktop/root.sh | cut -c 1-12)

mkdir -p "$roots"
# The tests of several screens start at the same time: the first one makes it, and the others wait.
exec 9>"$roots/desktop.lock"
flock 9
if [ ! -d "$tree" ]; then
  work=$(mktemp -d "$roots/making-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work"/{etc/apt.conf.d,etc/preferences.d,lists/partial,cache/archives/partial,state,packages,root/{dev,proc,root,tmp,var/log}}
  touch "$work/status"
  printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$mirror" "$suite" >"$work/etc/sources.list"
  # The machine's own packages and sources are none of its business.
  cat >"$work/conf" <<END
Dir "$work"; Dir::Etc "$work/etc"; Dir::State "$work/state"; Dir::State::status "$work/status";
Dir::State::lists "$work/lists"; Dir::Cache "$work/cache"; APT::Sandbox::User "root"; Acquire::Languages "none";
APT::Install-Recommends "false"; Acquire::Retries "3"; APT::Get::Assume-Yes "true";
END
  export APT_CONFIG=$work/conf
  {
    apt-get -q update
    apt-get -q install --simulate "${wanted[@]}" >"$work/plan"
    awk '$1 == "Inst" { print $2 }' "$work/plan" | grep -Ev "$unneeded" >"$work/names"
    (cd "$work/packages" && xargs apt-get -q download <"$work/names")
    for package in "$work"/packages/*.deb; do dpkg-deb --extract "$package" "$work/root"; done
    for folder in bin lib lib64 sbin; do ln -sfn "usr/$folder" "$work/root/$folder"; done
  } >"$work/log" 2>&1 || {
    tail -n 15 "$work/log" >&2
    echo "root: Debian $suite with compositors could not be unpacked from $mirror" >&2
    exit 69
  }
  mv -T "$work/root" "$tree"
fi
printf '%s\n' "$tree"
