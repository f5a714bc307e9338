"""Runs programs on the emulated bus."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from collections.abc import Mapping, Sequence

# Nothing here takes longer, even on a loaded machine.
PATIENCE = 60.0

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Sensor:
    """One sensor, and the values that it must show."""

    part: str
    address: int
    force: Vector
    turn: Vector = (0.0, 0.0, 0.0)
    temperature: float = 25.0

    def __str__(self) -> str:
        text = f"{self.part}@{self.address:#04x}={listed(self.force)} noise=no"
        if not self.part.startswith(("adxl", "lis")):
            text += f" turn={listed(self.turn)} temperature={self.temperature}"
        return text


def listed(values: Sequence[float]) -> str:
    return ",".join(str(value) for value in values)


@dataclass
class Bus:
    """One emulated bus, created at first use and shared by all programs that run on it."""

    library: Path
    sensors: Sequence[Sensor]
    _folder: tempfile.TemporaryDirectory[str] = field(default_factory=tempfile.TemporaryDirectory)

    def __enter__(self) -> Bus:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    @property
    def journal(self) -> Path:
        return Path(self._folder.name) / "journal"

    def run(self, *command: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end, whatever its exit code."""
        return subprocess.run(
            command,
            env={
                **os.environ,
                # By name, because paths in LD_PRELOAD end at a blank.
                "LD_PRELOAD": self.library.name,
                "LD_LIBRARY_PATH": str(self.library.parent),
                "PLUMB_BRIDGE": "; ".join(map(str, self.sensors)),
                "PLUMB_BRIDGE_JOURNAL": str(self.journal),
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def ask(self, script: str, *arguments: str) -> Any:
        """Runs a Python script of this folder, which prints one JSON value."""
        path = Path(__file__).with_name(script)
        done = self.run(sys.executable, "-B", str(path), *arguments)
        if done.returncode != 0:
            raise RuntimeError(f"{script} {' '.join(arguments)} failed:\n{done.stderr}")
        return json.loads(done.stdout)
