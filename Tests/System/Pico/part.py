"""Plumb's emulated sensors (Part/PicoPart.swift) as targets of an emulated Pico's bus, in the Pico's time."""

import ctypes
import functools
import os

ADDRESSES = {"adxl345": 0x53, "lis3dh": 0x18, "lsm6ds": 0x6A, "lsm6ds33": 0x6A, "lsm6ds3trc": 0x6A, "ism330dhcx": 0x6A,
             "lsm9ds1": 0x6B, "icm20948": 0x69}  # All others: 0x68.


@functools.cache
def library():
    found = ctypes.CDLL(os.environ["PLUMB_PICO_PART"])
    part, now = ctypes.c_int32, ctypes.c_int64
    for name, answer, *more in [
        ("part_hold", None, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32, now),
        ("part_identity", None, ctypes.c_int32), ("part_power_cycle", None),
        ("part_write", None, ctypes.c_char_p, ctypes.c_int32), ("part_read", ctypes.c_uint8), ("part_end_read", None),
        ("part_pin", ctypes.c_bool), ("part_samples", ctypes.c_uint64),
    ]:
        function = getattr(found, f"pico_{name}")
        function.argtypes, function.restype = [part, now, *more], answer
    found.pico_part.argtypes = [ctypes.c_char_p, now, ctypes.c_uint64, ctypes.c_bool]
    found.pico_part.restype = part
    return found


class Part:
    """A part that has just been powered on, on a board held face up; each call says what time it is, in µs."""

    def __init__(self, name, now=0, seed=1, is_noisy=True):
        self.name, self.address = name, ADDRESSES.get(name, 0x68)
        self.library = library()
        self.number = self.library.pico_part(name.encode(), now, seed, is_noisy)
        if self.number < 0:
            raise ValueError(f"{name} cannot be emulated")

    def hold(self, now, force, seconds):
        """Turns the board, in so many seconds, so that this force then acts on it, in g."""
        self.library.pico_part_hold(self.number, now, *(round(axis * 65536) for axis in force), round(seconds * 1e6))

    def identity(self, now, identity):
        self.library.pico_part_identity(self.number, now, -1 if identity is None else identity)

    def power_cycle(self, now):
        self.library.pico_part_power_cycle(self.number, now)

    def write(self, now, data):
        self.library.pico_part_write(self.number, now, bytes(data), len(data))

    def read(self, now):
        return self.library.pico_part_read(self.number, now)

    def end_read(self, now):
        self.library.pico_part_end_read(self.number, now)

    def is_pin_high(self, now):
        return self.library.pico_part_pin(self.number, now)

    def samples(self, now):
        return self.library.pico_part_samples(self.number, now)
