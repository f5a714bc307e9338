#!/usr/bin/env bash
# Checks the Debian packages as files: names, fields, contents, modes, programs, manual, service; and that packing the
# same again gives the same bytes. Takes seconds, installs nothing, needs no root rights.
#
#     Tests/System/Packages/packages.sh      (after `make deb`)
#
# Exit codes: 0 success; 1 a check failed; 69 a tool or a package is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/System/Packages/checks.sh
. Tests/System/Packages/checks.sh

version=$(version_of_release)
for tool in dpkg-deb lintian man mandoc readelf systemd-analyze python3 qemu-arm-static qemu-aarch64-static; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-deb."
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The contents of each package, in the order of dpkg-deb: "x" a program, "l" a link, "-" another file, the rest folders.
contents_plumb() {
  # wired FOLDER ENDING: a file of each board file for a Raspberry Pi
  wired() { for board in boards/raspberry-pi-*.ini; do echo "$1/$(basename "$board" .ini)$2"; done; }
  cat <<END
etc/
etc/plumb/
usr/
usr/bin/
x usr/bin/plumbd
usr/lib/
usr/lib/systemd/
usr/lib/systemd/system/
- usr/lib/systemd/system/plumbd.service
- usr/lib/systemd/system/plumbd.socket
usr/lib/udev/
usr/lib/udev/rules.d/
- usr/lib/udev/rules.d/40-plumb.rules
- usr/lib/udev/rules.d/70-plumb-serial.rules
usr/share/
usr/share/doc/
usr/share/doc/plumb/
- usr/share/doc/plumb/CHANGELOG.md.gz
- usr/share/doc/plumb/changelog.gz
- usr/share/doc/plumb/copyright
$(wired "- usr/share/doc/plumb" .svg)
usr/share/lintian/
usr/share/lintian/overrides/
- usr/share/lintian/overrides/plumb
usr/share/man/
usr/share/man/man1/
- usr/share/man/man1/plumbd.1.gz
usr/share/man/man5/
- usr/share/man/man5/plumb-board.ini.5.gz
usr/share/plumb/
usr/share/plumb/boards/
- usr/share/plumb/boards/iio.ini
$(wired "- usr/share/plumb/boards" .ini)
- usr/share/plumb/boards/sense-hat.ini
END
}

contents_plumb-mqtt() {
  cat <<'END'
usr/
usr/bin/
x usr/bin/plumb-mqtt
usr/lib/
usr/lib/systemd/
usr/lib/systemd/system/
- usr/lib/systemd/system/plumb-mqtt.service
usr/share/
usr/share/doc/
usr/share/doc/plumb-mqtt/
- usr/share/doc/plumb-mqtt/changelog.gz
- usr/share/doc/plumb-mqtt/copyright
usr/share/doc/plumb-mqtt/examples/
- usr/share/doc/plumb-mqtt/examples/mqtt.ini
usr/share/lintian/
usr/share/lintian/overrides/
- usr/share/lintian/overrides/plumb-mqtt
usr/share/man/
usr/share/man/man1/
- usr/share/man/man1/plumb-mqtt.1.gz
usr/share/man/man5/
- usr/share/man/man5/plumb-mqtt.ini.5.gz
END
}

contents_plumb-desktop() {
  cat <<'END'
usr/
usr/bin/
x usr/bin/plumb-desktop
usr/lib/
usr/lib/systemd/
usr/lib/systemd/system/
- usr/lib/systemd/system/plumb-desktop.service
usr/lib/systemd/user/
- usr/lib/systemd/user/plumb-rotate.service
usr/lib/udev/
usr/lib/udev/rules.d/
- usr/lib/udev/rules.d/60-plumb-desktop.rules
usr/share/
usr/share/dbus-1/
usr/share/dbus-1/system.d/
- usr/share/dbus-1/system.d/plumb-desktop.conf
usr/share/doc/
usr/share/doc/plumb-desktop/
- usr/share/doc/plumb-desktop/changelog.gz
- usr/share/doc/plumb-desktop/copyright
usr/share/doc/plumb-desktop/examples/
- usr/share/doc/plumb-desktop/examples/desktop.ini
usr/share/lintian/
usr/share/lintian/overrides/
- usr/share/lintian/overrides/plumb-desktop
usr/share/man/
usr/share/man/man1/
- usr/share/man/man1/plumb-desktop.1.gz
usr/share/man/man5/
- usr/share/man/man5/plumb-desktop.ini.5.gz
usr/share/polkit-1/
usr/share/polkit-1/actions/
- usr/share/polkit-1/actions/plumb-desktop.policy
l usr/bin/plumb-rotate
l usr/share/man/man1/plumb-rotate.1.gz
END
}

