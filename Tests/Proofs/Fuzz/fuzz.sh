#!/usr/bin/env bash
# Makes libFuzzer search for bytes that break a property of the project's readers in Tests/Proofs/Fuzz/Targets.
#
#     Tests/Proofs/Fuzz/fuzz.sh      (SECONDS_EACH=60; TARGETS="board json …": default all; JOBS=1; FUZZ_SEED=N: default random)
#     FUZZ_EFFORT=N Tests/Proofs/Fuzz/fuzz.sh
#
# With FUZZ_EFFORT each target gets the inputs of some N seconds of one processor, however busy the machine is.
#
# Everything is compiled into build/fuzz, with the coverage that guides the search, and under the address sanitizer.
# Findings are in build/fuzz/TARGET/found; `build/fuzz/fuzz FILE` replays one. First it proves that a target can fail,
# and that the search is guided: a search from nothing must keep reaching more edges.
#
# Exit codes: 0 found nothing; 1 found something; 64 wrong usage.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
swift=${SWIFT:-swift}
seconds=${SECONDS_EACH:-60}
effort=${FUZZ_EFFORT:-0}
jobs=${JOBS:-1}
# For libFuzzer 0 means any.
seed=${FUZZ_SEED:-0}
work=build/fuzz
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
# Swift's own report of a crash takes minutes, and libFuzzer has one.
export SWIFT_BACKTRACE=enable=no
# So that a search with a seed can be repeated.
export SWIFT_DETERMINISTIC_HASHING=1
# Memory that is still allocated at the end belongs to Swift's runtime.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1

all=$(sed -n 's/^  case \([a-z0-9]*\)$/\1/p' Tests/Proofs/Fuzz/Targets/FuzzTarget.swift)
# shellcheck disable=SC2086  # words, on purpose
targets=$(printf '%s ' ${TARGETS:-$all})
for target in $targets; do
  if ! printf '%s\n' "$all" | grep -qx "$target"; then
    printf 'fuzz: no target "%s"; there are: %s\n' "$target" "$(printf '%s\n' "$all" | paste -s -d ' ')" >&2
    exit 64
  fi
done

build() {
  local objects
  mkdir -p "$work"
  # Not with two --sanitize: SwiftPM puts them in any order, and swiftc uses only the last one's coverage.
  "$swift" build -c release --scratch-path "$work/build" --target Fuzzing --sanitize address \
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -sanitize=fuzzer -Xcc -fsanitize=fuzzer-no-link >"$work/build.log" 2>&1 || {
    tail -n 40 "$work/build.log" >&2
    return 1
  }
  objects=$("$swift" build -c release --scratch-path "$work/build" --show-bin-path)
  find "$objects" -name '*.o' ! -path '*-tool.build/*' >"$work/objects"
  "$tools/clang" -O1 -g -Wall -Wextra -Wconversion -Werror -fsanitize=fuzzer-no-link -fsanitize=address \
    -c Tests/Proofs/Fuzz/Engine/engine.c -o "$work/engine.o"
  # gold, which Swift would use, has no list of symbols to export.
  "$tools/swiftc" -sanitize=fuzzer,address -use-ld=lld "$work/engine.o" @"$work/objects" \
    -lgpiod -li2c -linih -lm -o "$work/fuzz"
}

# inputs TARGET: how many one processor of a small machine takes in a second, from a search of half a minute.
inputs() {
  case $1 in
    adxl345) echo 5000 ;;
    board) echo 12000 ;;
    http) echo 7000 ;;
    json) echo 45000 ;;
    message | request) echo 2500 ;;
    monitor | settings) echo 20000 ;;
    mpu6050) echo 3500 ;;
    mqtt) echo 400 ;;
    recording) echo 800 ;;
    *)
      printf 'fuzz: inputs() in fuzz.sh has no figure for "%s"\n' "$1" >&2
      return 1
      ;;
  esac
}

# names: those of poses, reasons, events and faults, from the vocabulary that a test makes for the Python package.
names() { sed -n '/= Literal\[$/,/^]$/s/^    \(".*"\),$/\1/p' clients/python/plumb/vocabulary.py; }

