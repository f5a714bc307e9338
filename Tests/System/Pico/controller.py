"""The RP2040's I2C controller with a bus that takes time, targets on it, and faults.

rp2040py has the registers, the queue of commands and the abort sources; its bus takes no time. Here each bit takes as
long as the controller's registers say, so that a program that queues commands, waits, or gives up does so in the middle
of a transaction, as on hardware. Beyond rp2040py: commands written while an abort is pending are discarded (the data
sheet's TX_FLUSH), and disabling or resetting the controller ends a transaction that hangs.

Most instructions of a program that waits for a bus are polls that find nothing new. The emulator needs as long for them
as for any others, so a second such poll lets time pass at once, until the next alarm but at most for STEP.
"""

from collections import deque
from dataclasses import dataclass

from rp2040py.peripherals.i2c import (
    ENABLE, IC_DATA_CMD, IC_ENABLE, IC_RAW_INTR_STAT, R_TX_ABRT, RPI2C, I2CMode, I2CState)

FAULTS = ("nack", "nack data", "arbitration", "stuck SDA", "stretched")
# ns: less than a byte takes at 400 kHz.
STEP = 20_000


@dataclass
class Fault:
    """What goes wrong in transactions `first` to `last`, by their numbers from 0.

    nack: no acknowledge of the address; nack data: none of the byte `byte` after it; arbitration: another controller
    wins; stuck SDA: once, a target holds SDA low until SCL was clocked `clocks` times; stretched: a target holds SCL
    low until the controller is disabled.
    """

    kind: str
    first: int = 0
    last: int = 1 << 62
    byte: int = 0
    clocks: int = 9
    count: int = 0


class Controller(RPI2C):
    """An I2C controller; `clock` is the simulation's, `pins` are its SDA and SCL as emulated GPIOs."""

    def __init__(self, chip, name, irq):
        super().__init__(chip, name, irq)
        self.clock = chip.clock
        self.alarm = self.clock.create_alarm(self._elapsed)
        self.targets, self.faults, self.pins = {}, [], None
        self.is_timed = self.skips_polls = True
        self._is_polled = False
        self.number = -1
        self.on_transaction = lambda: None
        self.log = deque(maxlen=4096)
        self._then = None
        self._is_stuck = False
        self._clocks_to_go = 0
        self._begin_idle()
        self.on_start, self.on_connect, self.on_stop = self._start, self._connect, self._stopping
        self.on_write_byte, self.on_read_byte = self._write, self._read

    def attach(self, sda, scl):
        """Says which GPIOs are on the bus, with pull-ups outside."""
        self.pins = (sda, scl)
        for pin in self.pins:
            pin.set_input_value(True)
        scl.add_listener(self._clocked)

    @property
    def now(self):
        return int(self.clock.nanos / 1000)

    @property
    def bit(self):
        """The length of a bit in ns; the controller adds 7 + 1 periods of its 125 MHz clock to what the registers say."""
        return (self.scl_high_period + self.scl_low_period + 8) * 8

    def _begin_idle(self):
        self._target, self._mode, self._bytes, self._is_open = None, None, bytearray(), False

    def _after(self, bits, then):
        self._then = then
        if self.is_timed:
            self.alarm.schedule(bits * self.bit)
        else:
            self._elapsed()

    def _elapsed(self):
        self._is_polled = False
        then, self._then = self._then, None
        if then:
            then()

    def _fault(self):
        for fault in self.faults:
            if fault.first <= self.number <= fault.last:
                return fault
        return None

    def _note(self, outcome):
        if self._is_open:
            self.log.append((self.now, self.number, self.target_address, None if self._mode is None else self._mode.name.lower(),
                             bytes(self._bytes), outcome))

    def _finish(self, outcome="ok"):
        """The end of what a target received or sent."""
        if self._target is not None and self._mode == I2CMode.WRITE:
            self._target.write(self.now, self._bytes)
        elif self._target is not None and self._mode == I2CMode.READ:
            self._target.end_read(self.now)
        self._note(outcome)
        self._begin_idle()

    def _start(self, is_repeated):
        if is_repeated:
            self._finish()
        else:
            self.number += 1
            self.on_transaction()
        fault = self._fault()
        if fault and fault.kind == "stuck SDA" and not fault.count:
            fault.count += 1
            self._is_stuck, self._clocks_to_go = True, fault.clocks
            self.pins[0].set_input_value(False)
        if self._is_stuck:
            # The bus is never idle, so there is no START.
            return
        self._is_open = True
        self._after(1, self.complete_start)

    def _clocked(self, state, before):
        """SCL as a GPIO: a rising edge lets a stuck target send its next bit."""
        if self._is_stuck and int(before) == 0 and int(state) != 0:
            self._clocks_to_go -= 1
            if self._clocks_to_go <= 0:
                self.release()

    def release(self):
        """Lets a stuck target go of SDA."""
        self._clocks_to_go = 0
        if self._is_stuck:
            self._is_stuck = False
            self.pins[0].set_input_value(True)

    def _connect(self, address, mode):
        self._mode = mode
        fault = self._fault()
        kind = fault.kind if fault else None
        if kind in ("nack", "arbitration", "stretched"):
            fault.count += 1
        if kind == "arbitration":
            self._after(9, self._lose)
        elif kind == "stretched":
            self._note("stretched")
        elif kind == "nack" or address not in self.targets:
            self._note("nack")
            self._is_open = False
            self._after(9, lambda: self.complete_connect(False))
        else:
            self._target = self.targets[address]
            self._after(9, lambda: self.complete_connect(True))

    def _lose(self):
        self._finish("arbitration lost")
        self.arbitration_lost()

    def _write(self, value):
        fault = self._fault()
        if fault and fault.kind == "nack data" and fault.byte == len(self._bytes):
            fault.count += 1
            self._after(9, lambda: self.complete_write(False))
            return
        self._bytes.append(value)
        self._after(9, lambda: self.complete_write(True))

    def _read(self, _acknowledges):
        self._after(9, self._send)

    def _send(self):
        value = self._target.read(self.now) if self._target is not None else 0xFF
        self._bytes.append(value)
        self.complete_read(value)

    def _stopping(self):
        self._finish()
        self._after(1, self.complete_stop)

    def _drop(self):
        """What a controller does that is disabled in the middle: it releases the bus."""
        self.alarm.cancel()
        self._then = None
        if self._is_open:
            self._finish("dropped")
        self._state, self._busy, self._stop, self._pending_restart = I2CState.IDLE, False, False, False

    def read_uint32(self, offset):
        if offset == IC_RAW_INTR_STAT and self._state != I2CState.IDLE:
            if self._is_polled and self.skips_polls:
                self.clock.tick(min(STEP, self.clock.nanos_to_next_alarm or STEP))
            self._is_polled = True
        elif offset == IC_DATA_CMD:
            self._is_polled = False
        return super().read_uint32(offset)

    def write_uint32(self, offset, value):
        self._is_polled = False
        if offset == IC_DATA_CMD and self.int_raw & R_TX_ABRT:
            return
        if offset == IC_ENABLE and not value & ENABLE and self._state != I2CState.IDLE:
            self._drop()
        super().write_uint32(offset, value)

    def reset(self):
        if hasattr(self, "alarm"):
            self._drop()
        super().reset()
