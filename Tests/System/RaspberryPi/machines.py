"""The Raspberry Pis that are emulated, and where their chips have what the test reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """One model."""

    name: str
    # The name of the programs for it, in build/pi.
    programs: str
    # Debian's name for the architecture whose kernel it boots.
    architecture: str
    emulator: str
    model: str
    device_tree: str
    # The start of the chip's registers.
    peripherals: int
    # The serial port with the shell, and its number among the ports of the emulator.
    shell: str
    shell_port: int
    kernel_options: str
    emulator_options: tuple[str, ...]
    # The sensor that falls asleep there: one per machine, because it takes a minute.
    sleeper: str
    # Whether plumb-mqtt is tested there, and the kernel's own drivers.
    publishes: bool = False
    has_drivers: bool = False

    @property
    def gpio(self) -> int:
        """GPFSEL0; GPLEV0 is 0x34 further.

        - Source: BCM2835 ARM Peripherals, 6.1.
        """
        return self.peripherals + 0x200000

    @property
    def timer(self) -> int:
        """CLO: microseconds since the chip was switched on.

        - Source: BCM2835 ARM Peripherals, 12.1.
        """
        return self.peripherals + 0x3004


MACHINES = {
    "pi3": Machine(
        name="Raspberry Pi 3",
        programs="arm64",
        architecture="arm64",
        emulator="qemu-system-aarch64",
        model="raspi3b",
        device_tree="bcm2837-rpi-3-b.dtb",
        peripherals=0x3F000000,
        shell="ttyS1",
        shell_port=1,
        # One core of the four: the emulator runs cores in turn, and the turn of another one would count as delay.
        kernel_options="maxcpus=1",
        emulator_options=("-global", "bcm2837.enabled-cpus=1"),
        sleeper="adxl345",
        publishes=True,
        has_drivers=True,
    ),
    "zero": Machine(
        name="Raspberry Pi Zero",
        programs="armv6",
        architecture="armel",
        emulator="qemu-system-arm",
        model="raspi0",
        device_tree="bcm2835-rpi-zero.dtb",
        peripherals=0x20000000,
        shell="ttyAMA0",
        shell_port=0,
        # The emulator lacks a power controller of this kind; without the option the kernel waits for it forever.
        kernel_options="initcall_blacklist=bcm2835_power_driver_init",
        emulator_options=(),
        sleeper="mpu6050",
    ),
}
