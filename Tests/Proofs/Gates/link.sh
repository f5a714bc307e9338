#!/usr/bin/env bash
# Gate: the library links into its users' programs, for any floating-point ABI and size of enums, with a C library and
# without one (-nostdlib, with docs/examples/c/memory.c), without a message from the linker.
#
#     Tests/Proofs/Gates/link.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'gate: links'
count=0

# link TARGET COMPILER [FLAG]...: both programs. Messages that are not about the library do not count: newlib has
# some.
link() {
  local target=$1 compiler=$2 way
  shift 2
  command -v "$compiler" >/dev/null 2>&1 || { printf 'gate: links: no %s: make setup-gates\n' "$compiler"; exit 1; }
  for way in hosted bare; do
    local flags=("$@") sources=(Tests/Proofs/Gates/link.c) libraries=()
    if [ "$way" = bare ]; then
      flags+=(-DBARE -nostdlib -ffreestanding -fno-builtin '-Wl,-e,main')
      sources+=(docs/examples/c/memory.c)
      libraries=(-lgcc)
    elif [ "$compiler" = arm-none-eabi-gcc ]; then
      flags+=(--specs=nosys.specs)
    fi
    if ! "$compiler" -std=gnu11 -O1 "${flags[@]}" -I build/core/include "${sources[@]}" \
      "build/core/$target/libplumb.a" "${libraries[@]}" -o "$work/program" 2>"$work/words"; then
      printf 'gate: links: %s does not link with %s %s (%s):\n' "$target" "$compiler" "$*" "$way"
      cat "$work/words"
      exit 1
    fi
    if grep libplumb "$work/words"; then
      printf 'gate: links: %s with %s %s (%s): the linker warns\n' "$target" "$compiler" "$*" "$way"
      exit 1
    fi
    count=$((count + 1))
  done
}

case $(uname -m) in x86_64) link x86_64-linux gcc ;; esac
link aarch64 aarch64-linux-gnu-gcc
link armv6 arm-linux-gnueabi-gcc
link armv6 arm-linux-gnueabihf-gcc
m4=(-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16)
for abi in soft softfp hard; do link armv7em arm-none-eabi-gcc "${m4[@]}" -mfloat-abi=$abi; done
link armv7em arm-none-eabi-gcc -mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard -fno-short-enums
link armv6m arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb
link armv6m arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard
printf '  %d programs of 5 libraries link without a warning\n' "$count"
