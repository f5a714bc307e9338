"""The kernel's own drivers as judges: on the same registers as Plumb, and for a sensor that only the kernel sees."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from steps import board, connect, disconnect, outputs, six_poses, write_board
from trial import ALL, DARK, LOG, RECOVERY_LIMIT, START_LIMIT, TROUBLE_LIMIT, Trial, line

BUS = "/sys/bus/i2c/devices/i2c-1"
# The force in the sensor's own axes, in mg: 1 g in all, and different on each axis.
FORCE = (280, -576, 768)
GRAVITY = 9.80665
# How long the kernel may take to make or remove a device, in s of the guest: it does so in the background.
PATIENCE = 20
# The most memory of plumbd, in KiB.
MOST_MEMORY = 1400


@dataclass(frozen=True)
class Peer:
    """A part that the kernel has a driver for: `driver` is what the driver calls it, `part` what the bench does."""

    driver: str
    part: str
    model: str
    address: int
    # The largest difference of one sample, in g: noise, the last digit of the kernel's scale, and two counts.
    tolerance: float
    # The size of its register file: 128 if bit 7 of a register's number is not part of it.
    size: int = 128
    # The driver's folder, for one that binds only to a part of the device tree.
    bind: str = ""
    # Whether Plumb turns its Y axis round, because the part's own frame is left-handed.
    is_mirrored: bool = False


PEERS = (
    Peer("mpu6050", "mpu6050", "mpu6050", 0x68, 0.002, 256),
    Peer("adxl345", "adxl345", "adxl345", 0x1D, 0.012, 256, "/sys/bus/i2c/drivers/adxl345_i2c"),
    Peer("lis3dh", "lis3dh", "lis3dh", 0x18, 0.005),
    Peer("lsm6dso", "lsm6dso", "lsm6ds", 0x6A, 0.002),
    Peer("lsm9ds1-imu", "lsm9ds1", "lsm9ds1", 0x6A, 0.002, is_mirrored=True),
)


def load(trial: Trial) -> None:
    """Loads their modules, each after those that it needs."""
    trial.shell.must(
        "for module in $(cat /drivers/order); do"
        " if [ -f /drivers/$module.ko ]; then insmod /drivers/$module.ko || exit 1; fi; done"
    )


def judged(trial: Trial, peer: Peer) -> None:
    """The kernel's driver and Plumb read the same registers, one after the other."""
    device = f"1-{peer.address:04x}"
    connect(trial, f"part {peer.part} {peer.address}")
    trial.tell("plug")
    trial.tell("brown-out")
    trial.tell("force", *FORCE)
    write_board(trial, board(peer))
    add = f"{device} >{peer.bind}/bind" if peer.bind else f"{peer.driver} {peer.address:#x} >{BUS}/new_device"
    trial.shell.must(f"echo {add}")
    folder = wait(trial, f"/sys/bus/i2c/devices/{device}/iio:device*/in_accel_x_raw").rpartition("/")[0]
    theirs = kernel_reading(trial, folder)
    near(trial, "the kernel's driver reads", FORCE, theirs, peer.tolerance)
    if peer is PEERS[0]:
        refused(trial, peer, device)
    remove = f"{device} >{peer.bind}/unbind" if peer.bind else f"{peer.address:#x} >{BUS}/delete_device"
    trial.shell.must(f"echo {remove}")
    trial.start()
    ours = trial.reading()
    x, y, z = (1000 * value for value in theirs)
    near(trial, "plumbd reads the same", (x, -y if peer.is_mirrored else y, z), ours, peer.tolerance)
    trial.stop()
    disconnect(trial)


def refused(trial: Trial, peer: Peer, device: str) -> None:
    """A kernel driver has the address, which `plumb doctor` and `plumbd --check` both report from the same code."""
    done = trial.shell.run(f"timeout 60 {trial.program} --check")
    trial.equal("plumbd --check: exit code", 69, done.code)
    held = f"{peer.address:#x} is in use by the kernel driver inv-mpu6050-i2c"
    words = (held, "part = iio", f"device = {peer.driver}")
    trial.says("it", done.output, words)
    trial.equal("plumbd: exit code", 69, trial.shell.run(f"timeout 60 {trial.program} >{LOG} 2>&1").code)
    trial.says("it", trial.log(), (f"{peer.address:#x} on /dev/i2c-1 is in use by a kernel driver", device))
    trial.equal("pins", DARK, trial.look()[0])


