#!/bin/sh
# Builds the firmware and runs it on an emulated Cortex-M4. Needs Swift 6.3 and qemu-system-arm
# of version 9 or later, nothing else.
#
#     ./run.sh [OPTION OF swift build]...
set -eu
cd "$(dirname "$0")"

build() { "${SWIFT:-swift}" build -c release --triple armv7em-none-none-eabi --toolset toolset.json "$@"; }

build "$@" >&2
# The memory at 0x53 stands in for the sensor. What the firmware prints goes through semihosting to standard output.
# Time is counted in instructions (-icount), and nobody waits for it (sleep=off).
exec qemu-system-arm -M mps2-an386 -icount shift=auto,sleep=off -display none -chardev stdio,id=out \
  -semihosting-config enable=on,target=native,chardev=out \
  -device at24c-eeprom,bus=i2c,address=0x53,rom-size=256 \
  -kernel "$(build "$@" --show-bin-path)/Firmware" </dev/null
