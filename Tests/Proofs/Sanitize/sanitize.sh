#!/usr/bin/env bash
# Runs the C shim under the address, undefined-behaviour and thread sanitizers, and the preloaded library and the C
# interface under the first two.
#
#     Tests/Proofs/Sanitize/sanitize.sh
#
# First it plants defects in a copy of the shim: the same commands that judge the shim must find each. csupport.c
# calls every function, for libgpiod 1 and 2; the share of lines reached is measured, and must be at least LEAST
# percent.
#
# Exit codes: 0 found nothing; 1 found something.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
tools=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")
work=build/sanitize
least=94
mkdir -p "$work"
# ASan mistakes a thread's signal stack at its end for its own: false.c shows that without anything of Plumb.
export ASAN_OPTIONS=use_sigaltstack=0
export UBSAN_OPTIONS=print_stacktrace=1
memory=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
# The thread sanitizer of Swift's clang needs libdispatch.
# shellcheck disable=SC2054  # commas of the linker's options
threads=(-fsanitize=thread -L"$tools/../lib/swift/linux" -ldispatch -lBlocksRuntime -Wl,-rpath,"$tools/../lib/swift/linux")

# compile OUTPUT SHIM VERSION FLAG…: csupport.c with the shim in the folder SHIM, and libgpiod VERSION
compile() {
  local output=$1 shim=$2 version=$3
  shift 3
  "$tools/clang" -std=gnu11 -g -O1 -fno-omit-frame-pointer -Wall -Wextra -Wconversion -Werror "$@" -fuse-ld=lld \
    -I"$shim/include" -I"$shim/connect/include" -I"$shim/desktop/include" -ITests/Proofs/Sanitize/"version$version" \
    "$shim"/{,connect/}*.c "$shim"/desktop/{input,screen}.c Tests/Proofs/Sanitize/csupport.c Tests/Proofs/Sanitize/fake.c \
    -Wl,--wrap=open,--wrap=ioctl,--wrap=scandir -li2c -linih -lpthread -o "$work/$output"
}

# compile_preload OUTPUT FOLDER VERSION FLAG…: preload.c with the preloaded library in FOLDER, whose functions it
# calls
compile_preload() {
  local output=$1 folder=$2
  shift 3
  "$tools/clang" -std=gnu11 -g -O1 -fno-omit-frame-pointer -Wall -Wextra -Wconversion -Werror "$@" -fuse-ld=lld \
    -ISources/Emulation/Bridge/include "$folder/preload.c" Tests/Proofs/Sanitize/preload.c -ldl -lpthread -o "$work/$output"
}

# run NAME: the program $work/NAME, whose report is $work/NAME.log
run() { LLVM_PROFILE_FILE="$PWD/$work/$1.%p.profraw" timeout 300 "$work/$1" </dev/null >"$work/$1.log" 2>&1; }

# plant NAME FILE FROM TO WORDS FLAG…: the defect must be found, with these words. FILE is in the folder $of, which
# `$maker` compiles.
of=CSupport maker=compile
plant() {
  local name=$1 file=$2 from=$3 to=$4 words=$5
  shift 5
  rm -rf "$work/planted"
  cp -R "$of" "$work/planted"
  awk -v from="$from" -v to="$to" '
    { at = index($0, from); if (at && !done) { $0 = substr($0, 1, at - 1) to substr($0, at + length(from)); done = 1 } print }
    END { exit !done }' "$of/$file" >"$work/planted/$file" || {
    printf 'sanitize: %s no longer has what is to be changed: %s\n' "$file" "$from" >&2
    return 1
  }
  "$maker" planted-program "$work/planted" 1 "$@"
  if run planted-program || ! grep -q "$words" "$work/planted-program.log"; then
    printf 'sanitize: a planted %s is not found\n' "$name" >&2
    tail -n 20 "$work/planted-program.log" >&2
    return 1
  fi
  printf 'sanitize: a planted %s is found\n' "$name"
}

# judge NAME: the program must succeed
judge() {
  if ! run "$1"; then
    printf 'sanitize: %s fails:\n' "$1" >&2
    tail -n 60 "$work/$1.log" >&2
    return 1
  fi
}