def kernel_reading(trial: Trial, folder: str) -> tuple[float, ...]:
    """The force in g, from three single readings: samples differ by noise only.

    The LIS3DH, the only part with a scale for each axis, starts at one sample a second.
    """
    told = trial.shell.must(
        f"cd {folder}; if [ -e in_accel_x_scale ]; then echo 100 >sampling_frequency; fi;"
        " cat in_accel_x_raw in_accel_y_raw in_accel_z_raw;"
        " cat in_accel_scale 2>/dev/null || cat in_accel_x_scale; cd /"
    )
    *counts, scale = told.split()
    return tuple(int(count) * float(scale) / GRAVITY for count in counts)


def near(trial: Trial, what: str, milli: tuple[float, ...], found: tuple[float, ...], tolerance: float) -> None:
    furthest = max(abs(value - wanted / 1000) for value, wanted in zip(found, milli, strict=True))
    shown = " ".join(f"{value:.4f}" for value in found)
    trial.report(what, furthest <= tolerance, f"{shown} g, off by {furthest:.4f} g, at most {tolerance}")


def wait(trial: Trial, pattern: str) -> str:
    """The path, once there is one that matches."""
    return trial.shell.must(
        f"timeout {PATIENCE} sh -c 'until ls -d {pattern} 2>/dev/null; do sleep 0.02; done'"
    ).splitlines()[-1]


def walk_drivers(trial: Trial) -> None:
    """All steps with the kernel's drivers."""
    load(trial)
    for peer in PEERS:
        with trial.section(peer.driver):
            judged(trial, peer)
    with trial.section("HID buffer"):
        buffered(trial)
    with trial.section("part = iio, a buffer"):
        from_buffer(trial)
    with trial.section("part = iio, mpu6050"):
        from_driver(trial, PEERS[0], is_buffered=False)
    with trial.section("part = iio, lis3dh"):
        has_timers = trial.shell.run("[ -f /drivers/iio-trig-hrtimer.ko ]").code == 0
        if has_timers:
            trial.shell.must("mount -t configfs none /sys/kernel/config")
        from_driver(trial, PEERS[2], has_timers)
        if has_timers:
            trial.equal("timers left", "", trial.shell.must("ls /sys/kernel/config/iio/triggers/hrtimer"))


# A HID sensor hub, whose samples arrive in a buffer

SCANS = 20
SCAN = struct.Struct("<h2xh2xh2x4xq")


def plug_hub(trial: Trial) -> str:
    """Connects a HID sensor hub; returns the folder of its IIO device."""
    connect(trial, "hid")
    trial.tell("plug")
    return wait(trial, "/sys/bus/iio/devices/iio:device*/buffer/enable").removesuffix("/buffer/enable")


def buffered(trial: Trial) -> None:
    folder = plug_hub(trial)
    trial.tell("force", *FORCE)
    files = "name trigger/current_trigger scan_elements/in_accel_x_type in_accel_scale"
    name, trigger, kind, scale = trial.shell.must(f"cd {folder}; cat {files}; cd /").split()
    trial.equal("the kernel's device", ("accel_3d", "accel_3d-dev0", "le:s16/32>>0"), (name, trigger, kind))
    near(trial, "one sample", FORCE, kernel_reading(trial, folder), 0.002)
    scans = scanned(trial, folder)
    trial.equal("scans from its buffer", SCANS, len(scans))
    for scan in (scans[0], scans[-1]):
        near(trial, "a scan", FORCE, tuple(count * float(scale) / GRAVITY for count in scan[:3]), 0.002)
    took = (scans[-1][3] - scans[0][3]) / 1e9
    trial.report("its time stamps", 0.15 <= took <= 0.25, f"{took:.3f} s, of 0.19 s")
    remove_hub(trial, folder)


def remove_hub(trial: Trial, folder: str) -> None:
    trial.tell("unplug")
    trial.shell.must(f"timeout {PATIENCE} sh -c 'while [ -e {folder} ]; do sleep 0.02; done'")
    disconnect(trial)


def scanned(trial: Trial, folder: str) -> list[tuple[int, ...]]:
    """Scans from the device's buffer: x, y, z and the time in ns."""
    enable = " ".join(f"echo 1 >scan_elements/in_{name}_en;" for name in ("accel_x", "accel_y", "accel_z", "timestamp"))
    told = trial.shell.must(
        f"cd {folder}; {enable} echo 64 >buffer/length; echo 1 >buffer/enable;"
        f" dd if=/dev/{folder.rpartition('/')[2]} bs={SCAN.size} count={SCANS} 2>/dev/null |"
        " hexdump -v -e '1/1 \"%02x\"'; echo 0 >buffer/enable; cd /"
    )
    return list(SCAN.iter_unpack(bytes.fromhex(told)))


# The kernel's device as the sensor of a board

def iio_board(device: str) -> str:
    # The gyroscope, if there is one, does not turn with the force.
    return f"[sensor]\npart = iio\ndevice = {device}\n[filter]\ngravity = low-pass\n" + outputs()


