#!/bin/sh
# Installs the Debian packages that Plumb needs if they are missing, and checks the Swift version.
#
#     scripts/setup.sh [GROUP]...      (default: build test lint)
#     scripts/setup.sh --list GROUP... prints the groups' requirements, one per line (a|b: either), and installs nothing
#
# Groups: build test lint docs gates microcontroller examples bench peers pi test-pi test-deb install test-install
# test-web test-mqtt test-desktop test-home-assistant test-fresh dist apt test-apt site reproduce fuzz pico test-pico
# web test-web-module test-web-page wheel test-python
#
# For Debian 12 and 13, Ubuntu 22.04 and later, and Raspberry Pi OS, with only Swift installed. Every `make` target that
# needs something runs it; if nothing is missing it changes nothing, uses no network, and takes a fraction of a second.
# On other systems, or without root rights, it prints what to install by hand.
#
# Exit codes: 0 nothing missing; 64 wrong usage; 69 something is missing and could not be installed.
set -eu
export LC_ALL=C

say() { printf 'setup: %s\n' "$*"; }
stop() {
  printf 'setup: %s\n' "$@" >&2
  exit 69
}

# One requirement per word; a|b means either (Debian 13 and Ubuntu 24.04 renamed some libraries to …t64). What the Swift
# toolchain itself needs to run and link. gcc provides the linker and the right libgcc-N-dev, whose N differs in every
# release.
toolchain='git ca-certificates gcc libc6-dev libcurl4t64|libcurl4 libncurses6 libsqlite3-0 libxml2'
build="make $toolchain libgpiod-dev libi2c-dev libinih-dev libpaho-mqtt-dev libssl-dev libdbus-1-dev"
lint="$build clang-format shellcheck python3"
# What makes WebAssembly smaller.
web="$build binaryen zopfli"
gates="$build python3 qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabi libc6-dev-armel-cross"
gates="$gates gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm"
# A C library for WebAssembly, the helpers of its compiler, and an engine.
gates="$gates wasi-libc libclang-rt-dev-wasm32 nodejs $web"
microcontroller="$build python3 gcc-arm-none-eabi qemu-system-arm"
bench="$build python3-venv valgrind"
peers="$build i2c-tools python3-venv"
# Clients that judge what is published, and certificates. The broker is unpacked, not installed, because installing it
# would start it.
test_mqtt="$build python3 mosquitto-clients openssl"
# A bus and a client, which is unpacked because its service would start, and Debian roots with compositors.
test_desktop="$build python3 dbus mmdebstrap debian-archive-keyring"
test_pi="$build $test_mqtt socat python3 xz-utils debian-archive-keyring openssh-client
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabi libc6-dev-armel-cross"
# The first version of QEMU whose Raspberry Pis have an I2C bus, and whose small memories on a bus use one-byte
# addresses. Debian 12 has one only in its backports.
oldest_emulator=1:9.0
# The emulator comes from PyPI.
test_pico="$build python3-venv"
docs="$build python3"
# The build backend and what checks the types come from PyPI.
wheel="git python3 python3-venv"
test_python="$build python3 python3-venv openssh-client openssh-server"
# libFuzzer and the sanitizers come with Swift's clang; Swift links them with this release's C++ library.
fuzz="$build g++"
# The tests start a tool that is linked with Swift's static libraries.
tests="$build g++ python3 strace i2c-tools curl socat jq openssh-client openssh-server xz-utils"
# Compilers for the Raspberry Pi, the keys of the archive of its libraries, and the emulator for a first try.
pi="$build python3 qemu-user-static debian-archive-keyring gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
pi="$pi gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-arm-linux-gnueabi libc6-dev-armel-cross"
# A C compiler with its library of divisions, and the keys of the archive of its sources.
pico="$build python3 gcc-arm-none-eabi debian-archive-keyring"
test_web_module="$web nodejs node-typescript"
test_deb="$pi $test_mqtt socat python3 binutils lintian man-db mandoc systemd mmdebstrap arch-test xz-utils"

