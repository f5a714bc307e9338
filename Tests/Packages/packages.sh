#!/usr/bin/env bash
# Judges the Debian packages as files: names, fields, contents, rights, programs, manual, service; and that packing the
# same again gives the same bytes. Takes seconds, installs nothing, needs no root rights.
#
#     Tests/Packages/packages.sh      (after `make deb`)
#
# Exit codes: 0 all is well; 1 something is not; 69 a tool or a package is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Packages/checks.sh
. Tests/Packages/checks.sh

version=$(version_of_release)
for tool in dpkg-deb lintian man readelf systemd-analyze python3 qemu-arm-static qemu-aarch64-static; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-deb."
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

contents() {
  cat <<'END'
drwxr-xr-x root/root ./
drwxr-xr-x root/root ./etc/
drwxr-xr-x root/root ./etc/plumb/
drwxr-xr-x root/root ./usr/
drwxr-xr-x root/root ./usr/bin/
-rwxr-xr-x root/root ./usr/bin/plumbd
drwxr-xr-x root/root ./usr/lib/
drwxr-xr-x root/root ./usr/lib/systemd/
drwxr-xr-x root/root ./usr/lib/systemd/system/
-rw-r--r-- root/root ./usr/lib/systemd/system/plumbd.service
-rw-r--r-- root/root ./usr/lib/systemd/system/plumbd.socket
drwxr-xr-x root/root ./usr/lib/udev/
drwxr-xr-x root/root ./usr/lib/udev/rules.d/
-rw-r--r-- root/root ./usr/lib/udev/rules.d/40-plumb.rules
drwxr-xr-x root/root ./usr/share/
drwxr-xr-x root/root ./usr/share/doc/
drwxr-xr-x root/root ./usr/share/doc/plumb/
-rw-r--r-- root/root ./usr/share/doc/plumb/CHANGELOG.md.gz
-rw-r--r-- root/root ./usr/share/doc/plumb/changelog.gz
-rw-r--r-- root/root ./usr/share/doc/plumb/copyright
-rw-r--r-- root/root ./usr/share/doc/plumb/raspberry-pi-adxl345.svg
-rw-r--r-- root/root ./usr/share/doc/plumb/raspberry-pi-mpu6050.svg
drwxr-xr-x root/root ./usr/share/lintian/
drwxr-xr-x root/root ./usr/share/lintian/overrides/
-rw-r--r-- root/root ./usr/share/lintian/overrides/plumb
drwxr-xr-x root/root ./usr/share/man/
drwxr-xr-x root/root ./usr/share/man/man1/
-rw-r--r-- root/root ./usr/share/man/man1/plumbd.1.gz
drwxr-xr-x root/root ./usr/share/man/man5/
-rw-r--r-- root/root ./usr/share/man/man5/plumb-board.ini.5.gz
drwxr-xr-x root/root ./usr/share/plumb/
drwxr-xr-x root/root ./usr/share/plumb/boards/
-rw-r--r-- root/root ./usr/share/plumb/boards/raspberry-pi-adxl345.ini
-rw-r--r-- root/root ./usr/share/plumb/boards/raspberry-pi-mpu6050.ini
END
}

field() { dpkg-deb -f "$package" "$1"; }
# says PATTERN COMMAND...: what the command prints has a line of this extended expression.
says() {
  local said
  said=$("${@:2}" 2>&1) || :
  grep -qE -- "$1" <<<"$said"
}
says_not() { ! says "$@"; }

# The program of an architecture, and a processor of the oldest Raspberry Pi that it must run on.
judge_program() {
  local program=$root/usr/bin/plumbd run board code
  if [ "$architecture" = arm64 ]; then
    run=(qemu-aarch64-static -cpu cortex-a53)
    check 'it is for AArch64' says 'Machine: +AArch64$' readelf -h "$program"
  else
    # The processor of a Zero and a 1: ARMv7 code, or floats in registers as Debian's armhf has them, would not run.
    run=(qemu-arm-static -cpu arm1176)
    check 'it is for ARM' says 'Machine: +ARM$' readelf -h "$program"
    check 'it passes no floats in registers' says 'Flags:.*soft-float ABI' readelf -h "$program"
    check 'it asks for no more than ARMv6' says 'Tag_CPU_arch: v(4T|5T|5TE|5TEJ|6|6KZ)$' readelf -A "$program"
  fi
  check 'it needs no interpreter' says_not 'INTERP' readelf -lW "$program"
  check 'it needs no library' says_not 'NEEDED' readelf -dW "$program"
  check 'its tables are read-only after the start' says 'GNU_RELRO' readelf -lW "$program"
  # glibc has no static-pie for 32-bit ARM.
  if [ "$architecture" = arm64 ]; then
    check 'it is position-independent' says 'Type: +DYN ' readelf -h "$program"
  fi
  is 'it tells the version' "plumbd $version" "$("${run[@]}" "$program" --version)"
  for board in "$root"/usr/share/plumb/boards/*.ini; do
    code=0
    "${run[@]}" "$program" --check --board "$board" >"$work/said" 2>&1 || code=$?
    check "${board##*/} is well" grep -qx 'board file: OK' "$work/said"
    check "${board##*/} is for a real board" says_not emulated cat "$board"
  done
}

