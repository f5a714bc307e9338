"""Samples as a list, as an array of NumPy, or as a frame of pandas."""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any, Generic, Iterator, List, Sequence, TypeVar, Union, overload

from .errors import MissingPackageError
from .events import RawSample, Sample

if TYPE_CHECKING:
    from typing import Iterable

S = TypeVar("S", Sample, RawSample)
VECTORS = ("scroll", "gravity", "up", "rate_dps", "bias_dps", "rotation_dps")


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingPackageError(f"{name} is not installed: pip install {name}") from None


class Samples(Sequence[S], Generic[S]):
    """Samples in the order in which they came. `missed` counts those that were lost on the way."""

    def __init__(self, samples: Iterable[S], missed: int = 0) -> None:
        self._samples: List[S] = list(samples)
        self.missed = missed

    @overload
    def __getitem__(self, index: int) -> S: ...

    @overload
    def __getitem__(self, index: slice) -> Samples[S]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[S, Samples[S]]:
        if isinstance(index, slice):
            return Samples(self._samples[index], self.missed)
        return self._samples[index]

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[S]:
        return iter(self._samples)

    def __repr__(self) -> str:
        span = f" from {self[0].t or 0:.2f} to {self[-1].t or 0:.2f} s" if self._samples else ""
        return f"<{len(self)} samples{span}, {self.missed} missed>"

    def to_numpy(self, *columns: str) -> Any:
        """A two-dimensional array of floats, one row a sample; NaN for what is not defined. The columns are `t`, `x`,
        `y` and `z`, or those named."""
        numpy = _package("numpy")
        names = columns or ("t", "x", "y", "z")
        rows = [[_number(getattr(one, name)) for name in names] for one in self._samples]
        return numpy.array(rows, dtype=float).reshape(len(rows), len(names))

    def to_pandas(self) -> Any:
        """A frame with a row for each sample, by `t`. What has several numbers is in columns such as `gravity_x`, if
        the samples have it."""
        pandas = _package("pandas")
        kind = type(self._samples[0]) if self._samples else Sample
        names = [field.name for field in dataclasses.fields(kind) if field.name != "t"]
        data: dict[str, List[Any]] = {}
        for name in names:
            values = [getattr(one, name) for one in self._samples]
            parts = next((one for one in values if isinstance(one, tuple)), None)
            if parts is not None:
                for place, part in enumerate("xyz"[:len(parts)]):
                    data[f"{name}_{part}"] = [_number(one[place]) if one else float("nan") for one in values]
            elif name not in VECTORS:
                data[name] = [_number(one) if _is_number(values) else one for one in values]
        return pandas.DataFrame(data, index=pandas.Index([one.t for one in self._samples], name="t"))


def _is_number(values: List[Any]) -> bool:
    return all(one is None or isinstance(one, (int, float)) and not isinstance(one, bool) for one in values)


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
