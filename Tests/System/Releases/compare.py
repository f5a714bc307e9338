"""Compares two release folders byte by byte and shows where files differ.

    python3 -B Tests/System/Releases/compare.py ONE OTHER

If files differ, diffoscope explains how. If it is not installed (scripts/setup.sh installs it), this script unpacks
archives and names the differing members, sections of programs and first lines. DIFFOSCOPE=none disables it.

Exit codes: 0 identical; 1 different; 64 wrong usage.
"""

import io
import lzma
import gzip
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

# Lines of diffoscope's output to show for one file.
LINES = 60


def files(folder):
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink()}


def content(path):
    return os.readlink(path).encode() if path.is_symlink() else path.read_bytes()


def archive(data):
    """The members of an ar archive, such as a Debian package or a static library."""
    result, place, names = {}, 8, b""
    while place + 60 <= len(data):
        header = data[place : place + 60]
        name, size = header[:16].decode("latin-1").rstrip(), int(header[48:58])
        body = data[place + 60 : place + 60 + size]
        if name == "//":
            names = body
        elif name.startswith("/") and name[1:].isdigit():
            name = names[int(name[1:]) :].split(b"/", 1)[0].decode("latin-1")
        result[name] = (header[16:48].decode("latin-1"), body)
        place += 60 + size + size % 2
    return result


def members(data):
    """The contents of a packed file, each with its metadata; None if it is not packed."""
    if data.startswith(b"\x1f\x8b"):
        return {"the packed file": (f"time {int.from_bytes(data[4:8], 'little')}, flags {data[3]}", gzip.decompress(data))}
    if data.startswith(b"\xfd7zXZ\x00"):
        return {"the packed file": ("", lzma.decompress(data))}
    if data.startswith(b"!<arch>\n"):
        return archive(data)
    if data[257:262] == b"ustar":
        result = {}
        with tarfile.open(fileobj=io.BytesIO(data)) as unpacked:
            for place, entry in enumerate(unpacked):
                noted = (
                    f"number {place}, type {entry.type!r}, mode {entry.mode:o}, owner {entry.uid}/{entry.gid} "
                    f"{entry.uname}/{entry.gname}, time {entry.mtime}, link {entry.linkname!r}"
                )
                result[entry.name] = (noted, unpacked.extractfile(entry).read() if entry.isfile() else b"")
        return result
    return sections(data)


def sections(data):
    """The sections of an ELF file, by name."""
    if data[:4] != b"\x7fELF":
        return None
    wide, order = data[4] == 2, "little" if data[5] == 1 else "big"

    def number(place, size):
        return int.from_bytes(data[place : place + size], order)

    word = 8 if wide else 4
    table = number(0x28 if wide else 0x20, word)
    size, count, names = (number((0x3A if wide else 0x2E) + 2 * index, 2) for index in range(3))
    if not table or not count:
        return None
    result = {"headers": ("", data[: number(0x34 if wide else 0x28, 2)])}
    entries = []
    for index in range(count):
        place = table + index * size
        kind, start = number(place + 4, 4), place + (0x18 if wide else 0x10)
        entries.append((number(place, 4), kind, number(start, word), number(start + word, word)))
    text = entries[names][2]
    for index, (name, kind, start, length) in enumerate(entries):
        label = data[text + name : data.index(b"\0", text + name)].decode("latin-1")
        # 8: a section without bytes in the file.
        result[f"section {index} {label}"] = (f"{length} bytes", b"" if kind == 8 else data[start : start + length])
    return result


def explain(one, other, where):
    """Sentences on how two contents differ."""
    inside = members(one), members(other)
    if None in inside:
        return [f"{where}: {place(one, other)}"]
    found = []
    for name in sorted(inside[0].keys() | inside[1].keys()):
        if name not in inside[1]:
            found.append(f"{where}: {name} is in the first alone")
        elif name not in inside[0]:
            found.append(f"{where}: {name} is in the second alone")
        else:
            (noted, data), (other_noted, other_data) = inside[0][name], inside[1][name]
            if noted != other_noted:
                found.append(f"{where}: {name}: {noted} | {other_noted}")
            if data != other_data:
                found += explain(data, other_data, f"{where}: {name}")
    return found or [f"{where}: packed differently, with the same in it"]


def place(one, other):
    """Where two contents begin to differ."""
    try:
        lines = one.decode().splitlines(), other.decode().splitlines()
        for number, pair in enumerate(zip(*lines), 1):
            if pair[0] != pair[1]:
                return f"line {number}: {pair[0][:120]!r} | {pair[1][:120]!r}"
    except UnicodeDecodeError:
        pass
    first = next((index for index, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
    return f"byte {first} of {len(one)} and {len(other)}: {one[first : first + 16].hex()} | {other[first : first + 16].hex()}"


def show(name, one, other):
    if shutil.which(os.environ.get("DIFFOSCOPE", "diffoscope")):
        said = subprocess.run(
            ["diffoscope", "--text", "-", "--no-progress", str(one), str(other)], check=False, capture_output=True, text=True
        ).stdout.splitlines()
        if said:
            print("\n".join(said[:LINES] + ([f"... and {len(said) - LINES} lines more"] if len(said) > LINES else [])))
            return
    print("\n".join(explain(content(one), content(other), name)))


def main():
    if len(sys.argv) != 3:
        print("usage: compare.py ONE OTHER", file=sys.stderr)
        return 64
    one, other = (files(Path(folder)) for folder in sys.argv[1:])
    if not one and not other:
        print("reproduce: there are no files to compare")
        return 1
    different = 0
    for name in sorted(one.keys() | other.keys()):
        if name not in one or name not in other:
            print(f"reproduce: {name} is in the {'first' if name in one else 'second'} alone")
        elif content(one[name]) != content(other[name]):
            print(f"reproduce: {name} differs:")
            show(name, one[name], other[name])
        else:
            continue
        different += 1
    count = len(one.keys() | other.keys())
    if different:
        print(f"reproduce: {different} of {count} files differ")
        return 1
    size = sum(len(content(path)) for path in one.values())
    print(f"reproduce: {count} files, {size // 1024} KiB, are the same, byte for byte")
    return 0


if __name__ == "__main__":
    sys.exit(main())