# The list that dpkg-deb should print.
expected_contents() {
  printf 'drwxr-xr-x root/root ./\n'
  "contents_$1" | sed -E -e 's|^l (.*)|lrwxrwxrwx root/root ./\1|' -e 's|^x (.*)|-rwxr-xr-x root/root ./\1|' -e 's|^- (.*)|-rw-r--r-- root/root ./\1|' \
    -e 's|^([^-].*/)$|drwxr-xr-x root/root ./\1|'
}

field() { dpkg-deb -f "$package" "$1"; }
# says PATTERN COMMAND...: a line of the command's output must match this extended expression.
says() {
  local said
  said=$("${@:2}" 2>&1) || :
  grep -qE -- "$1" <<<"$said"
}
# says_not PATTERN COMMAND...: no line may match; otherwise the output is shown.
says_not() {
  local said
  said=$("${@:2}" 2>&1) || :
  ! grep -E -- "$1" <<<"$said"
}

# Runs the program of an architecture, for ARM in an emulator of the oldest Raspberry Pi that it must support.
judge_program() {
  local program=$root/usr/bin/$1
  if [ "$architecture" = amd64 ]; then
    # On x86-64, which alone builds it, it runs as it is.
    run=()
    check 'it is for x86-64' says 'Machine: +Advanced Micro Devices X86-64$' readelf -h "$program"
  elif [ "$architecture" = arm64 ]; then
    run=(qemu-aarch64-static -cpu cortex-a53)
    check 'it is for AArch64' says 'Machine: +AArch64$' readelf -h "$program"
  else
    # The processor of a Zero and a 1: ARMv7 code, or floats in registers as in Debian's armhf, would not run.
    run=(qemu-arm-static -cpu arm1176)
    check 'it is for ARM' says 'Machine: +ARM$' readelf -h "$program"
    check 'it passes no floats in registers' says 'Flags:.*soft-float ABI' readelf -h "$program"
    check 'it asks for no more than ARMv6' says 'Tag_CPU_arch: v(4T|5T|5TE|5TEJ|6|6KZ)$' readelf -A "$program"
  fi
  check 'it needs no interpreter' says_not 'INTERP' readelf -lW "$program"
  check 'it needs no library' says_not 'NEEDED' readelf -dW "$program"
  check 'its tables are read-only after the start' says 'GNU_RELRO' readelf -lW "$program"
  # glibc has no static-pie for 32-bit ARM.
  if [ "$architecture" = amd64 ] || [ "$architecture" = arm64 ]; then
    check 'it is position-independent' says 'Type: +DYN ' readelf -h "$program"
  fi
  is 'it tells the version' "$1 $version" "$("${run[@]}" "$program" --version)"
}

# How the program judges a board file of the user.
judge_boards() {
  local board
  for board in "$root"/usr/share/plumb/boards/*.ini; do
    "${run[@]}" "$root/usr/bin/plumbd" --check --board "$board" >"$work/said" 2>&1 || :
    check "${board##*/} is well" grep -qx 'board file: OK' "$work/said"
    check "${board##*/} is for a real board" says_not emulated cat "$board"
  done
}

# judge_package NAME PROGRAM DEPENDENCIES
judge_package() {
  package=build/deb/$1_${version}_$architecture.deb
  root=$work/$architecture/$1
  [ -f "$package" ] || stop "$package is missing; run make deb."
  mkdir -p "$root"
  dpkg-deb -R "$package" "$root"
  say "$package"
  is 'Package' "$1" "$(field Package)"
  is 'Version' "$version" "$(field Version)"
  is 'Architecture' "$architecture" "$(field Architecture)"
  is 'Homepage' "$(sed -n 's/^site //p' packaging/address)" "$(field Homepage)"
  # A static program needs no library.
  is 'Depends' "$3" "$(field Depends)"
  expected_contents "$1" >"$work/expected"
  dpkg-deb -c "$package" | awk '{ print $1, $2, $6 }' >"$work/found"
  check 'contents, owners and rights' diff "$work/expected" "$work/found"
  check 'md5sums are right' sh -c "cd '$root' && md5sum --quiet --strict -c DEBIAN/md5sums"
  is 'md5sums names each file' "$(grep -c '^-' "$work/expected")" "$(wc -l <"$root/DEBIAN/md5sums")"
  packages+=("$package")
  check 'no blank is left that was not filled' says_not '@[A-Z]+@|#PACKAGE#' \
    cat "$root"/DEBIAN/{control,postinst,prerm,postrm} "$root/usr/share/lintian/overrides/$1"
  check 'the scripts are a shell'"'"'s' sh -c "for script in '$root'/DEBIAN/p*; do dash -n \"\$script\" || exit; done"
  judge_program "$2"
}

# on_arm64 PACKAGE PROGRAM...: runs the packed program.
on_arm64() { qemu-aarch64-static "$work/arm64/$1/usr/bin/$2" "${@:3}"; }

