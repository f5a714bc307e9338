"""Expected values, reported values, and the verdict on each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from collections.abc import Sequence


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    program: str
    what: str
    told: str
    found: str
    passed: bool
    # The deviation in counts of the sensor; None if that does not apply.
    counts: float | None = None
    # What is wrong with the program, if known.
    remark: str = ""

    def __str__(self) -> str:
        counts = "" if self.counts is None else f"{self.counts:.2f}"
        verdict = (self.remark or "as expected") if self.passed else "WRONG"
        return f"{self.program:<20} {self.what:<42} {self.told:<27} {self.found:<27} {counts:>6}  {verdict}"


HEAD = f"{'program':<20} {'what':<42} {'told':<27} {'found':<27} {'counts':>6}  verdict"


class Report:
    """The table. All of it goes to a file; repetitions with other forces print only a summary."""

    def __init__(self, path: Path) -> None:
        self.rows: list[Row] = []
        self.is_brief = False
        self._file = path.open("w", encoding="utf-8")
        self._print(HEAD)

    def add(self, row: Row) -> None:
        self.rows.append(row)
        if self.is_brief and row.passed:
            print(row, file=self._file)
        else:
            self._print(str(row))

    def _print(self, line: str) -> None:
        print(line, flush=True)
        print(line, file=self._file)

    def vector(
        self,
        program: str,
        what: str,
        told: Sequence[float],
        found: Sequence[float],
        resolution: float,
        scale: float = 1.0,
        offset: float = 0.0,
        remark: str = "",
    ) -> None:
        """Compares readings with the sensor's values, as the program is known to convert them.

        They may be off by one count of the sensor, as that program shows it.
        """
        # Rounding in the last place of a double is not an error.
        errors = [abs(f - t * scale - offset) / (resolution * scale) for f, t in zip(found, told)]
        counts = max(errors) if len(found) == len(told) else float("inf")
        self.add(Row(program, what, numbers(told), numbers(found), counts < 1 + 1e-9, counts, remark))

    def value(self, program: str, what: str, told: object, found: object, remark: str = "") -> None:
        """Compares anything else, which must be equal."""
        self.add(Row(program, what, str(told), str(found), told == found, None, remark))

    def summarise(self, program: str, what: str, rows: Sequence[Row]) -> None:
        """Prints a line for rows that were not printed."""
        failed = sum(not row.passed for row in rows)
        worst = max((row.counts for row in rows if row.counts is not None), default=0.0)
        verdict = f"{failed} WRONG" if failed else "as expected"
        print(f"{program:<20} {what:<42} {'':<27} {f'{len(rows)} readings':<27} {worst:>6.2f}  {verdict}", flush=True)

    def finish(self) -> int:
        """Prints the closing lines and returns the exit code."""
        self._file.close()
        failures = [row for row in self.rows if not row.passed]
        for row in failures:
            print(f"peers: {row.program}, {row.what}: told {row.told}, found {row.found}")
        print(f"{len(self.rows) - len(failures)} passed, {len(failures)} failed")
        return 1 if failures or not self.rows else 0


def numbers(values: Sequence[float]) -> str:
    """Values with four decimals."""
    return " ".join(f"{value:+.4f}" for value in values)