def settings(trial: Trial, folder: str) -> str:
    """What a program may change in the device."""
    files = "buffer/enable buffer/length scan_elements/*_en in_accel_sampling_frequency current_timestamp_clock"
    return trial.shell.must(f"cd {folder}; cat {files} | tr '\\n' ' '; cd /")


def from_buffer(trial: Trial) -> None:
    """The HID sensor hub."""
    write_board(trial, iio_board("accel_3d"))
    trial.equal("exit code without it", 69, trial.shell.run(f"timeout 60 {trial.program} >{LOG} 2>&1").code)
    trial.says("the log", trial.log(), ("no IIO device", "accel_3d"))
    folder = plug_hub(trial)
    before = settings(trial, folder)
    trial.hold("portrait")
    trial.lit("portrait", trial.start(), START_LIMIT, (DARK,))
    six_poses(trial)
    trial.tell("force", *FORCE)
    trial.shell.must("sleep 0.3")
    near(trial, "plumbd reads", FORCE, trial.reading(), 0.002)
    trial.lit("landscapeLeft", trial.hold("landscapeLeft"))
    driver = "/sys/bus/hid/drivers/hid-sensor-hub"
    device = trial.shell.must(f"cd {driver}; ls -d *:*; cd /")
    trial.heard("before", "pose")
    trial.blinks("unbound", changed(trial, f"echo {device} >{driver}/unbind"))
    trial.lit("landscapeLeft", changed(trial, f"echo {device} >{driver}/bind"), RECOVERY_LIMIT, (ALL, DARK))
    trial.heard("unbound and bound", "trouble", "recovery", "pose")
    trial.says("the log", trial.said("recovered"), ("pose unknown: ", "recovered"))
    for what, away, back, limit in (
        ("unplugged", "unplug", "plug", TROUBLE_LIMIT),
        ("data that stand still", "freeze", "thaw", TROUBLE_LIMIT),
        ("no reports", "hush", "speak", 2 * TROUBLE_LIMIT),
    ):
        trial.becomes(what, ALL, limit, trial.tell(away))
        # The next attempt is up to 0.4 s away.
        trial.lit("landscapeLeft", trial.tell(back), RECOVERY_LIMIT + 0.5, (ALL, DARK))
    trial.stays("then", line("landscapeLeft"), 0.5)
    trial.nothing_lost()
    memory(trial)
    trial.stop()
    folder = wait(trial, "/sys/bus/iio/devices/iio:device*/buffer/enable").removesuffix("/buffer/enable")
    trial.equal("the device's settings, as before", before, settings(trial, folder))
    trial.lit("landscapeLeft", trial.start(), START_LIMIT, (DARK,))
    trial.signal("KILL")
    trial.equal("exit code after SIGKILL, which leaves the buffer on", 137, trial.ended())
    trial.lit("landscapeLeft", trial.start(), START_LIMIT, (DARK,))
    trial.stop()
    remove_hub(trial, folder)


def from_driver(trial: Trial, peer: Peer, is_buffered: bool) -> None:
    """A driver of a part on the bus, without an interrupt: each axis is read for itself, or a timer fills a buffer."""
    connect(trial, f"part {peer.part} {peer.address}")
    trial.tell("plug")
    trial.tell("brown-out")
    trial.hold("faceUp")
    add = f"echo {peer.driver} {peer.address:#x} >{BUS}/new_device"
    remove = f"echo {peer.address:#x} >{BUS}/delete_device"
    trial.shell.must(add)
    wait(trial, f"/sys/bus/i2c/devices/1-{peer.address:04x}/iio:device*/in_accel_x_raw")
    write_board(trial, iio_board(peer.driver))
    trial.lit("faceUp", trial.start(), START_LIMIT, (DARK,))
    trial.equal("says that it has no buffer", not is_buffered, "gives no buffer" in trial.log())
    trial.lit("portrait", trial.hold("portrait"), meanwhile=(line("faceUp"),))
    trial.lit("landscapeRight", trial.hold("landscapeRight"), meanwhile=(line("portrait"),))
    trial.becomes("no driver", ALL, TROUBLE_LIMIT, changed(trial, remove))
    trial.lit("landscapeRight", changed(trial, add), RECOVERY_LIMIT, (ALL, DARK))
    trial.stop()
    trial.shell.must(remove)
    disconnect(trial)


def changed(trial: Trial, command: str) -> float:
    """Runs a command in the guest; returns the time when it has ended."""
    trial.shell.must(command)
    return trial.emulator.now()


def memory(trial: Trial) -> None:
    used = trial.shell.must("grep VmHWM /proc/$plumbd/status").split()[1]
    trial.report("memory", int(used) <= MOST_MEMORY, f"{used} KiB at most")
