#!/usr/bin/env bash
# Builds plumbd, plumb-mqtt or plumb-desktop, Embedded Swift linked with C: a static program that needs neither Swift nor any library
# at run time. plumbd allocates nothing; plumb-mqtt has a heap for the broker, in the modules that $allocating names.
#
#     scripts/program.sh plumbd|plumb-mqtt|plumb-desktop [TARGET]...      (host, amd64, arm64, armhf, armv6; default: host)
#
# Puts the program for host in build/PROGRAM, and the others in build/pi/TARGET/PROGRAM: plumbd with libgpiod 2, and
# next to it plumbd-libgpiod1, the same with libgpiod 1; amd64 has no Pi with an old system. Their libraries come from
# scripts/pi-libraries.sh.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
# shellcheck source=scripts/modules.sh
. scripts/modules.sh

# describe PROGRAM: its parts. `modules` in the order of their dependencies, then `main`; the C of the shims, of which
# each program needs a part; `libraries` and other linker options; and the folders of scripts/pi-libraries.sh, one list
# for each linked program, whose name ends in the word before the colon.
describe() {
  host_include=()
  # shellcheck disable=SC2054  # commas of the linker's options
  case $1 in
    plumbd)
      modules=(FixedPoint HAL JSON Sensors Orientation Gestures Vibration Indication Monitor FixedText Text BoardFile LinuxHAL SenseHAT IIO OpenBoard StreamCodec StreamLines Stream Diagnosis Service)
      main=Plumbd shims=(CSupport CSupport/connect) home=Sources/Programs/plumbd
      # The needs of board files, I2C, lines and the daemon; the rest of the shim belongs to the tool.
      c_sources=(CSupport/{daemon,errors,file,frame,gpio_chips,gpio_v1,gpio_v2,i2c,iio,ini,memory,notify,ready,share,signals,view,wait}.c CSupport/connect/socket.c)
      libraries=(-Wl,--wrap=strncpy,--wrap=__assert_fail -lgpiod -li2c -linih)
      variants=(:libgpiod2 -libgpiod1:libgpiod1)
      # Code that no sample needs is placed together, so that it need not be resident: CSupport/daemon.c. First that of
      # the kernel's devices, far from the libraries: the kernel reads ahead, and would load it with them for each board.
      # What forwards to it is in the code of samples. Last, the words of errors, and what forwards calls that are rare.
      rare='3IIO([5-9]|1[0-35-9])[A-Z]|9FixedText05ShortB0V(3IIO|8distance2to)'
      rare+='|4JSON|s4SpanV4JSON|6Stream|11StreamLines|11StreamCodec|9Diagnosis|9Vibration|8LinuxHAL(11SensorOwner|13LinuxI2CError|9GPIOError)'
      rare+='|8SenseHAT11MatrixError|9BoardFile0A3KeyO[0-9]+append|4Text13SettingsErrorV([0-9]+append|7message)'
      rare+='|7Sensors1(1SensorErrorO|2SensorNoticeO)4TextE|3HAL8I2CFaultO4TextE'
      rare+='|7Sensors12EitherSensorOAARi_zRi__rlE(6reopen|4wake|5adopt|8hasMoved|16watchForMovement)'
      allocating=''
      ;;
    plumb-mqtt)
      modules=(FixedPoint HAL JSON Sensors Orientation Gestures Vibration Indication Monitor FixedText Text BoardFile StreamCodec Retry StreamConnection LinuxHAL Service StreamService Fleet Publishing)
      main=PlumbMQTT shims=(CSupport CSupport/connect CSupport/mqtt) home=Sources/Programs/plumb-mqtt
      c_sources=(CSupport/{daemon,errors,file,host,ini,memory,notify,random,signals,wait}.c CSupport/connect/{connect,serial,socket}.c CSupport/mqtt/{guard,mqtt,resolve}.c)
      # CSupport/mqtt/resolve.c: names in .local. CSupport/mqtt/guard.c: what a broker may send. On ARMv6 OpenSSL needs
      # the compiler's libatomic.
      libraries=(-Wl,--wrap=getaddrinfo,--wrap=recv,--wrap=SSL_read -lpaho-mqtt3as -lssl -lcrypto -linih -latomic)
      variants=(:libgpiod2+mqtt)
      rare=''
      allocating=' Fleet Publishing PlumbMQTT '
      ;;
    plumb-desktop)
      modules=(FixedPoint HAL JSON Sensors Orientation Gestures Vibration Indication Monitor FixedText Text BoardFile StreamCodec Retry StreamConnection LinuxHAL Service StreamService Desktop)
      main=PlumbDesktop shims=(CSupport CSupport/connect CSupport/desktop) home=Sources/Programs/plumb-desktop
      c_sources=(CSupport/{daemon,errors,file,host,ini,memory,notify,random,signals,wait}.c CSupport/connect/{connect,serial,socket,spawn}.c CSupport/desktop/*.c)
      libraries=(-ldbus-1 -linih -lpthread)
      # Debian puts libdbus's headers into folders of their own; scripts/pi-libraries.sh, beside all others.
      host_include=(-isystem /usr/include/dbus-1.0 -isystem "/usr/lib/$(gcc -dumpmachine)/dbus-1.0/include")
      variants=(:libgpiod2+desktop)
      rare=''
      allocating=''
      ;;
    *)
      printf 'program: no program "%s"; there are: plumbd plumb-mqtt plumb-desktop\n' "$1" >&2
      return 64
      ;;
  esac
  c_sources+=("$home/main.c")
  shim_headers=("${shims[@]/#/-I}")
  shim_headers=("${shim_headers[@]/%//include}")
}

flags=("${embedded_flags[@]}" -Osize)
c_flags=(-std=gnu11 -Os -Wall -Wextra -Wconversion -Werror -ffunction-sections -fdata-sections
  -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# Position-independent, so that the kernel loads the program at a different address each time. Not for 32-bit ARM: there
# glibc is built without static-pie (Debian has no rcrt1.o, and no _dl_relocate_static_pie in libc.a), so nothing would
# relocate the program. Newer kernels load it at a multiple of what they read ahead, 64 KiB, so that the same code is
# resident each time; for others the figure of docs/daemon.md differs from start to start.
static_pie=(-static-pie "-Wl,-z,now,-z,max-page-size=65536")

# target NAME: the options for the compilers and the linker.
target() {
  local machine
  link_flags=("${static_pie[@]}")
  # The target of the C compiler matters, not the kernel: a 32-bit system may run on a 64-bit one.
  machine=$(gcc -dumpmachine)
  case $1 in
    host)
      swift_flags=() gnu=$machine machine_flags=()
      case $gnu in
        x86_64-*) triple=x86_64-unknown-linux-gnu ;;
        aarch64-*) triple=aarch64-none-none-elf swift_flags=(-Xcc -fPIC) ;;
        *)
          printf 'program: cannot build on %s for itself: Swift is available only for x86-64 and 64-bit ARM; ' "$gnu" >&2
          printf 'build on such a machine with "make pi", and copy the program\n' >&2
          return 69
          ;;
      esac
      ;;
    amd64)
      triple=x86_64-unknown-linux-gnu swift_flags=() gnu=x86_64-linux-gnu machine_flags=()
      case $machine in
        x86_64-*) ;;
        *)
          printf 'program: programs for amd64 are built on x86-64\n' >&2
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
      printf 'program: no target "%s"; there are: host amd64 arm64 armhf armv6\n' "$1" >&2
      return 64
      ;;
  esac
  cc=$gnu-gcc
  # 1300 relocations in 150 bytes instead of 31 KiB, all of which would stay locked in memory.
  if [ "${link_flags[0]}" = -static-pie ] && has_packed_relocations; then link_flags+=("-Wl,--pack-dyn-relocs=relr"); fi
}

# Whether the linked C library can read them: glibc 2.36.
has_packed_relocations() {
  printf '#include <features.h>\n#if !__GLIBC_PREREQ(2, 36)\n#error\n#endif\n' | "$cc" -E -x c - >/dev/null 2>&1
}

# is_fresh FILE...: whether all exist, and no source, script or compiler is newer.
is_fresh() {
  local file newer
  for file in "$@"; do
    [ -f "$file" ] || return 1
    # shellcheck disable=SC2068  # patterns, on purpose: a module's layer is not named here
    newer=$(find -L ${modules[@]/#/Sources/*/} "$home" "${shims[@]}" scripts/program.sh \
      scripts/{modules,core-targets}.sh scripts/pi-libraries.{sh,txt} "$toolchain/swiftc" -newer "$file" -print -quit) || return 1
    [ -z "$newer" ] || return 1
  done
}