# Swift's static runtime needs this release's libstdc++, which g++ provides; a script makes the manual.
install="$build g++ python3 binutils"
# Everything that a release contains (the documentation needs no more); and tools to explain how two releases differ,
# with a different clock.
dist="$pi $pico $install dpkg-dev xz-utils"
# A repository of packages that are built, its signature, and the check of its links.
apt="$build python3 apt-utils gpg gpg-agent gpgv xz-utils"
# Debian roots for it.
test_apt="$pi $apt mmdebstrap arch-test"
site="$build python3"
reproduce="$dist diffoscope-minimal|diffoscope faketime util-linux python3-venv"
# The shells whose completions are tested, and programs that check and print manual pages.
test_install="$install man-db mandoc zsh fish"
# A separate Debian root.
test_fresh="$build mmdebstrap debian-archive-keyring mount"
# A Debian root for Home Assistant, and the broker.
test_home_assistant="$test_fresh $test_mqtt iproute2"
# A browser for the page of `plumb serve`, and a font for it.
test_web="$build python3 chromium|chromium-headless-shell fonts-dejavu-core"

test_web_page="$web $test_web"

wanted=
wants_emulator=
wants_prometheus=
wants_mosquitto=
wants_sensor_proxy=
is_listing=
case ${1:-} in --list) is_listing=yes && shift ;; esac
[ $# -gt 0 ] || set -- build test lint
for group in "$@"; do
  case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $tests" ;;
    pi) wanted="$wanted $pi" ;;
    pico) wanted="$wanted $pico" ;;
    web) wanted="$wanted $web" ;;
    test-web-page) wanted="$wanted $test_web_page" ;;
    test-web-module) wanted="$wanted $test_web_module" ;;
    test-deb) wanted="$wanted $test_deb" wants_emulator=yes wants_mosquitto=yes ;;
    docs) wanted="$wanted $docs" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    lint) wanted="$wanted $lint" ;;
    dist) wanted="$wanted $dist" ;;
    apt) wanted="$wanted $apt" ;;
    test-apt) wanted="$wanted $test_apt" ;;
    site) wanted="$wanted $site" ;;
    reproduce) wanted="$wanted $reproduce" ;;
    install) wanted="$wanted $install" ;;
    test-fresh) wanted="$wanted $test_fresh" ;;
    test-pico) wanted="$wanted $test_pico" ;;
    wheel) wanted="$wanted $wheel" ;;
    test-python) wanted="$wanted $test_python" ;;
    test-mqtt) wanted="$wanted $test_mqtt" wants_mosquitto=yes ;;
    test-desktop) wanted="$wanted $test_desktop" wants_sensor_proxy=yes ;;
    test-home-assistant) wanted="$wanted $test_home_assistant" wants_mosquitto=yes ;;
    test-web) wanted="$wanted $test_web" wants_prometheus=yes ;;
    test-install) wanted="$wanted $test_install" ;;
    gates) wanted="$wanted $gates" ;;
    microcontroller) wanted="$wanted $microcontroller" ;;
    examples) wanted="$wanted $build" wants_emulator=yes ;;
    bench) wanted="$wanted $bench" ;;
    peers) wanted="$wanted $peers" ;;
    test-pi) wanted="$wanted $test_pi" wants_emulator=yes wants_mosquitto=yes ;;
    *)
      printf 'setup: unknown group "%s"; there are: %s %s\n' "$group" \
        'build test lint docs gates microcontroller examples bench peers pi test-pi test-deb install test-install' \
        'test-web test-mqtt test-desktop test-home-assistant test-fresh dist apt test-apt site reproduce fuzz pico test-pico web test-web-module test-web-page wheel test-python' >&2
      exit 64
      ;;
  esac
done

if [ -n "$is_listing" ]; then
  # Programs that are unpacked, or come from a release's backports, count as well.
  # shellcheck disable=SC2086  # words, on purpose
  printf '%s\n' $wanted ${wants_emulator:+qemu-system-arm} ${wants_mosquitto:+mosquitto} ${wants_prometheus:+prometheus} \
    ${wants_sensor_proxy:+iio-sensor-proxy} | sort -u
  exit
