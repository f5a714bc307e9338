#!/usr/bin/env bash
# Fetches what the emulated Raspberry Pis boot: Debian's own kernels with device trees and modules, a static busybox,
# and programs with the libraries that they need: OpenSSH's server; for arm64 also those that judge input devices.
#
#     Tests/System/RaspberryPi/fetch.sh [arm64|armel]...      (default: both)
#     Tests/System/RaspberryPi/fetch.sh pin                   pins Debian's current packages for both
#
# Everything goes into a cache outside the repository, with a folder for each architecture, and nothing is installed: a
# private apt uses package lists signed by Debian, and each package must match its checksum in them. For bookworm,
# packages/bookworm-ARCHITECTURE.sha256 in this folder pins each package: its file name, which contains the version, and
# its SHA-256. Other releases have no such list, and the newest packages are used. The contents of the cache are checked
# again but not fetched again, unless other packages are pinned.
#
#     PLUMB_CACHE           the cache; ${XDG_CACHE_HOME:-$HOME/.cache}/plumb by default
#     PLUMB_PI_SUITE        the release of Debian; bookworm by default
#     PLUMB_DEBIAN_MIRROR   the source; by default the mirror of this machine (scripts/mirror.sh)
#
# Exit codes: 0 success; 64 wrong usage; 69 something could not be fetched or does not match what Debian signed.
set -euo pipefail
export LC_ALL=C

suite=${PLUMB_PI_SUITE:-bookworm}
mirror=$(sh "$(dirname "$0")/../../../scripts/mirror.sh")
cache=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}/raspberry-pi/$suite
pins=$(cd "$(dirname "$0")" && pwd)/packages
is_pinning=${PLUMB_PINNING:-}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Modules for the bus and for a network over USB; a kernel with one of them built in has no file for it.
modules=(i2c-dev i2c-bcm2835 usb-common usbcore roles udc-core phy-generic dwc2 mii usbnet cdc_ether)
# For arm64: drivers of sensors, each after the modules that it needs. They are loaded only by the steps about them.
# Those for timers, and inv_sensors_timestamp, are in newer kernels only.
drivers=(industrialio kfifo_buf industrialio-triggered-buffer
  configfs industrialio-configfs industrialio-sw-trigger iio-trig-hrtimer
  i2c-mux inv_sensors_timestamp inv-mpu6050 inv-mpu6050-i2c adxl345_core adxl345_i2c
  st_sensors st_sensors_i2c st_accel st_accel_i2c st_lsm6dsx st_lsm6dsx_i2c
  hid uhid hid-sensor-hub hid-sensor-iio-common hid-sensor-trigger hid-sensor-accel-3d)
serving=(sshd)
# For arm64: what judges input devices, and the modules that make them.
inputs=(evdev joydev uinput)
judges=(udev evtest joystick libinput-tools libsdl2-2.0-0 dbus-daemon iio-sensor-proxy)
judging=(udevadm evtest jstest libinput-debug-events libSDL2-2.0.so.0 dbus-daemon iio-sensor-proxy monitor-sensor
  {50-udev-default,60-evdev,60-input-id,60-joystick,60-sensor,70-joystick,70-mouse,80-iio-sensor-proxy}.rules
  10-generic-mouse.quirks)

say() { printf 'fetch: %s\n' "$*"; }
stop() {
  printf 'fetch: %s\n' "$@" >&2
  exit 69
}

# is_pinned ARCHITECTURE: whether its packages are pinned and need not be pinned again.
is_pinned() { [ -z "$is_pinning" ] && [ -f "$pins/$suite-$1.sha256" ]; }

# is_unchanged FOLDER: whether the files that its SHA256SUMS lists are there and unchanged.
is_unchanged() { [ -s "$1/SHA256SUMS" ] && (cd "$1" && sha256sum --quiet --strict -c SHA256SUMS) >/dev/null 2>&1; }

# is_unpacked FOLDER: whether everything that this script takes out of the packages is there and unchanged.
is_unpacked() {
  [ -s "$1/boot/ssh/sshd" ] && is_unchanged "$1/boot" &&
    { [ "${1##*/}" != arm64 ] || { [ "$(cat "$1/boot/drivers/order")" = "${drivers[*]}" ] &&
      [ "$(cat "$1/boot/judges/list")" = "${inputs[*]} ${judging[*]}" ]; }; } 2>/dev/null
}

# private FOLDER ARCHITECTURE COMMAND...: runs an apt that knows only that architecture and this suite.
private() {
  local apt=$1/apt architecture=$2
  shift 2
  "$@" -q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State=$apt/state" \
    -o "Dir::State::status=$apt/state/status" -o "Dir::Cache=$apt/cache" -o "Dir::Etc=$apt/etc" \
    -o Dir::Etc::sourceparts=none -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User= \
    -o APT::Install-Recommends=false -o Dir::Log="$apt"
}

