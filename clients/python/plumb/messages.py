"""What all objects of a stream have in common: how they are read from JSON, shown, and made JSON again."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, ClassVar, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar

from .errors import printable
from .lines import LineError


class Named(Mapping[str, int]):
    """Numbers by names, which cannot be changed."""

    def __init__(self, pairs: Iterable[Tuple[str, int]] = ()) -> None:
        self._numbers = dict(pairs)

    def __getitem__(self, name: str) -> int:
        return self._numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __hash__(self) -> int:
        return hash(frozenset(self._numbers.items()))

    def __repr__(self) -> str:
        return repr(self._numbers)


# Readers: each takes a value of JSON, and raises TypeError with what it should be. events.py has others.


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise TypeError("a number of this size")
    return found


def _time(value: Any) -> float:
    found = _number(value)
    # Some 30,000 years.
    if abs(found) > 1e12:
        raise TypeError("a time of this size")
    return found


def _field(read: Callable[[Any], Any], key: str = "", needed: bool = False) -> Any:
    return dataclasses.field(default=None, metadata={"read": read, "key": key, "needed": needed})


def _needed(read: Callable[[Any], Any], key: str = "") -> Any:
    return _field(read, key, needed=True)


@dataclasses.dataclass(frozen=True, repr=False)
class Message:
    """Any object of a stream. `event` is the name of its kind; `t` is in seconds since the owner began, or None for an
    object without a time."""

    event: ClassVar[str] = ""

    t: Optional[float] = _field(_time)

    @classmethod
    def _read(cls: Type[_M], found: Mapping[str, Any]) -> _M:
        """The object, from its JSON. Raises LineError if a field is missing or of a wrong type."""
        values = {}
        for name, key, read, needed in _fields_of(cls):
            value = found.get(key)
            if value is not None:
                try:
                    values[name] = read(value)
                except TypeError as error:
                    raise LineError(f"the {key} of its {cls.event or cls.__name__.lower()} is not {error}: "
                                    f"{printable(repr(value))[:60]}") from None
            elif needed:
                raise LineError(f"its {cls.event} has no {key}")
        return cls(**values)

    def as_dict(self) -> Dict[str, Any]:
        """The fields that are there, by their names in JSON, for `json.dumps`."""
        found: Dict[str, Any] = {"t": self.t, "event": self.event} if self.t is not None else {"event": self.event}
        for name, key, _, _ in _fields_of(type(self)):
            value = getattr(self, name)
            if value is not None and name != "t":
                found[key] = _plain(value)
        return found

    def __repr__(self) -> str:
        there = [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)]
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in there if value is not None)})"

    def __str__(self) -> str:
        words = self._words()
        time = "        " if self.t is None else f"{self.t:8.2f}"
        return f"{time}  {self.event}" + (f": {words}" if words else "")

    def _words(self) -> str:
        return ""


_M = TypeVar("_M", bound=Message)
_cache: Dict[type, List[Tuple[str, str, Callable[[Any], Any], bool]]] = {}


def _fields_of(cls: Any) -> List[Tuple[str, str, Callable[[Any], Any], bool]]:
    found = _cache.get(cls)
    if found is None:
        found = [(one.name, one.metadata["key"] or one.name, one.metadata["read"], one.metadata["needed"])
                 for one in dataclasses.fields(cls) if "read" in one.metadata]
        _cache[cls] = found
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        found = value.as_dict()
        del found["event"]
        return found
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Named):
        return dict(value)
    return value


@dataclasses.dataclass(frozen=True, repr=False)
class Event(Message):
    """Something that has happened to the board or its sensor."""