judge_package() {
  local dependencies
  package=build/deb/plumb_${version}_$architecture.deb
  root=$work/$architecture
  [ -f "$package" ] || stop "$package is missing; run make deb."
  mkdir -p "$root"
  dpkg-deb -R "$package" "$root"
  say "$package"
  is 'Package' plumb "$(field Package)"
  is 'Version' "$version" "$(field Version)"
  is 'Architecture' "$architecture" "$(field Architecture)"
  # A static program needs no library.
  dependencies=$(field Depends)
  is 'Depends' adduser "$dependencies"
  contents >"$work/expected"
  dpkg-deb -c "$package" | awk '{ print $1, $2, $6 }' >"$work/found"
  check 'contents, owners and rights' diff "$work/expected" "$work/found"
  check 'md5sums are right' sh -c "cd '$root' && md5sum --quiet --strict -c DEBIAN/md5sums"
  is 'md5sums names each file' "$(grep -c '^-' "$work/expected")" "$(wc -l <"$root/DEBIAN/md5sums")"
  check 'lintian has no error and no warning' lintian --allow-root --fail-on error,warning "$package"
  judge_program
}

# All keys that the program knows: it tells them where it finds one that it does not know.
keys() {
  local text
  for text in '[i2c]' '[sensor]\nmodel = mpu6050' '[lines]\ncode = one-hot' '[lines]\ncode = binary'; do
    printf '%b\nnonsense = 1\n' "$text" >"$work/board.ini"
    { qemu-aarch64-static "$work/arm64/usr/bin/plumbd" --check --board "$work/board.ini" 2>&1 || :; } |
      sed -n 's/.*allowed: //p' | sed 's/, /\n/g'
  done | sort -u
}

# Each manual page without a warning, and with each word that it has to explain.
judge_manual() {
  local page word
  for page in man1/plumbd.1 man5/plumb-board.ini.5; do
    gzip -dc "$root/usr/share/man/$page.gz" >"$work/page"
    man --warnings -E UTF-8 -l "$work/page" >"$work/$(basename "$page").txt" 2>"$work/warnings"
    check "$page has no warnings" cmp "$work/warnings" /dev/null
    check "$page has no blank that was not filled" says_not '@[A-Z]+@' cat "$work/page"
  done
  for word in $(qemu-aarch64-static "$work/arm64/usr/bin/plumbd" --help | grep -oE -- '--[a-z]+|Exit codes:.*' |
    grep -oE -- '--[a-z]+|[0-9]{2}'); do
    check "plumbd.1 explains $word" grep -qE "^ +.*$word( |,|\.|$)" "$work/plumbd.1.txt"
  done
  keys >"$work/words"
  check 'the program tells its keys' test "$(wc -l <"$work/words")" -gt 20
  # Keys stand at the margin, what is said of them farther in.
  while read -r word; do
    check "plumb-board.ini.5 explains $word" grep -qE "^ {7}([^ ].*, )?$word(,| |$)" "$work/plumb-board.ini.5.txt"
  done <"$work/words"
}

# The service as systemd reads it, among its own units, and how much it is exposed.
judge_service() {
  local tree=$work/tree units=usr/lib/systemd/system exposure
  mkdir -p "$tree/$units" "$tree/bin"
  cp -a /lib/systemd/system/. "$tree/$units"
  cp -RL "$root/usr/bin" "$tree/usr/bin"
  cp "$root/$units"/plumbd.{service,socket} "$tree/$units"
  is 'the delay of a restart grows' '3' "$(grep -cE '^(RestartSec=1s|RestartSteps=6|RestartMaxDelaySec=60s)$' \
    "$root/$units/plumbd.service")"
  # systemd before 254 warns of two keys that it does not know, and ignores them.
  if [ "$(systemd-analyze --version | sed -nE '1s/^systemd ([0-9]+).*/\1/p')" -lt 254 ]; then
    sed -i -E '/^(RestartSteps|RestartMaxDelaySec)=/d' "$tree/$units/plumbd.service"
  fi
  cp -L /bin/sh "$tree/bin"
  check 'systemd-analyze verify' systemd-analyze verify --recursive-errors=yes --man=no --root="$tree" plumbd.service \
    plumbd.socket
  # In tenths: more than 1.1 fails.
  check 'exposure is at most 1.1' systemd-analyze security --no-pager --offline=true --threshold=11 \
    "$root/$units/plumbd.service"
  exposure=$(systemd-analyze security --no-pager --offline=true "$root/$units/plumbd.service" |
    sed -nE 's/.*exposure level.*: ([0-9.]+).*/\1/p')
  say "exposure of plumbd.service: $exposure"
}

# Packed twice, with other rights, the same bytes come out; at another date others.
judge_again() {
  local mask
  for mask in 022 077; do
    (umask "$mask" && SOURCE_DATE_EPOCH=1700000000 DEB_OUTPUT=$work/$mask bash scripts/deb.sh >/dev/null)
  done
  SOURCE_DATE_EPOCH=1800000000 DEB_OUTPUT=$work/later bash scripts/deb.sh armel >/dev/null
  for architecture in arm64 armhf armel; do
    check "$architecture: packed again, the same bytes" \
      cmp "$work/022/plumb_${version}_$architecture.deb" "$work/077/plumb_${version}_$architecture.deb"
  done
  check 'the date is that of SOURCE_DATE_EPOCH' says 'root/root +0 2023-11-14 22:13 ./$' \
    env TZ=UTC dpkg-deb -c "$work/022/plumb_${version}_armel.deb"
  check 'another date, another file' says 'differ' \
    cmp "$work/022/plumb_${version}_armel.deb" "$work/later/plumb_${version}_armel.deb"
}

for architecture in arm64 armhf armel; do judge_package; done
judge_manual
judge_service
judge_again
finish
