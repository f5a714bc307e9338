#!/usr/bin/env bash
# Boots Debian with systemd and the arm64 packages on an emulated Raspberry Pi 3 and watches their services: plumbd
# through its pins, plumb-mqtt through a broker on the host, plumb-desktop through Debian's own monitor-sensor.
#
#     Tests/System/Packages/service.sh      (with the packages of build/deb)
#
# Makes the root and installs the packages in it as Tests/System/Packages/install.sh does; kernel, emulator and sensor
# are those of `make test-pi`. See Tests/System/Packages/root.sh and Tests/System/RaspberryPi/fetch.sh for environment
# variables.
#
# Exit codes: 0 success; 1 a check failed; 69 no root rights, tool, emulation, package or download.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/System/Packages/checks.sh
. Tests/System/Packages/checks.sh
# shellcheck source=Tests/System/Packages/root.sh
. Tests/System/Packages/root.sh

version=$(version_of_release)
packages=(plumb plumb-mqtt plumb-desktop)
kernel=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}/raspberry-pi/${PLUMB_PI_SUITE:-bookworm}/arm64
for name in "${packages[@]}"; do
  [ -f "build/deb/${name}_${version}_arm64.deb" ] || stop "build/deb/${name}_${version}_arm64.deb is missing; run make deb."
done
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc python3 socat mosquitto_sub; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-deb."
done

bash Tests/System/RaspberryPi/fetch.sh arm64
unpack_root arm64 desktop apt,systemd,systemd-sysv,udev,kmod,dbus,polkitd,iio-sensor-proxy
for name in "${packages[@]}"; do cp "build/deb/${name}_${version}_arm64.deb" "$work/root/opt/$name.deb"; done
apt install /opt/plumb.deb /opt/plumb-mqtt.deb /opt/plumb-desktop.deb || {
  tail -n 15 "$work/log" >&2
  stop "the packages cannot be installed."
}
# The kernel's modules for I2C, input devices and a network over USB, where systemd and udev look for them.
release=$(cat "$kernel/boot/release")
for image in "$kernel"/linux-image-*.deb; do
  dpkg-deb --fsys-tarfile "$image" |
    tar -x -C "$work/root" --keep-directory-symlink --wildcards "./lib/modules/$release/modules.*" \
      "./lib/modules/$release/kernel/drivers/i2c/*" \
      "./lib/modules/$release/kernel/drivers/input/"{evdev,joydev,misc/uinput}".ko*" "./lib/modules/$release/kernel/drivers/net/mii.ko*" \
      "./lib/modules/$release/kernel/drivers/net/usb/"{usbnet,cdc_ether}".ko*" \
      "./lib/modules/$release/kernel/drivers/usb/"{common,core,dwc2,gadget/udc,phy,roles}"/*"
done
inside depmod "$release"
aarch64-linux-gnu-gcc -std=gnu11 -Wall -Wextra -Wconversion -Werror -O2 -static -s Tests/System/RaspberryPi/guest/*.c \
  -o "$work/root/usr/bin/bench"

# A shell for the test on the second serial port, as in Tests/System/RaspberryPi/guest/init.
cat >"$work/root/usr/bin/service-shell" <<'END'
#!/bin/sh
port=/dev/ttyS1
exec 3<>"$port"
stty -echo -onlcr <"$port"
printf '\0360:0\036' >"$port"
while :; do sh "$port" </dev/null >"$port" 2>&1; done
END
chmod 755 "$work/root/usr/bin/service-shell"
cat >"$work/root/etc/systemd/system/service-shell.service" <<'END'
[Unit]
After=basic.target
[Service]
ExecStart=/usr/bin/service-shell
StandardInput=null
END
ln -s /etc/systemd/system/service-shell.service "$work/root/etc/systemd/system/multi-user.target.wants/"
# The address that QEMU's internal network expects.
printf '[Match]\nType=ether\n[Network]\nAddress=10.0.2.15/24\nLinkLocalAddressing=no\n' >"$work/root/etc/systemd/network/usb.network"
ln -s /lib/systemd/system/systemd-networkd.service "$work/root/etc/systemd/system/multi-user.target.wants/"
for terminal in getty@tty1 serial-getty@ttyAMA0 serial-getty@ttyS1; do
  ln -s /dev/null "$work/root/etc/systemd/system/$terminal.service"
done
ln -s lib/systemd/systemd "$work/root/init"
rm -rf "$work/root"/var/lib/apt/lists/* "$work/root"/usr/share/{locale,man,info}
python3 -B Tests/System/Packages/service.py --root "$work/root" --boot "$kernel/boot"
