"""Writes a whole root as the archive that the kernel unpacks as its first file system: the `newc` format of cpio."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def names(root: Path) -> Iterator[str]:
    """Everything below `root`, folders before their contents; does not follow links."""
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(folders + files):
            yield os.path.relpath(os.path.join(folder, name), root)


def write(root: Path, path: Path) -> None:
    """Packs `root`. A hard link becomes a separate file."""
    with path.open("wb") as archive:
        for number, name in enumerate(names(root), 1):
            add(archive, number, name, root / name)
        put(archive, "TRAILER!!!", (0,) * 11, b"")


def add(archive: BinaryIO, number: int, name: str, file: Path) -> None:
    status = file.lstat()
    data, device = b"", (0, 0)
    if stat.S_ISLNK(status.st_mode):
        data = os.readlink(file).encode()
    elif stat.S_ISREG(status.st_mode):
        data = file.read_bytes()
    elif stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
        device = (os.major(status.st_rdev), os.minor(status.st_rdev))
    fields = (number, status.st_mode, status.st_uid, status.st_gid, 1, int(status.st_mtime), len(data), 0, 0, *device)
    put(archive, name, fields, data)


def put(archive: BinaryIO, name: str, fields: tuple[int, ...], data: bytes) -> None:
    path = name.encode() + b"\0"
    header = b"070701" + b"".join(b"%08X" % field for field in (*fields, len(path), 0)) + path
    for part in (header, data):
        archive.write(part + b"\0" * (-len(part) % 4))
