#!/usr/bin/env bash
# Builds plumbd, allocation-free Embedded Swift linked with the C shim: a static program that needs no Swift, and no
# library, where it runs.
#
#     scripts/plumbd.sh [TARGET]...      (host, arm64, armhf, armv6; without a word: host)
#
# host is left at build/plumbd. The others are left at build/pi/TARGET/plumbd, with libgpiod 2, and beside it
# plumbd-libgpiod1, the same with libgpiod 1. Their libraries come from scripts/pi-libraries.sh.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh

modules=(FixedPoint HAL JSON Sensors Orientation Gestures Indication Monitor Text BoardFile LinuxHAL Stream Diagnosis)
flags=(-enable-experimental-feature Embedded -wmo -Osize -no-allocations -parse-as-library -package-name plumb
  -warnings-as-errors -strict-memory-safety -enable-upcoming-feature ExistentialAny
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
  -Xfrontend -function-sections -Xfrontend -disable-stack-protector)
c_flags=(-std=gnu11 -Os -Wall -Wextra -Wconversion -Werror -ffunction-sections -fdata-sections -ICSupport/include
  -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# What board files, I2C, lines and the daemon need; the rest of the shim is the tool's.
c_sources=(board_file daemon errors gpio_chips gpio_v1 gpio_v2 i2c notify ready share signals view wait)

# Position-independent, so that the kernel loads the program at another address each time. Not for 32-bit ARM: glibc is built
# without static-pie there (Debian has no rcrt1.o, and no _dl_relocate_static_pie in libc.a), so that nothing would relocate
# the program.
static_pie=(-static-pie "-Wl,-z,now")

# daemon_target NAME: what is told to the compilers and the linker.
daemon_target() {
  link_flags=("${static_pie[@]}")
  case $1 in
    host)
      swift_flags=() gnu=$(gcc -dumpmachine) machine_flags=()
      # What the C compiler makes counts, not the kernel: a 32-bit system may run on a 64-bit one.
      case $gnu in
        x86_64-*) triple=x86_64-unknown-linux-gnu ;;
        aarch64-*) triple=aarch64-none-none-elf swift_flags=(-Xcc -fPIC) ;;
        *)
          printf 'plumbd: cannot build on %s for itself: Swift is there for x86-64 and 64-bit ARM alone; ' "$gnu" >&2
          printf 'build there with "make pi", and copy the program\n' >&2
          return 69
          ;;
      esac
      ;;
    arm64) triple=aarch64-none-none-elf swift_flags=(-Xcc -fPIC) gnu=aarch64-linux-gnu machine_flags=() ;;
    armv6)
      triple=armv6-none-none-eabi swift_flags=(-Xcc -mfloat-abi=soft) gnu=arm-linux-gnueabi
      link_flags=(-static) machine_flags=(-march=armv6 -marm)
      ;;
    armhf)
      triple=armv7-none-none-eabi swift_flags=(-Xcc -mfloat-abi=hard) gnu=arm-linux-gnueabihf
      link_flags=(-static) machine_flags=(-march=armv7-a+fp)
      ;;
    *)
      printf 'plumbd: no target "%s"; there are: host arm64 armhf armv6\n' "$1" >&2
      return 64
      ;;
  esac
  cc=$gnu-gcc
  # 1300 relocations in 150 bytes instead of 31 KiB, all of which would stay locked in memory.
  if [ "${link_flags[0]}" = -static-pie ] && has_packed_relocations; then link_flags+=("-Wl,--pack-dyn-relocs=relr"); fi
}

# Whether the C library that is linked reads them: glibc 2.36.
has_packed_relocations() {
  printf '#include <features.h>\n#if !__GLIBC_PREREQ(2, 36)\n#error\n#endif\n' | "$cc" -E -x c - >/dev/null 2>&1
}

# is_fresh PROGRAM...: whether all are there, and no source, script or compiler is newer.
is_fresh() {
  local program newer
  for program in "$@"; do
    [ -f "$program" ] || return 1
    newer=$(find -L "${modules[@]/#/Sources/}" Sources/Plumbd Sources/PlumbdMain CSupport scripts/plumbd.sh \
      scripts/core-targets.sh scripts/pi-libraries.sh "$toolchain/swiftc" -newer "$program" -print -quit) || return 1
    [ -z "$newer" ] || return 1
  done
}

