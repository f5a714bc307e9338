#!/usr/bin/env bash
# Compiles the start and the USB part of the firmware for a Pico, C all of it, with Swift's own clang: to the objects
# FOLDER/usb/*.o, which are bitcode, so that the linker optimises them with the rest.
#
#     scripts/pico-usb.sh FOLDER
#
# TinyUSB and headers of the SDK come from scripts/pico-sources.sh, unchanged; CSupport/pico/usb/sdk.h replaces the rest
# of the SDK. The objects have no paths and no time of this machine in them.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh

folder=${1:?FOLDER}/usb
sources=$(sh scripts/pico-sources.sh)
sdk=$sources/pico-sdk/src usb=$sources/tinyusb/src
fix=$sdk/rp2_common/pico_fix/rp2040_usb_device_enumeration

rm -rf "$folder"
for header in pico.h pico/time.h hardware/{gpio,irq,resets,sync,timer}.h {ctype,inttypes,stdio,stdlib,string}.h; do
  mkdir -p "$(dirname "$folder/include/$header")"
  printf '#include "sdk.h"\n' >"$folder/include/$header"
done

compile() {
  local file=$1
  shift
  "$toolchain/clang" --target=armv6m-none-none-eabi -mcpu=cortex-m0plus -std=c11 -Oz -flto -ffreestanding \
    -ffunction-sections -fdata-sections -fno-ident -ICSupport/pico/usb -ICSupport/pico/include -isystem "$folder/include" -isystem "$usb" \
    -isystem "$fix/include" -isystem "$sdk/rp2_common/hardware_base/include" \
    -isystem "$sdk/rp2040/hardware_structs/include" -isystem "$sdk/rp2040/hardware_regs/include" "$@" \
    -c "$file" -o "$folder/$(basename "$file" .c).o"
}

for file in CSupport/pico/{start,usb/*}.c; do compile "$file" -Wall -Wextra -Wconversion -Werror; done
for file in "$usb"/{tusb,common/tusb_fifo,device/usbd,device/usbd_control,class/cdc/cdc_device}.c \
  "$usb"/portable/raspberrypi/rp2040/{dcd_rp2040,rp2040_usb}.c "$fix/rp2040_usb_device_enumeration.c"; do
  compile "$file" -w
done