# allowed COMMAND...: the words that the program lists as allowed, one per line.
allowed() { { "$@" 2>&1 || :; } | sed -n 's/.*allowed: //p' | sed 's/, /\n/g'; }

# All keys that a program knows: it lists them when it finds an unknown one.
keys_plumbd() {
  local text
  for text in '[i2c]' '[sensor]\nmodel = mpu6050' '[lines]\ncode = one-hot' '[lines]\ncode = binary' '[share]'; do
    printf '%b\nnonsense = 1\n' "$text" >"$work/board.ini"
    allowed on_arm64 plumb plumbd --check --board "$work/board.ini"
  done | sort -u
}

keys_plumb-mqtt() { keys_of_settings plumb-mqtt; }
keys_plumb-desktop() { keys_of_settings plumb-desktop; }

keys_of_settings() {
  local section
  printf '[nonsense]\n' >"$work/settings.ini"
  for section in $(allowed on_arm64 "$1" "$1" --check --settings "$work/settings.ini" | tr -d '[]'); do
    printf '[%s]\nnonsense = 1\n' "$section" >"$work/settings.ini"
    allowed on_arm64 "$1" "$1" --check --settings "$work/settings.ini"
  done | sort -u
}

# judge_manual PACKAGE PROGRAM FILE LEAST: each page must be free of warnings and contain each word that it has to
# explain; the page of the program's file must contain at least LEAST keys.
judge_manual() {
  local page word root=$work/arm64/$1
  for page in "man1/$2.1" "man5/$3.5"; do
    # By its own name: mandoc takes what follows the last dot of a path for the section, even in a folder's name.
    gzip -dc "$root/usr/share/man/$page.gz" >"$work/$(basename "$page")"
    man --warnings -E UTF-8 -l "$work/$(basename "$page")" >"$work/$(basename "$page").txt" 2>"$work/warnings"
    check "$page has no warnings" cmp "$work/warnings" /dev/null
    check "$page passes mandoc" mandoc -T lint -W warning "$work/$(basename "$page")"
    check "$page has no blank that was not filled" says_not '@[A-Z]+@' cat "$work/$(basename "$page")"
  done
  for word in $(on_arm64 "$1" "$2" --help | grep -oE -- '--[a-z]+|Exit codes:.*' | grep -oE -- '--[a-z]+|[0-9]{2}'); do
    check "$2.1 explains $word" grep -qE "^ +.*$word( |,|\.|$)" "$work/$2.1.txt"
  done
  "keys_$2" >"$work/words"
  check 'the program tells its keys' test "$(wc -l <"$work/words")" -gt "$4"
  # Keys start at the margin, their explanations further in.
  while read -r word; do
    check "$3.5 explains $word" grep -qE "^ {7}([^ ].*, +)?$word(,| |$)" "$work/$3.5.txt"
  done <"$work/words"
}

# judge_settings PACKAGE FILE WORD: the packed example and that of the manual, which must have WORD, must be valid, as
# must each default that the packed one shows after a hash.
judge_settings() {
  local example=$work/arm64/$1/usr/share/doc/$1/examples/$2
  sed -n '/^EXAMPLE$/,/^FILES$/s/^       //p' "$work/$1.ini.5.txt" >"$work/manual.ini"
  sed -E 's/^# ([a-zA-Z-]+ = )/\1/' "$example" >"$work/all.ini"
  # The files that they name, as systemd would provide them.
  mkdir -p "$work/credentials"
  (umask 077 && echo secret | tee "$work"/credentials/mqtt.{password,key} >/dev/null)
  check 'the manual has an example' grep -q "^$3 = " "$work/manual.ini"
  check 'the example shows each key' test "$(grep -cE '^[a-zA-Z-]+ = ' "$work/all.ini")" -ge "$(wc -l <"$work/words")"
  for file in "$example" "$work/manual.ini" "$work/all.ini"; do
    check "${file##*/} is well" says '^settings: OK$' env CREDENTIALS_DIRECTORY="$work/credentials" \
      qemu-aarch64-static "$work/arm64/$1/usr/bin/$1" --check --settings "$file"
  done
}