# with_libraries FOLDER ARCHITECTURE PACKAGE: the package, and the libraries that it and they depend on. Its other
# dependencies install or start it, which does not happen here; PAM modules and windows are not used.
with_libraries() {
  private "$1" "$2" apt-cache depends --important --recurse "$3" | awk -v first="$3" '
    /^[^ ]/ { package = $1 }
    $1 ~ /^(Pre)?Depends:$/ && $2 ~ /^(lib|zlib)/ && $2 !~ /^libpam-|^libgtk-|-common$|-data$/ { needs[package] = needs[package] " " $2 }
    function take(package,  count, index_, found) {
      if (package in taken) return
      taken[package] = 1
      print package
      count = split(needs[package], found, " ")
      for (index_ = 1; index_ <= count; index_++) take(found[index_])
    }
    END { take(first) }'
}

# download FOLDER ARCHITECTURE PACKAGE[=VERSION]...: downloads the packages into FOLDER.
download() {
  local folder=$1 architecture=$2
  shift 2
  (cd "$folder" && private "$folder" "$architecture" apt-get download "$@" >>"$folder/apt/log" 2>&1) && return
  tail -n 5 "$folder/apt/log" >&2
  ! is_pinned "$architecture" ||
    stop "If Debian has replaced a version that is pinned: bash Tests/System/RaspberryPi/fetch.sh pin, and look at what changes;" \
      'or take a mirror that keeps old versions: PLUMB_DEBIAN_MIRROR=https://snapshot.debian.org/archive/debian/DATE'
  stop "packages for $architecture could not be downloaded from $mirror: $*"
}

# download_pinned FOLDER ARCHITECTURE: downloads the pinned packages into FOLDER; their checksums go to
# FOLDER/SHA256SUMS.
download_pinned() {
  local wanted
  cp "$pins/$suite-$2.sha256" "$1/SHA256SUMS"
  # A file is NAME_VERSION_ARCHITECTURE.deb, with %3a for the colon of an epoch.
  mapfile -t wanted < <(sed -E 's/^[0-9a-f]+  ([^_]+)_([^_]+)_.*/\1=\2/; s/%3a/:/' "$1/SHA256SUMS")
  download "$1" "$2" "${wanted[@]}"
}

