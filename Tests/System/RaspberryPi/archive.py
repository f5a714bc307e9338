"""Writes the archive that the kernel unpacks as its first file system: the `newc` format of cpio.

It is uncompressed: an emulated Pi takes longer to decompress it than QEMU to load it.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

FOLDERS = (
    *("bin", "dev", "drivers", "etc", "etc/plumb", "etc/ssh", "judges", "lib", "modules"),
    *("proc", "run", "sbin", "sys", "tmp", "usr", "usr/lib", "usr/lib/udev", "usr/lib/udev/rules.d"),
    *("usr/share", "usr/share/libinput"),
)
CONSOLE = (5, 1)


def entry(number: int, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    path = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields) + path
    return padded(header) + padded(data)


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def write(path: Path, files: Mapping[str, Path | bytes]) -> None:
    """Packs `files`, keyed by their name in the archive, with the folders that they and the kernel need."""
    entries = [(folder, stat.S_IFDIR | 0o755, b"", (0, 0)) for folder in FOLDERS]
    entries.append(("dev/console", stat.S_IFCHR | 0o600, b"", CONSOLE))
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.read_bytes()
        entries.append((name, stat.S_IFREG | 0o755, data, (0, 0)))
    entries.append(("TRAILER!!!", 0, b"", (0, 0)))
    path.write_bytes(b"".join(entry(number, *fields) for number, fields in enumerate(entries, 1)))