fi

swift=${SWIFT:-swift}
swift_help='Plumb needs Swift 6.3 or later: https://www.swift.org/install/linux/'
command -v "$swift" >/dev/null 2>&1 || stop "\"$swift\" is not on the PATH." "$swift_help"

# Prints each requirement of $wanted that no installed package of this architecture meets, once.
missing() {
  names=$(printf '%s' "$wanted" | tr '|' ' ')
  # shellcheck disable=SC2086  # words, on purpose
  { dpkg-query -W -f '${Package} ${Architecture} ${db:Status-Status}\n' $names 2>/dev/null || :; } |
    awk -v native="$(dpkg --print-architecture)" -v wanted="$wanted" '
      $3 == "installed" && ($2 == native || $2 == "all") { have[$1] = 1 }
      END {
        count = split(wanted, requirement, " ")
        for (i = 1; i <= count; i++) {
          if (requirement[i] in seen) continue
          seen[requirement[i]] = 1
          alternatives = split(requirement[i], name, "|")
          met = 0
          for (j = 1; j <= alternatives; j++) if (name[j] in have) met = 1
          if (!met) print requirement[i]
        }
      }'
}

# Prints the first of a|b that the package lists offer, otherwise the first.
available() {
  for name in $(printf '%s' "$1" | tr '|' ' '); do
    if apt-cache policy "$name" 2>/dev/null | grep -q '^  Candidate: [^(]'; then
      printf '%s' "$name"
      return
    fi
  done
  printf '%s' "${1%%|*}"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
    apt-get -y -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1
}

# become_able_to_install WHAT: exits if this user cannot install; $by_hand then says what to do.
become_able_to_install() {
  by_hand="Install by hand: $1"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
      stop "packages are missing, and this is neither root nor is there sudo." "$by_hand"
    say 'sudo may ask for your password'
    as_root true || stop "sudo was refused." "$by_hand"
  fi
  [ -z "${work:-}" ] || return 0
  work=$(mktemp -d)
  log=$work/log
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
}

install_missing() {
  become_able_to_install "$(printf '%s\n' "$1" | sed 's/|/ or /' | paste -s -d , | sed 's/,/, /g')"
  say 'refreshing the package lists'
  # One broken third-party list fails the whole update, yet the packages may be available: the install decides.
  apt update || say 'apt-get update complained; going on with the lists that there are'
  packages=
  for requirement in $1; do packages="$packages $(available "$requirement")"; done
  say "installing$packages (a minute or more)"
  # shellcheck disable=SC2086  # words, on purpose
  if ! apt install --no-install-recommends $packages; then
    tail -n 25 "$log" >&2
    stop "apt-get could not install them." "$by_hand"
  fi
  say 'installed'
}

# is_new_enough VERSION: whether that version of QEMU is sufficient.
is_new_enough() { [ -n "$1" ] && [ "$1" != '(none)' ] && dpkg --compare-versions "$1" ge "$oldest_emulator"; }

emulator_version() { dpkg-query -W -f '${Version}' qemu-system-arm 2>/dev/null || :; }

# Installs qemu-system-arm from this release, or from Debian 12's backports, which are used only for this and removed
# again.
install_emulator() {
  become_able_to_install "qemu-system-arm of version ${oldest_emulator#*:} or later (Debian 12 has it in bookworm-backports)"
  candidate=$(apt-cache policy qemu-system-arm 2>/dev/null | sed -n 's/^  Candidate: //p')
  set -- --no-install-recommends qemu-system-arm
  if ! is_new_enough "$candidate"; then
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    [ "$release" = bookworm ] || stop "this release offers qemu-system-arm \"$candidate\", which is too old." "$by_hand"
    mkdir "$work/sources"
    [ ! -d /etc/apt/sources.list.d ] || cp -R /etc/apt/sources.list.d/. "$work/sources"
    printf 'deb [signed-by=%s] %s bookworm-backports main\n' /usr/share/keyrings/debian-archive-keyring.gpg \
      "$(sh "$(dirname "$0")/mirror.sh")" >"$work/sources/plumb-backports.list"
    chmod -R a+rX "$work"
    set -- -o "Dir::Etc::sourceparts=$work/sources" -t bookworm-backports "$@"
    say 'refreshing the package lists, with the backports of Debian 12'
    apt -o "Dir::Etc::sourceparts=$work/sources" update || say 'apt-get update complained; going on with the lists that there are'
  fi
  say 'installing qemu-system-arm (a minute or more)'
  if ! apt install "$@" || ! is_new_enough "$(emulator_version)"; then
    tail -n 25 "$log" >&2
    stop "apt-get could not install a QEMU that is new enough." "$by_hand"
  fi
  say "installed QEMU $(emulator_version)"
}