# heap MODULE: the compiler option for allocations in it.
heap() { case $allocating in *" $1 "*) ;; *) printf '%s' -no-allocations ;; esac }

# compile_swift WORK: makes WORK/swift.o from all modules.
compile_swift() {
  local module
  shared_modules "$triple"
  # shellcheck disable=SC2046  # one option or none
  for module in "${modules[@]}"; do compile_shared "$module" $(heap "$module"); done
  compile_main "$1"
}

# compile_main WORK: makes WORK/swift.o from the program's own sources and the modules. It stays beside those, too, for
# a target with the same code and other libraries: most of it is generated here.
compile_main() {
  local work=$1 made=$shared/$main.$triple.o imported=("${modules[@]/#/$shared/}")
  exec 9>"$made.lock"
  flock 9
  if is_older "$made" "$home" scripts/program.sh "${imported[@]/%/.swiftmodule}"; then
    touch "$work/main-begun"
    # shellcheck disable=SC2046  # one option or none
    "$swiftc" -target "$triple" "${flags[@]}" $(heap "$main") "${swift_flags[@]}" "${maps[@]}" -module-name "$main" -I "$shared" \
      -c "$home"/*.swift -o "$work/swift.o" 9>&-
    # The compiler's hash of the module, which nothing in a program reads, because it differs from run to run.
    "$toolchain/llvm-objcopy" -R .swift_modhash "$work/swift.o"
    cp "$work/swift.o" "$work/kept.o"
    # With the time of the start, so that a source changed in the meantime counts as newer.
    touch -r "$work/main-begun" "$work/kept.o"
    mv -f "$work/kept.o" "$made"
  else
    cp "$made" "$work/swift.o"
  fi
  exec 9>&-
}

# order WORK: the symbols of our own code in the order that CSupport/daemon.c expects: code of samples, then its marks,
# with rare code after the first and the driver of each sensor model, as numbered by SensorModel, after one of its own.
order() {
  local drivers marks number driver place=Sources/Core/Sensors/SensorModel.swift
  mapfile -t drivers < <(sed -nE 's/^ *case \..*: question\.answer\(of: (\w+)\.self\)$/\1/p' "$place")
  mapfile -t marks < <(sed -nE 's/^MARK\(driver_[0-9]+\)$/&/p' CSupport/daemon.c)
  # The last mark that is used is that of the kernel's devices, which follow the models.
  if [ "${#drivers[@]}" -eq 0 ] || [ "${#drivers[@]}" -ge "${#marks[@]}" ]; then
    printf 'program: %s has %d drivers, and CSupport/daemon.c %d marks for them and for devices of the kernel\n' \
      "$place" "${#drivers[@]}" "${#marks[@]}" >&2
    return 70
  fi
  {
    printf 'csupport_daemon_rare\n'
    placed "$1" "$rare"
    for number in "${!marks[@]}"; do
      printf 'csupport_daemon_driver_%d\n' "$number"
      driver=${drivers[number]-}
      # Its own functions, and those of the drivers' kit that are compiled for it alone.
      [ -z "$driver" ] || placed "$1" "7Sensors(${#driver}$driver|[0-9]+[A-Za-z]+PAA.*${#driver}${driver}O)"
    done
    printf 'csupport_daemon_libraries\n'
  } >"$1/rare"
  functions "$1"/swift.o "$1"/c/*.o | grep -vxFf "$1/rare"
  cat "$1/rare"
}

# functions OBJECT...: the names of the functions in them.
functions() { nm --defined-only "$@" | sed -nE 's/^[0-9a-f]+ [TtWw] (.*)/\1/p'; }

# placed WORK PATTERN: the functions whose mangled names begin with it. Not code that examines an optional value (WOg
# and similar): it runs for each sample, to see if there is a value.
placed() {
  functions "$1/swift.o" | sed -nE "/WO[a-z][0-9]*_?\$/d; /^[\$]e($2)/p"
}

# link WORK OUTPUT FOLDER...: compiles the C with the headers in the folders (none: the system's) and links everything.
# Leaves the list of all linked members in WORK/linked/ for scripts/materials.py.
link() {
  local work=$1 output=$2 source object objects=() include=() search=() order=()
  shift 2
  include=("${@/#/-isystem}")
  include=("${include[@]/%//include}")
  [ $# -gt 0 ] || include=("${host_include[@]}")
  search=("${@/#/-L}")
  search=("${search[@]/%//lib}")
  mkdir -p "$work/c" "$work/linked" "$(dirname "$output")"
  for source in "${c_sources[@]}"; do
    object=$work/c/$(basename "$source" .c).o
    "$cc" "${c_flags[@]}" "${shim_headers[@]}" "${machine_flags[@]}" "${include[@]}" -c "$source" -o "$object"
    objects+=("$object")
  done
  if [ -n "$rare" ]; then
    order "$work" >"$work/order"
    order=("-Wl,--symbol-ordering-file=$work/order" "-Wl,--no-warn-symbol-ordering")
  fi
  # GNU ld rejects Embedded Swift's objects; the toolchain's own linker accepts them.
  "$toolchain/clang" --target="$gnu" --gcc-toolchain=/usr -B"$toolchain" -fuse-ld=lld "${link_flags[@]}" \
    -Wl,--gc-sections "${order[@]}" -s "$work/swift.o" "${objects[@]}" "${search[@]}" "${libraries[@]}" \
    -Wl,--trace -o "$work/program" >"$work/linked/$(basename "$output")"
  check "$work"
  mv -f "$work/program" "$output"
  printf '%s: %s, %d KiB\n' "$program" "$output" "$(($(stat -c %s "$output") / 1024))"
}

# check WORK: checks that the program linked there has the properties requested above. Compilers and linkers silently
# drop some flags.
check() {
  local work=$1 headers type=DYN
  [ "${link_flags[0]}" = -static-pie ] || type=EXEC
  headers=$(readelf -hldW "$work/program")
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
  printf '%s: the program for %s is not fit: %s\n' "$program" "$gnu" "$1" >&2
  exit 1
}

build() {
  local name=$1 work=build/objects/$program/$1 place=build/pi/$1 variant outputs=() fetched folders
  target "$name"
  [ "$name" != host ] || place=build
  for variant in "${variants[@]}"; do outputs+=("$place/$program${variant%%:*}"); done
  # The machine's own libraries make one program, as do those of amd64.
  if [ "$name" = amd64 ]; then variants=("${variants[0]}"); fi
  if [ "$name" = host ] || [ "$name" = amd64 ]; then outputs=("$place/$program"); fi
  if is_fresh "${outputs[@]}"; then
    printf '%s: %s, as before\n' "$program" "${outputs[*]}"
    return
  fi
  rm -rf "$work"
  mkdir -p "$work"
  touch "$work/begun"
  compile_swift "$work"
  if [ "$name" = host ]; then
    link "$work" "${outputs[0]}"
  else
    fetched=$(sh scripts/pi-libraries.sh "$name")
    for variant in "${variants[@]}"; do
      IFS=+ read -ra folders <<<"${variant#*:}"
      link "$work" "$place/$program${variant%%:*}" "${folders[@]/#/$fetched/}"
    done
  fi
  # With the time of the start, so that a source changed in the meantime counts as newer.
  touch -r "$work/begun" "${outputs[@]}"
}

program=${1-}
describe "$program"
shift
[ $# -gt 0 ] || set -- host
for name in "$@"; do build "$name"; done
