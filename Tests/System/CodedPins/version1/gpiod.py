"""The parts of gpiod 1 that the reader uses, on simulated wires."""

import wires

LINE_REQ_DIR_IN = 1


class _Lines:
    def __init__(self, count):
        self.count = count
        self.is_requested = False

    def request(self, consumer, type):
        self.is_requested = bool(consumer) and type == LINE_REQ_DIR_IN

    def get_values(self):
        assert self.is_requested
        return [int(value) for value in wires.read(self.count)]


class Chip:
    def __init__(self, path):
        self.path = path

    def get_lines(self, offsets):
        wires.check(self.path, offsets)
        return _Lines(len(offsets))