# download NAME FOLDER: downloads the Debian package of this release as a file into the folder. Needs root only if the
# package lists are too old.
download() {
  fetch="apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User=root download $1"
  (cd "$2" && $fetch) >/dev/null 2>&1 && return
  become_able_to_install "$1"
  say 'refreshing the package lists'
  apt update || say 'apt-get update complained; going on with the lists that there are'
  (cd "$2" && $fetch) >>"$log" 2>&1 || {
    tail -n 25 "$log" >&2
    stop "apt-get could not download $1." "$by_hand"
  }
}

# unpack PACKAGE PROGRAM: unpacks the programs of a Debian package into build/PACKAGE. They are not installed, because
# the package would start a service on this machine. The shared libraries that it depends on are installed normally;
# their names come from the package itself, because they differ between releases.
unpack() {
  place=$(dirname "$0")/../build/$1
  if [ ! -x "$place/$2" ]; then
    say "unpacking $1 into build/$1 (for the tests; its service is not installed)"
    rm -rf "$place"
    mkdir -p "$place"
    download "$1" "$place"
    dpkg -x "$place/$1"_*.deb "$place"
    dpkg-deb -f "$place/$1"_*.deb Depends | tr ',' '\n' | sed 's/^ *//' | grep '^lib' | grep -v '^libjs-' |
      paste -s -d , >"$place/libraries"
    (cd "$place" && rm -rf "$1"_*.deb usr/share etc)
  fi
  if ldd "$place/$2" 2>&1 | grep -q 'not found'; then
    libraries=$(cat "$place/libraries")
    become_able_to_install "$libraries"
    say "installing the libraries of $1"
    apt satisfy --no-install-recommends "$libraries" || {
      apt update || say 'apt-get update complained; going on with the lists that there are'
      apt satisfy --no-install-recommends "$libraries"
    } || {
      tail -n 25 "$log" >&2
      stop "apt-get could not install the libraries of $1." "$by_hand"
    }
  fi
}

# is_here PROGRAM...: whether all are installed.
is_here() { for name in "$@"; do command -v "$name" >/dev/null 2>&1 || return 1; done; }

if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
  list=$(missing)
  [ -z "$list" ] || install_missing "$list"
  if [ -n "$wants_prometheus" ] && ! is_here prometheus promtool; then unpack prometheus usr/bin/promtool; fi
  if [ -n "$wants_mosquitto" ]; then unpack mosquitto usr/sbin/mosquitto; fi
  if [ -n "$wants_sensor_proxy" ]; then unpack iio-sensor-proxy usr/bin/monitor-sensor; fi
  if [ -n "$wants_emulator" ] && ! is_new_enough "$(emulator_version)"; then install_emulator; fi
else
  stop 'this is no Debian, Ubuntu or Raspberry Pi OS. Install what these Debian packages hold:' \
    "$(printf '%s' "${wanted# }" | tr ' ' '\n' | sort -u | sed 's/|.*//' | tr '\n' ' ')" 'Then run make with SETUP=true.'
fi

found=$("$swift" --version 2>&1) || stop "\"$swift --version\" fails:" "$found" "$swift_help"
version=$(printf '%s\n' "$found" | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [ -z "$version" ]; then
  stop "\"$swift --version\" does not tell a version:" "$found" "$swift_help"
elif [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 3 ]; }; then
  stop "\"$swift\" is version $version." "$swift_help"
fi