# download_newest FOLDER ARCHITECTURE PACKAGE...: downloads the packages into FOLDER, and writes their checksums from
# the signed lists to FOLDER/SHA256SUMS.
download_newest() {
  local folder=$1 architecture=$2 package sum
  download "$@"
  shift 2
  private "$folder" "$architecture" apt-cache show --no-all-versions "$@" 2>/dev/null |
    awk '$1 == "Package:" { package = $2 } $1 == "SHA256:" { print package, $2 }' >"$folder/apt/sums"
  for package in "$@"; do
    sum=$(awk -v package="$package" '$1 == package { print $2; exit }' "$folder/apt/sums")
    [ -n "$sum" ] || stop "Debian $suite has no $package for $architecture."
    set -- "$folder/${package}"_*.deb
    if [ $# -ne 1 ] || [ ! -f "$1" ]; then stop "$package for $architecture: expected one file, found: $*"; fi
    printf '%s  %s\n' "$sum" "${1##*/}" >>"$folder/SHA256SUMS"
  done
}

# copy_programs TREE FOLDER FILE...: copies these files, the libraries that they load, and their loader.
copy_programs() {
  local tree=$1 folder=$2 rest name found file
  shift 2
  mkdir -p "$folder"
  rest=$*
  while [ -n "$rest" ]; do
    name=${rest%% *}
    rest=${rest#"$name"}
    rest=${rest# }
    [ ! -e "$folder/$name" ] || continue
    file=$(find "$tree" -path "$tree/etc" -prune -o -path '*/bash-completion' -prune -o -path '*/lintian' -prune -o \
      -name "$name" ! -type d -print -quit)
    [ -n "$file" ] || stop "no package has $name."
    cp -L "$file" "$folder/"
    while read -r found; do rest="${rest:+$rest }$found"; done < <(readelf -dlW "$folder/$name" 2>/dev/null |
      sed -n -e 's/.*(NEEDED).*\[\(.*\)\]/\1/p' -e 's/.*interpreter: .*\/\(.*\)\]/\1/p')
  done
}

# unpack FOLDER: copies the few files that the emulated board needs into FOLDER/boot, without versions in their names.
unpack() {
  local folder=$1 tree=$1/tree boot=$1/boot wanted=() file
  [ "${folder##*/}" != arm64 ] || wanted=("${drivers[@]}" "${inputs[@]}")
  rm -rf "$tree" "$boot"
  mkdir -p "$tree" "$boot"
  for file in "$folder"/*.deb; do
    # A kernel is large, and only a few of its files are needed.
    case ${file##*/} in
      linux-image-*)
        dpkg-deb --fsys-tarfile "$file" | tar -x -C "$tree" --wildcards --no-anchored 'vmlinuz-*' \
          'bcm2837-rpi-3-b.dtb' 'bcm2835-rpi-zero.dtb' "${modules[@]/%/.ko*}" "${wanted[@]/%/.ko*}" \
          2>/dev/null || :
        ;;
      *) dpkg-deb -x "$file" "$tree" ;;
    esac
  done
  find "$tree" -name '*.ko.xz' -exec xz -d {} +
  if [ ${#wanted[@]} -gt 0 ]; then
    mkdir "$boot/drivers" "$boot/judges"
    for file in "${drivers[@]}"; do find "$tree" -name "$file.ko" -exec mv {} "$boot/drivers/" \; ; done
    printf '%s\n' "${drivers[*]}" >"$boot/drivers/order"
    for file in "${inputs[@]}"; do find "$tree" -name "$file.ko" -exec mv {} "$boot/judges/" \; ; done
    printf '%s\n' "${inputs[*]} ${judging[*]}" >"$boot/judges/list"
    copy_programs "$tree" "$boot/judges" "${judging[@]}"
  fi
  find "$tree" -type f \( -name '*.ko' -o -name '*.dtb' -o -path '*/bin/busybox' \) -exec cp {} "$boot/" \;
  find "$tree" -type f -name 'vmlinuz-*' -exec cp {} "$boot/vmlinuz" \;
  find "$tree" -type f -name 'vmlinuz-*' -printf '%f\n' | sed 's/^vmlinuz-//' >"$boot/release"
  copy_programs "$tree" "$boot/ssh" "${serving[@]}"
  rm -rf "$tree"
  for file in vmlinuz busybox i2c-dev.ko cdc_ether.ko; do
    [ -s "$boot/$file" ] || stop "the packages in $folder hold no $file."
  done
  file=$(cd "$boot" && find . -type f ! -name SHA256SUMS -exec sha256sum -- {} +)
  printf '%s\n' "$file" >"$boot/SHA256SUMS"
}

fetch() {
  local architecture=$1 meta=$2 folder=$cache/$1 kernel servers=(openssh-server) one programs
  if is_unchanged "$folder"; then
    if ! is_pinned "$architecture" || cmp -s "$pins/$suite-$architecture.sha256" "$folder/SHA256SUMS"; then
      is_unpacked "$folder" || unpack "$folder"
      say "$architecture: Linux $(cat "$folder/boot/release"), in the cache $folder"
      return
    fi
    say "$architecture: the cache has other packages than those that are pinned"
  fi
  [ -f "$keyring" ] || stop "$keyring is missing; install debian-archive-keyring."
  say "$architecture: fetching Debian $suite's kernel, busybox and sshd into $folder (60 to 75 MB)"
  rm -rf "$folder"
  mkdir -p "$folder"/apt/{state/lists/partial,cache/archives/partial,etc/preferences.d,etc/apt.conf.d}
  : >"$folder/apt/state/status"
  printf 'deb [arch=%s signed-by=%s] %s %s main\n' "$architecture" "$keyring" "$mirror" "$suite" \
    >"$folder/apt/etc/sources.list"
  if ! private "$folder" "$architecture" apt-get update >"$folder/apt/log" 2>&1 ||
    grep -q '^[EW]:' "$folder/apt/log"; then
    tail -n 5 "$folder/apt/log" >&2
    stop "the package lists could not be fetched from $mirror; without them this test cannot run."
  fi
  if is_pinned "$architecture"; then
    download_pinned "$folder" "$architecture"
  else
    kernel=$(private "$folder" "$architecture" apt-cache depends "$meta" | awk '/Depends: linux-image-/ { print $2; exit }')
    [ -n "$kernel" ] || stop "Debian $suite has no $meta for $architecture."
    [ "$architecture" != arm64 ] || servers+=("${judges[@]}")
    mapfile -t programs < <(for one in "${servers[@]}"; do
      with_libraries "$folder" "$architecture" "$one"
    done | awk '!($0 in seen) { seen[$0]; print }')
    download_newest "$folder" "$architecture" "$kernel" busybox-static "${programs[@]}"
  fi
  (cd "$folder" && sha256sum --quiet --strict -c SHA256SUMS) ||
    stop "the packages in $folder do not have the checksums that are pinned, or that Debian signed."
  unpack "$folder"
  rm -rf "$folder/apt"
  if ! is_unchanged "$folder" || ! is_unpacked "$folder"; then stop "$folder cannot be read back."; fi
  say "$architecture: Linux $(cat "$folder/boot/release")"
}

# pin: fetches both into a separate cache, and keeps the lists.
pin() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  PLUMB_PINNING=yes PLUMB_CACHE=$work bash "$0" arm64 armel
  mkdir -p "$pins"
  local architecture
  for architecture in arm64 armel; do
    cp "$work/raspberry-pi/$suite/$architecture/SHA256SUMS" "$pins/$suite-$architecture.sha256"
    say "pinned: $pins/$suite-$architecture.sha256"
  done
}

[ $# -gt 0 ] || set -- arm64 armel
for tool in apt-get apt-cache dpkg-deb readelf sha256sum tar xz; do
  command -v "$tool" >/dev/null || stop "$tool is missing; this works on Debian and what is made of it."
done
for word in "$@"; do
  case $word in
    arm64) fetch arm64 linux-image-arm64 ;;
    armel) fetch armel linux-image-rpi ;;
    pin) pin ;;
    *)
      printf 'fetch: unknown word "%s"; usage: fetch.sh [arm64|armel]... | pin\n' "$word" >&2
      exit 64
      ;;
  esac
done
