"""A Raspberry Pi Pico in virtual time: the shipped UF2 on rp2040py, with one of Plumb's emulated sensors on its bus.

Nothing here depends on how fast the machine is: a program sleeps by WFI or WFE, and the emulator then goes to the next
alarm at once; tests act at times of the Pico, or when the Pico has done something. Beyond rp2040py there are a bus, a
UART and a USB host that take time (controller.py, usb_host.py), a ring oscillator that is random, resets of single
blocks, RAM that is not zero at first, and a poll of the sensor's interrupt pin every 100 µs.

Limits, by rp2040py 0.3.6: one core; an instruction's time is that of the data sheet at 125 MHz, whatever the clocks are
set to; flash takes no time, so the cache and its misses are not seen; no brown-out; pins have no capacitance.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

from controller import Controller
from part import Part
from usb_host import UsbHost

from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.device.load_flash import decode_block, load_uf2
from rp2040py.execute_batch import execute_batch
from rp2040py.irq import IRQ
from rp2040py.memory_map import FLASH_START_ADDRESS, RAM_START_ADDRESS
from rp2040py.peripherals.peripheral import BasePeripheral
from rp2040py.peripherals.uart import RPUART, UARTDR, UARTTXINTR
from rp2040py.rp2040 import RP2040
from rp2040py.simulator import Simulator

PROJECT = Path(__file__).resolve().parents[3]
# What RAM contains before a program writes to it, and with what the program then fills its stack.
PAINT, STACK_PAINT = 0xA5C3_5A3C, 0x57AC_57AC
# In an order in which each is a quarter of a turn from the next: the way to the opposite pose leads through a third one.
POSES = {"portrait": (0, 1, 0), "landscapeLeft": (1, 0, 0), "faceUp": (0, 0, 1), "landscapeRight": (-1, 0, 0),
         "portraitUpsideDown": (0, -1, 0), "faceDown": (0, 0, -1)}
I2C_BASES = (0x40044, 0x40048)
ROSC_BASE, ROSC_RANDOMBIT = 0x40060, 0x1C
UART_BASE = 0x40034
# Instructions between two looks at the clock. With more than one, alarms that a program sets nearer come late.
BATCH = 1


class Log:
    """What the emulator complains about, for a test that fails."""

    def __init__(self):
        self.lines = deque(maxlen=200)

    def debug(self, name, text):
        pass

    info = debug

    def warning(self, name, text):
        self.lines.append(f"{name}: {text}")

    error = warning


class RingOscillator(BasePeripheral):
    """The ring oscillator: its random bits are random, its other registers keep what is written."""

    def __init__(self, chip, name, seed):
        super().__init__(chip, name)
        self.random, self.registers = random.Random(seed), {}

    def read_uint32(self, offset):
        if offset == ROSC_RANDOMBIT:
            return self.random.getrandbits(1)
        return self.registers.get(offset, 0x8000_1000 if offset == 0x18 else 0)

    def write_uint32(self, offset, value):
        self.registers[offset] = value


class Uart(RPUART):
    """A UART whose 32 bytes of FIFO leave at the speed that is set; those that find it full are lost.

    It asks for more when half of the FIFO has left, unlike rp2040py's, which asks all the time.
    """

    BUSY, FULL, EMPTY = 1 << 3, 1 << 5, 1 << 7

    def __init__(self, chip, name, irq, dreq):
        super().__init__(chip, name, irq, dreq)
        self.waiting, self.lost, self.is_timed = deque(), 0, True
        self.alarm = chip.clock.create_alarm(self._sent)

    @property
    def flags(self):
        own = super().flags & ~self.EMPTY
        return own | (self.BUSY if self.waiting else self.EMPTY) | (self.FULL if len(self.waiting) >= 32 else 0)

    def write_uint32(self, offset, value):
        if offset != UARTDR or not self.is_timed:
            super().write_uint32(offset, value)
        elif len(self.waiting) >= 32:
            self.lost += 1
        else:
            self.waiting.append(value & 0xFF)
            if len(self.waiting) == 1:
                self._schedule()

    def _schedule(self):
        self.alarm.schedule(10 * 10**9 // max(1, self.baud_rate))

    def _sent(self):
        value = self.waiting.popleft()
        if self.waiting:
            self._schedule()
        if len(self.waiting) == 16 or not self.waiting:
            self._interrupt_status |= UARTTXINTR
        self.check_interrupts()
        if self.on_byte:
            self.on_byte(value)

    def check_interrupts(self):
        self.rp2040.set_interrupt(self.irq, bool(self._interrupt_status & self._interrupt_mask))

    def reset(self):
        super().reset()
        if hasattr(self, "waiting"):
            self.alarm.cancel()
            self.waiting.clear()


def identify_flash(chip, identity):
    """Gives the flash chip a unique number, the answer to the command 4Bh; rp2040py's has none."""
    own = chip.ssi._shift_byte

    def shift(byte):
        answer, count = own(byte), len(chip.ssi._tx_buffer)
        is_identity = chip.ssi._tx_buffer[0] == 0x4B and 5 < count <= 5 + len(identity)
        return identity[count - 6] if is_identity else answer

    chip.ssi._shift_byte = shift