plant 'overflow of the stack' ini.c 'char text[CSUPPORT_INI_LINE_MAX + 1];' 'char text[CSUPPORT_INI_LINE_MAX];' \
  'out of bounds' "${memory[@]}"
plant 'overflow of the heap' gpio_chips.c 'snprintf(to, size,' 'snprintf(to, size + 1,' \
  'heap-buffer-overflow' "${memory[@]}"
plant 'overflow of an int' share.c 'return getpid();' 'volatile int most = 0x7FFFFFFF; return most + getpid();' \
  'signed integer overflow' "${memory[@]}"
plant 'race' signals.c 'int made = atomic_load(&descriptor);' \
  'static volatile int race; race = race + 1; int made = atomic_load(&descriptor);' 'data race' "${threads[@]}"

of=Sources/Emulation/Bridge/Preload maker=compile_preload plant 'read beyond a path' preload.c 'strncmp(rest' 'memcmp(rest' \
  'buffer-overflow' "${memory[@]}"

# The control of the option that is switched off above: it must fail, or the option can be switched on again.
"$tools/clang" -g -fsanitize=address -fuse-ld=lld Tests/Proofs/Sanitize/false.c -lpthread -o "$work/false"
if ASAN_OPTIONS='' "$work/false" >"$work/false.log" 2>&1; then
  echo 'sanitize: ASan takes no stack of others for its own any more: remove use_sigaltstack=0' >&2
  exit 1
fi
"$work/false"

rm -f "$work"/*.profraw
for version in 1 2; do
  compile "csupport-$version" CSupport "$version" "${memory[@]}" -fprofile-instr-generate -fcoverage-mapping
  judge "csupport-$version"
done
printf 'sanitize: the C shim is clean under the address and undefined-behaviour sanitizers, with libgpiod 1 and 2\n'
compile csupport-threads CSupport 1 "${threads[@]}"
judge csupport-threads
printf 'sanitize: the C shim is clean under the thread sanitizer\n'

compile_preload preload Sources/Emulation/Bridge/Preload 1 "${memory[@]}"
judge preload
printf 'sanitize: the library to preload is clean under the address and undefined-behaviour sanitizers\n'

"$tools/llvm-profdata" merge -o "$work/csupport.profdata" "$work"/csupport-*.profraw
"$tools/llvm-cov" report "$work/csupport-1" -object "$work/csupport-2" -instr-profile="$work/csupport.profdata" \
  --ignore-filename-regex=Tests >"$work/coverage" 2>"$work/coverage.log"
# Columns: file, regions, missed, cover, functions, missed, executed, lines, missed, cover.
awk -v least="$least" '
  $1 == "TOTAL" {
    printf "sanitize: %s of the lines of the C shim ran under them, %d of %d functions\n", $10, $5 - $6, $5
    found = 1
    if ($10 + 0 < least) { printf "sanitize: that is less than %d %%\n", least; exit 1 }
  }
  END { if (!found) exit 1 }' "$work/coverage"

echo 'sanitize: building the C interface under the address sanitizer'
"${SWIFT:-swift}" build -c release --scratch-path "$work/build" --target CoreABI --sanitize address \
  -Xswiftc -no-emit-module-separately-wmo >"$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log" >&2
  exit 1
}
find "$("${SWIFT:-swift}" build -c release --scratch-path "$work/build" --show-bin-path)" -name '*.o' \
  ! -path '*-tool.build/*' >"$work/objects"
# Swift links no undefined-behaviour sanitizer library on Linux: its findings end the program at once.
for program in smoke refusals; do
  "$tools/clang" -std=gnu11 -g -O1 -Wall -Wextra -Wconversion -Werror -fsanitize=address -fsanitize=undefined \
    -fsanitize-trap=undefined -ISources/Core/CoreABI/include -c "Tests/Core/CoreABI/$program.c" -o "$work/$program.o"
  "$tools/swiftc" -sanitize=address -use-ld=lld "$work/$program.o" @"$work/objects" -lm -o "$work/$program"
  judge "$program"
done
echo 'sanitize: the C interface is clean under the address and undefined-behaviour sanitizers'
