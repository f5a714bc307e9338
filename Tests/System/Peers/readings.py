"""What the scripts under the bridge pass to the script that judges: JSON on standard output."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import Any
from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Reading:
    """Three axes as a program reported them, in the unit of `quantity`."""

    what: str
    address: int
    found: Sequence[float]
    # One count of the sensor, in the same unit.
    resolution: float
    # The limits of the sensor's numbers: -limit to limit minus one count.
    limit: float
    # "force" in g, "turn" in degrees a second, or "temperature" in degrees Celsius (one value).
    quantity: str = "force"
    # What the program is known to make of a correct value: multiplied by `scale`, plus `offset`; and why.
    scale: float = 1.0
    offset: float = 0.0
    remark: str = ""


@dataclass(frozen=True)
class Fact:
    """Anything else: the expected and the actual value."""

    what: str
    told: str
    found: str
    # What is wrong with the program, if the expected value is only what it is known to give.
    remark: str = ""


def fact(what: str, told: object, found: object, remark: str = "") -> Fact:
    return Fact(what, str(told), str(found), remark)


def outcome(action: Callable[[], object]) -> str:
    """What an action returns, or the error that it raises: `OSError 121`."""
    try:
        return str(action())
    except OSError as error:
        return f"OSError {error.errno}"
    except (ValueError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def report(scripts: Mapping[str, Callable[[], Sequence[Reading | Fact]]]) -> None:
    """Runs the function that the command line names and prints what it returns."""
    found = scripts[sys.argv[1]]()
    print(json.dumps([{"kind": type(item).__name__, **asdict(item)} for item in found]))


def received(items: Sequence[Mapping[str, Any]]) -> list[Reading | Fact]:
    """The other end of `report`."""
    kinds: Mapping[str, Callable[..., Reading | Fact]] = {"Reading": Reading, "Fact": Fact}
    return [kinds[item["kind"]](**{key: value for key, value in item.items() if key != "kind"}) for item in items]