# judge_service PACKAGE UNIT EXPOSURE: the units as systemd reads them, among its own, and the exposure of the service:
# at most EXPOSURE tenths.
judge_service() {
  local units=usr/lib/systemd/system exposure root=$work/arm64/$1 own=("$work/arm64/$1"/usr/lib/systemd/system/*)
  local tree=$work/tree/$1
  mkdir -p "$tree/$units" "$tree/bin"
  cp -a /lib/systemd/system/. "$tree/$units"
  cp -RL "$root/usr/bin" "$tree/usr"
  cp "${own[@]}" "$tree/$units"
  is 'the delay of a restart grows' '3' "$(grep -cE '^(RestartSec=1s|RestartSteps=6|RestartMaxDelaySec=60s)$' \
    "$root/$units/$2.service")"
  # systemd before 254 warns about two keys that it does not know, and ignores them.
  if [ "$(systemd-analyze --version | sed -nE '1s/^systemd ([0-9]+).*/\1/p')" -lt 254 ]; then
    sed -i -E '/^(RestartSteps|RestartMaxDelaySec)=/d' "$tree/$units/$2.service"
  fi
  cp -L /bin/sh "$tree/bin"
  check "systemd-analyze verify $1" systemd-analyze verify --recursive-errors=yes --man=no --root="$tree" "${own[@]##*/}"
  check "exposure is at most $3 tenths" systemd-analyze security --no-pager --offline=true --threshold="$3" \
    "$root/$units/$2.service"
  exposure=$(systemd-analyze security --no-pager --offline=true "$root/$units/$2.service" 2>/dev/null |
    sed -nE 's/.*exposure level.*: ([0-9.]+).*/\1/p')
  say "exposure of $2.service: $exposure"
}

# judge_user_service PACKAGE UNIT: the unit of a user's session, as systemd reads it; any program stands in for its own.
judge_user_service() {
  sed -E '/^(RestartSteps|RestartMaxDelaySec)=/d; s|^ExecStart=.*|ExecStart=/bin/sh|' \
    "$work/arm64/$1/usr/lib/systemd/user/$2.service" >"$work/$2.service"
  check "systemd-analyze verify $2" env XDG_RUNTIME_DIR="$work" systemd-analyze --user verify --recursive-errors=no \
    --man=no "$work/$2.service"
}

# Packing twice, with different modes, must give the same bytes; another date must give others.
judge_again() {
  local mask name
  for mask in 022 077; do
    (umask "$mask" && SOURCE_DATE_EPOCH=1700000000 DEB_OUTPUT=$work/$mask bash scripts/deb.sh arm64 armel >/dev/null)
  done
  SOURCE_DATE_EPOCH=1800000000 DEB_OUTPUT=$work/later bash scripts/deb.sh armel >/dev/null
  for architecture in arm64 armel; do
    for name in plumb plumb-mqtt plumb-desktop; do
      check "$name, $architecture: packed again, the same bytes" \
        cmp "$work/022/${name}_${version}_$architecture.deb" "$work/077/${name}_${version}_$architecture.deb"
    done
  done
  check 'the date is that of SOURCE_DATE_EPOCH' says 'root/root +0 2023-11-14 22:13 ./$' \
    env TZ=UTC dpkg-deb -c "$work/022/plumb_${version}_armel.deb"
  check 'another date, another file' says 'differ' \
    cmp "$work/022/plumb_${version}_armel.deb" "$work/later/plumb_${version}_armel.deb"
}

packages=()
for architecture in amd64 arm64 armhf armel; do
  judge_package plumb plumbd adduser
  judge_boards
  judge_package plumb-mqtt plumb-mqtt "plumb (= $version)"
  judge_package plumb-desktop plumb-desktop "adduser, plumb (= $version)"
done
# Once for all: most of its time is its start.
check 'lintian has no error and no warning' lintian --allow-root --fail-on error,warning "${packages[@]}"
judge_manual plumb plumbd plumb-board.ini 20
for board in boards/raspberry-pi-*.ini; do
  model=$(sed -n 's/^model *= *//p' "$board")
  check "plumb-board.ini.5 has the $model" grep -qE " $model: [^:]*[A-Z][^:]*, at 0x.. or 0x.. " <(tr -s ' \n' ' ' <"$work/plumb-board.ini.5.txt")
done
judge_manual plumb-mqtt plumb-mqtt plumb-mqtt.ini 25
# names FILE PATTERN: the topics that it names where a line has the pattern, a line each
names() { grep -oE "$2" "$1" | tr -d '|`<> '; }
check 'plumb-mqtt.1 has each topic of docs/fleet.md' \
  cmp <(names "$work/plumb-mqtt.1.txt" '^ +(base|prefix)/.*') <(names docs/fleet.md '^[|] .<(base|prefix)>/[^ ]+')
judge_settings plumb-mqtt mqtt.ini host
judge_manual plumb-desktop plumb-desktop plumb-desktop.ini 10
judge_settings plumb-desktop desktop.ini output
judge_service plumb plumbd 11
judge_service plumb-mqtt plumb-mqtt 15
judge_service plumb-desktop plumb-desktop 15
judge_user_service plumb-desktop plumb-rotate
check 'ModemManager leaves serial boards alone' \
  grep -q 'ID_MM_DEVICE_IGNORE}="1"' "$work/arm64/plumb/usr/lib/udev/rules.d/70-plumb-serial.rules"
judge_again
finish