# compile_swift WORK: WORK/plumbd-swift.o from all modules.
compile_swift() {
  local work=$1 module sources
  local shim=(-Xcc -fmodule-map-file="$work/module.modulemap")
  printf 'module CSupport { header "%s" export * }\n' "$PWD/CSupport/include/csupport.h" >"$work/module.modulemap"
  for module in "${modules[@]}"; do
    mapfile -t sources < <(find -L "Sources/$module" -name '*.swift' | sort)
    "$swiftc" -target "$triple" "${flags[@]}" "${swift_flags[@]}" "${shim[@]}" -module-name "$module" -I "$work" \
      -emit-module -emit-module-path "$work/$module.swiftmodule" "${sources[@]}"
  done
  "$swiftc" -target "$triple" "${flags[@]}" "${swift_flags[@]}" "${shim[@]}" -module-name Plumbd -I "$work" \
    -c Sources/Plumbd/*.swift -o "$work/plumbd-swift.o"
}

# link WORK LIBRARIES OUTPUT: the shim, compiled against the headers in LIBRARIES (empty: the system's), and all together.
link() {
  local work=$1 libraries=$2 output=$3 source objects=() include=() search=()
  if [ -n "$libraries" ]; then
    include=(-isystem "$libraries/include")
    search=("-L$libraries/lib")
  fi
  mkdir -p "$work/c" "$(dirname "$output")"
  for source in "${c_sources[@]}"; do
    "$cc" "${c_flags[@]}" "${machine_flags[@]}" "${include[@]}" -c "CSupport/$source.c" -o "$work/c/$source.o"
    objects+=("$work/c/$source.o")
  done
  "$cc" "${c_flags[@]}" "${machine_flags[@]}" -c Sources/PlumbdMain/main.c -o "$work/c/main.o"
  # What a sample never needs lies together, so that it need not be resident: CSupport/daemon.c.
  {
    printf 'csupport_daemon_rare_begin\n'
    nm --defined-only "$work/plumbd-swift.o" | sed -nE 's/^[0-9a-f]+ [TtWw] ([$]e(4JSON|6Stream|9Diagnosis).*)/\1/p'
    printf 'csupport_daemon_rare_end\n'
  } >"$work/order"
  # GNU ld refuses Embedded Swift's objects; the toolchain's own linker takes them.
  "$toolchain/clang" --target="$gnu" --gcc-toolchain=/usr -B"$toolchain" -fuse-ld=lld "${link_flags[@]}" \
    -Wl,--gc-sections -Wl,--symbol-ordering-file="$work/order" -Wl,--no-warn-symbol-ordering -s \
    "$work/plumbd-swift.o" "${objects[@]}" "$work/c/main.o" "${search[@]}" -lgpiod -li2c -linih -o "$work/plumbd"
  check "$work"
  mv -f "$work/plumbd" "$output"
  printf 'plumbd: %s, %d KiB\n' "$output" "$(($(stat -c %s "$output") / 1024))"
}

# check WORK: that what was linked there is as the flags above ask. Compilers and linkers drop some of them in silence.
check() {
  local work=$1 headers type=DYN
  [ "${link_flags[0]}" = -static-pie ] || type=EXEC
  headers=$(readelf -hldW "$work/plumbd")
  expect "it is not of type $type" "Type: +$type "
  expect 'nothing becomes read-only after relocation' ' GNU_RELRO '
  expect 'its stack is executable' ' GNU_STACK .* RW '
  refuse 'it needs an interpreter' ' INTERP |\(NEEDED\)'
  refuse 'its code is relocated' 'TEXTREL'
  headers=$(nm -u "$work"/c/*.o)
  expect 'its C has no stack protector' ' __stack_chk_fail$'
  expect 'its C does not check the lengths of copies' ' __[a-z]+_chk$'
}

expect() { grep -qE -- "$2" <<<"$headers" || unfit "$1"; }
refuse() { ! grep -qE -- "$2" <<<"$headers" || unfit "$1"; }

unfit() {
  printf 'plumbd: the program for %s is not fit: %s\n' "$gnu" "$1" >&2
  exit 1
}

build() {
  local name=$1 work=build/plumbd-objects/$1 libraries programs
  daemon_target "$name"
  programs=("build/pi/$name/plumbd" "build/pi/$name/plumbd-libgpiod1")
  [ "$name" != host ] || programs=(build/plumbd)
  if is_fresh "${programs[@]}"; then
    printf 'plumbd: %s, as before\n' "${programs[*]}"
    return
  fi
  rm -rf "$work"
  mkdir -p "$work"
  touch "$work/begun"
  compile_swift "$work"
  if [ "$name" = host ]; then
    link "$work" '' build/plumbd
  else
    libraries=$(sh scripts/pi-libraries.sh "$name")
    link "$work" "$libraries/libgpiod2" "build/pi/$name/plumbd"
    link "$work" "$libraries/libgpiod1" "build/pi/$name/plumbd-libgpiod1"
  fi
  # As old as the beginning, so that a source that was changed meanwhile counts as newer.
  touch -r "$work/begun" "${programs[@]}"
}

[ $# -gt 0 ] || set -- host
for target in "$@"; do build "$target"; done