# search TARGET LIMIT CORPUS…: libFuzzer's report in $work/TARGET/log. LIMIT is an option of libFuzzer. Its timeout is
# for inputs that wait without computing; Tests/Proofs/Fuzz/Engine/engine.c ends those that compute too long.
search() {
  local target=$1 limit=$2 dictionary=Tests/Proofs/Fuzz/$1.dict
  shift 2
  mkdir -p "$work/$target/found"
  set -- "$limit" -seed="$seed" -max_len=4096 -timeout=3600 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$work/$target/found/" "$@"
  if [ -f "$dictionary" ]; then
    cat "$dictionary" >"$work/$target/dictionary"
    if [ "$target" = message ]; then names >>"$work/$target/dictionary"; fi
    set -- -dict="$work/$target/dictionary" "$@"
  fi
  PLUMB_FUZZ=$target nice -n 10 "$work/fuzz" "$@" >"$work/$target/log" 2>&1
}

# figure NAME LOG: a value in libFuzzer's last lines
figure() { sed -n "s/^stat::$1: *//p" "$2" | tail -n 1; }

# edges LOG first|last: how many edges were reached
edges() { grep -o 'cov: [0-9]*' "$1" | if [ "$2" = first ]; then head -n 1; else tail -n 1; fi | cut -d ' ' -f 2; }

# The engine must find a defect, and must be guided to it.
prove() {
  if PLUMB_FUZZ=planted "$work/fuzz" -runs=2000000 -seed=1 -artifact_prefix="$work/planted-" >"$work/planted.log" 2>&1; then
    echo 'fuzz: what was planted is not found' >&2
    return 1
  fi
  grep -q 'fuzz: planted: ' "$work/planted.log" || {
    tail -n 20 "$work/planted.log" >&2
    return 1
  }
  counters=$(sed -n 's/^INFO: Loaded .*(\([0-9]*\) inline 8-bit counters).*/\1/p' "$work/planted.log")
  if [ "${counters:-0}" -lt 20000 ]; then
    printf 'fuzz: only %s places are watched: the modules are compiled without coverage; remove %s\n' "$counters" "$work/build" >&2
    return 1
  fi
  printf 'fuzz: a planted defect behind eight bytes is found after %s inputs\n' \
    "$(grep -o '^#[0-9]*' "$work/planted.log" | tail -n 1 | tr -d '#')"
  printf long >"$work/endless"
  if PLUMB_FUZZ=endless "$work/fuzz" -timeout=3600 -artifact_prefix="$work/planted-" "$work/endless" >"$work/endless.log" 2>&1 ||
    ! grep -q '^fuzz: one input takes more processor time' "$work/endless.log"; then
    tail -n 20 "$work/endless.log" >&2
    echo 'fuzz: an input that never ends is not found' >&2
    return 1
  fi
}

# fuzz TARGET: the search from the corpus of the repository and of earlier searches
fuzz() {
  local target=$1 folder=$work/$1 limit=-max_total_time=$seconds result=0 each
  if [ "$effort" -gt 0 ]; then
    each=$(inputs "$target")
    limit=-runs=$((each * effort))
  fi
  mkdir -p "$folder/corpus"
  search "$target" "$limit" "$folder/corpus" "Tests/Proofs/Fuzz/corpus/$target" || result=$?
  if [ "$result" -ne 0 ]; then
    printf 'fuzz: %-8s FOUND: %s\n' "$target" \
      "$(grep -a -m 1 -E '^fuzz: |ERROR: |Fatal error' "$folder/log" || tail -n 3 "$folder/log")"
    return 1
  fi
  printf 'fuzz: %-8s %9s inputs, %5s a second, %s edges, of which this search found %s; nothing found\n' "$target" \
    "$(figure number_of_executed_units "$folder/log")" "$(figure average_exec_per_sec "$folder/log")" \
    "$(edges "$folder/log" last)" "$(($(edges "$folder/log" last) - $(edges "$folder/log" first)))"
}

echo 'fuzz: building, with coverage and the address sanitizer'
build
prove
export -f fuzz inputs names search figure edges
export work seconds effort seed
# shellcheck disable=SC2086  # words, on purpose
printf '%s\n' $targets | xargs -P "$jobs" -I {} bash -c 'set -euo pipefail; fuzz {}'
