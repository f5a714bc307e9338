"""The parts of gpiod 2 that the reader uses, on simulated wires."""

import enum
import types

import wires


class _Value(enum.Enum):
    INACTIVE = 0
    ACTIVE = 1


class _Direction(enum.Enum):
    AS_IS = 1
    INPUT = 2


line = types.SimpleNamespace(Value=_Value, Direction=_Direction)


class LineSettings:
    def __init__(self, direction):
        self.direction = direction


class _Request:
    def __init__(self, offsets):
        self.offsets = list(offsets)

    def get_values(self, lines):
        assert list(lines) == self.offsets
        return [_Value.ACTIVE if value else _Value.INACTIVE for value in wires.read(len(self.offsets))]


def request_lines(path, config, consumer):
    ((offsets, settings),) = config.items()
    assert consumer and settings.direction == _Direction.INPUT
    wires.check(path, offsets)
    return _Request(offsets)