class Lines:
    """Bytes from the Pico as lines, with the time at which each ended."""

    def __init__(self, pico):
        self.pico, self.rest, self.raw = pico, bytearray(), None
        self.lines = []

    def feed(self, data):
        if self.raw is not None:
            self.raw += data
        self.rest += data
        while (end := self.rest.find(b"\n")) >= 0:
            self.lines.append((self.pico.seconds, bytes(self.rest[:end])))
            del self.rest[:end + 1]
            self.pico.happened()

    def objects(self, since=0):
        """The lines from number `since` on that are JSON objects."""
        found = []
        for when, line in self.lines[since:]:
            try:
                found.append((when, json.loads(line)))
            except ValueError:
                continue
        return found

    def all(self, key, since=0):
        return [value[key] for _, value in self.objects(since) if key in value]


class Pico:
    """A Pico that has just got power."""

    def __init__(self, uf2, part=None, seed=1, bus=0, sda=4, scl=5, interrupt=None, has_usb=True, is_timed=True,
                 is_noisy=True, is_powered=True):
        self.simulator = Simulator()
        self.chip, self.clock = self.simulator.rp2040, self.simulator.clock
        self.chip.load_bootrom(BOOTROM_B1)
        self.log = self.chip.logger = Log()
        load_uf2(uf2, self.chip)
        self.chip.sram[:] = PAINT.to_bytes(4, "little") * (len(self.chip.sram) // 4)
        self.chip.peripherals[ROSC_BASE] = RingOscillator(self.chip, "ROSC", seed)
        for number, base in enumerate(I2C_BASES):
            controller = Controller(self.chip, f"I2C{number}", (IRQ.I2C0, IRQ.I2C1)[number])
            self.chip.i2c[number] = self.chip.peripherals[base] = controller
        self.bus = self.chip.i2c[bus]
        self.bus.attach(self.chip.gpio[sda], self.chip.gpio[scl])
        self.bus.is_timed = is_timed
        self.bus.on_transaction = self.happened
        own = self.chip.uart[0]
        self.uart = self.chip.uart[0] = self.chip.peripherals[UART_BASE] = Uart(self.chip, "UART0", IRQ.UART0, own.dreq)
        self.uart.is_timed = is_timed
        self.serial = Lines(self)
        self.uart.on_byte = lambda byte: self.serial.feed(bytes([byte]))
        self.usb_lines = Lines(self)
        self.usb = UsbHost(self.chip.usb_ctrl, self.usb_lines.feed) if has_usb else None
        self._reset_blocks()
        self.resets = []
        self.chip.watchdog.on_watchdog_trigger = self._bite
        self.pins = []
        self._stop = self.clock.create_alarm(self._halt)
        self._until = None
        self.to_uart = deque()
        self._typing = self.clock.create_alarm(self._type)
        self.part = None
        if part:
            self.part = part if isinstance(part, Part) else Part(part, self.bus.now, seed, is_noisy)
            self.bus.targets[self.part.address] = self.part
        if interrupt is not None and self.part:
            self._poll = self.clock.create_alarm(lambda: self._look(interrupt))
            self._look(interrupt)
        # rp2040py asks each PIO block after each instruction, which takes a third of the time; the firmware uses none.
        self._pio_blocks, self.chip.pio = self.chip.pio, []
        self.chip.core.pc = FLASH_START_ADDRESS

    # Time. Alarms are set for whole nanoseconds: with a fraction, the emulator may never reach them.

    @property
    def seconds(self):
        return self.clock.nanos / 1e9

    def happened(self):
        if self._until and self._until():
            self.simulator.stopped = True

    def _halt(self):
        self.simulator.stopped = True

    def run(self, seconds, until=None):
        """Lets that much time pass, or less if `until` is true after a line, a pin or a reset; returns whether it is."""
        if until and until():
            return True
        self._until = until
        self._stop.schedule(round(seconds * 1e9))
        self.simulator.stopped = False
        while not self.simulator.stopped:
            execute_batch(self.simulator, BATCH)
        self._stop.cancel()
        self._until = None
        if not all(block.stopped for block in self._pio_blocks):
            raise RuntimeError("the firmware uses PIO, which stands still here")
        return bool(until and until())

    def skip(self, seconds):
        """Lets time pass for all but the processor, for a program that hangs in a loop: a second of it would take one of
        ours or more."""
        self.clock.tick(round(seconds * 1e9))

    # Pins.

    def watch(self, *pins):
        """Records what these outputs do, as (seconds, pin, is high)."""
        for number in pins:
            self.chip.gpio[number].add_listener(
                lambda state, _, number=number: self._changed(number, int(state) == 1))

    def _changed(self, number, is_high):
        self.pins.append((self.seconds, number, is_high))
        self.happened()

    def high(self, *pins):
        return [number for number in pins if int(self.chip.gpio[number].value) == 1]

    def _look(self, pin):
        is_high = self.part.is_pin_high(self.bus.now)
        if is_high != self.chip.gpio[pin].input_value:
            self.chip.gpio[pin].set_input_value(is_high)
        self._poll.schedule(100_000)

    # The sensor.

    def hold(self, pose, seconds=0.3):
        """Turns the board into a pose, by its name or as the force in g."""
        self.part.hold(self.bus.now, POSES[pose] if isinstance(pose, str) else pose, seconds)

    # The UART.

    def type(self, data):
        """Sends bytes to the UART at 115,200 Bd."""
        is_typing = bool(self.to_uart)
        self.to_uart.extend(data)
        if not is_typing:
            self._typing.schedule(86_806)

    def _type(self):
        if self.to_uart:
            self.uart.feed_byte(self.to_uart.popleft())
            self._typing.schedule(86_806)

    # Resets.

    def _reset_blocks(self):
        """rp2040py keeps what RESETS is told, but resets nothing."""
        own, own_read, resets = self.chip.resets.write_uint32, self.chip.resets.read_uint32, self.chip.resets
        # The bits of blocks that never come out of reset again.
        self.dead_blocks = 0

        def write(offset, value):
            before = resets.read_uint32(0)
            own(offset, value)
            if offset == 0:
                for bit, block in ((3, self.chip.i2c[0]), (4, self.chip.i2c[1])):
                    if value & ~before & 1 << bit:
                        block.reset()

        resets.write_uint32 = write
        resets.read_uint32 = lambda offset: own_read(offset) & (~self.dead_blocks if offset == 8 else -1)

    def _bite(self):
        self.resets.append(self.seconds)
        self._reset(from_watchdog=True)
        self.happened()

    def power_cycle(self):
        """Pulls the power of the Pico, not of the sensor."""
        self._reset(from_watchdog=False)

    def _reset(self, from_watchdog):
        self.chip.pio = self._pio_blocks
        self.chip.enter_reset(from_watchdog=from_watchdog)
        if not from_watchdog:
            self.chip.watchdog.reset()
        self.chip.leave_reset()
        self.chip.pio = []

    @property
    def shown(self):
        """What the watched pins have shown, as (seconds, pins that were high): the levels that held for some time."""
        now, steps = set(), []
        for when, number, is_high in self.pins:
            (now.add if is_high else now.discard)(number)
            if steps and steps[-1][0] == when:
                steps.pop()
            if not steps or steps[-1][1] != now:
                steps.append((when, frozenset(now)))
        return steps

    # Memory.

    def words(self, low, high):
        """The words of RAM between two addresses."""
        return memoryview(self.chip.sram)[low - RAM_START_ADDRESS:high - RAM_START_ADDRESS].cast("I")

    def stack(self, symbols):
        """How much of the stack has been used at most, and how large it is."""
        low, high = symbols["cpico_stack_bottom"], symbols["cpico_stack"]
        words = self.words(low, high)
        untouched = next((index for index, word in enumerate(words) if word != STACK_PAINT), len(words))
        return high - low - 4 * untouched, high - low


def boot_checksum(uf2):
    """The checksum of the second boot stage as it is, and as the boot ROM calculates it."""
    flash = bytearray(256)
    with open(uf2, "rb") as file:
        while block := file.read(512):
            found = decode_block(block)
            offset = found.flash_address - FLASH_START_ADDRESS
            if offset < 256:
                flash[offset:offset + len(found.payload)] = found.payload
    crc = 0xFFFF_FFFF
    for byte in flash[:252]:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C1_1DB7 if crc & 0x8000_0000 else 0)) & 0xFFFF_FFFF
    return int.from_bytes(flash[252:256], "little"), crc
