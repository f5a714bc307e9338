#!/usr/bin/env bash
# Boots Debian's own kernels on an emulated Raspberry Pi 3 and Zero, with the shipped plumbd and both sensors on the
# real I2C driver; reads the pins from outside, the stream through ssh, and the messages of plumb-mqtt on a broker.
# docs/emulated-pi.md explains what that proves.
#
#     Tests/System/RaspberryPi/raspberry_pi.sh [OPTION]...     (after `make pi`; the options are those of raspberry_pi.py)
#
#     PI_PROGRAMS      the folder with {arm64,armv6}/{plumbd,plumbd-libgpiod1} and arm64/{plumb-mqtt,plumb-desktop};
#                      build/pi by default
#     PLUMB            the tool on the host; build/plumb by default
#     PLUMB_CACHE      the cache for kernels: see fetch.sh
#
# Exit codes: 0 all passed; 1 a step failed; 69 a tool, a program or a download is missing, or the emulator fails.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

here=Tests/System/RaspberryPi
programs=${PI_PROGRAMS:-build/pi}
plumb=${PLUMB:-build/plumb}
out=build/raspberry-pi
suite=${PLUMB_PI_SUITE:-bookworm}
cache=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}/raspberry-pi/$suite
warnings=(-std=gnu11 -Wall -Wextra -Wconversion -Werror)

missing() {
  printf 'test-pi: %s is missing; %s\n' "$1" "$2" >&2
  exit 69
}
for tool in qemu-system-aarch64 qemu-system-arm python3 aarch64-linux-gnu-gcc arm-linux-gnueabi-gcc ssh ssh-keygen socat \
  mosquitto_sub openssl; do
  command -v "$tool" >/dev/null || missing "$tool" 'run make setup-test-pi'
done
for program in "$programs"/{arm64,armv6}/{plumbd,plumbd-libgpiod1} "$programs"/arm64/{plumb-mqtt,plumb-desktop}; do
  [ -x "$program" ] || missing "$program" 'run make pi'
done
[ -x "$plumb" ] || missing "$plumb" 'run make build'
# Without the bus an emulator would boot, but fail at every step.
qemu-system-aarch64 -M raspi3b -display none -device at24c-eeprom,bus=i2c-bus.1,address=0x53,rom-size=256 \
  -S -monitor stdio <<<quit >/dev/null 2>&1 ||
  missing "an emulated Raspberry Pi with an I2C bus (QEMU 9 or later; this is $(qemu-system-aarch64 --version | head -n 1))" \
    'run make setup-test-pi'

bash "$here/fetch.sh"
mkdir -p "$out"/{arm64,armel}
aarch64-linux-gnu-gcc "${warnings[@]}" -O2 -static -s "$here"/guest/*.c -o "$out/arm64/bench"
aarch64-linux-gnu-gcc "${warnings[@]}" -O2 -s "$here"/guest/judges/sdl.c -ldl -o "$out/arm64/sdl"
arm-linux-gnueabi-gcc -march=armv6 -marm "${warnings[@]}" -O2 -static -s "$here"/guest/*.c -o "$out/armel/bench"
exec python3 -B "$here/raspberry_pi.py" --cache "$cache" --programs "$programs" --bench "$out" --plumb "$plumb" "$@"
