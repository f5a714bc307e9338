#!/usr/bin/env python3
"""Packages from PyPI for tests and benchmarks, pinned by version and by the hash of each file.

    pypi.py install FOLDER LIST [--each]    creates a virtual environment with the packages of LIST, unless it exists
    pypi.py pin LIST…                       rewrites the hashes of all packages in the lists

A list has one package per line: `name==version`, and the hashes of its wheels for the Pythons of Debian and Ubuntu, on
x86-64 and 64-bit ARM. pip accepts only files with one of these hashes, and nothing that is not in the list. With
--each, packages are installed one by one, and those without a wheel for this machine are skipped.

`pin` queries the index that pip is configured to use, which must support JSON (PEP 691), as PyPI does.

Exit codes: 0 done; 65 a line of a list is invalid, or PyPI has no file for it; 69 PyPI is unreachable, or the venv
cannot be created.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

LINE = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.!+_-]+)(?P<hashes>( --hash=sha256:[0-9a-f]{64})*)")
PIP = ["-q", "--disable-pip-version-check", "--retries", "2", "--timeout", "60", "--no-deps", "--only-binary", ":all:"]
# The tags of a wheel: Python 3.10 or later, the stable interface of an earlier one, or any; Linux with glibc, or any
# system.
TAGS = re.compile(r"(?:py2\.)?py3-none-.*|cp3\d+-abi3-.*|cp31[0-4]-cp31[0-4]-.*")
PLATFORM = re.compile(r"any|(?:many)?linux[0-9a-z_.]*_(?:x86_64|aarch64)(?:\.[0-9a-z_.]+)?")


def stop(code, words):
    print(f"pypi: {words}", file=sys.stderr)
    sys.exit(code)


def packages(path):
    """Name, version and hashes of each line."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        found = LINE.fullmatch(line)
        if not found:
            stop(65, f"{path}:{number}: not `name==version` and hashes: {line[:80]}")
        yield found["name"], found["version"], found["hashes"].split()


def index():
    """The address of the index that pip uses on this machine: its help shows the configured value."""
    words = [sys.executable, "-m", "pip", "install", "--help"]
    said = subprocess.run(words, check=False, capture_output=True, text=True, env={**os.environ, "COLUMNS": "1000"})
    found = re.search(r"--index-url <url>.*\(default (\S+)\)", said.stdout)
    return found[1].rstrip("/") if found else stop(69, f"{' '.join(words)} names no index: {said.stderr.strip()}")


def plain(name):
    """A name as in the index, however it is written."""
    return re.sub("[-_.]+", "-", name).lower()


def fits(file, name, version):
    """Whether a file is a wheel of that package that one of our machines could use."""
    parts = file.removesuffix(".whl").split("-")
    if not file.endswith(".whl") or len(parts) < 5 or (plain(parts[0]), parts[1]) != (plain(name), version):
        return False
    return TAGS.fullmatch("-".join(parts[-3:])) and PLATFORM.fullmatch(parts[-1])


def hashes_of(name, version, address):
    address += f"/{plain(name)}/"
    request = urllib.request.Request(address, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            files = json.load(answer)["files"]
    except (urllib.error.URLError, TimeoutError) as error:
        stop(69, f"{address}: {error}")
    found = {file["hashes"]["sha256"] for file in files if fits(file["filename"], name, version)}
    if not found:
        stop(65, f"PyPI has no wheel of {name} {version} for Linux with Python 3.10 or later")
    return sorted(found)


def pin(lists):
    address = index()
    for path in lists:
        lines = []
        for name, version, _ in packages(path):
            lines.append(f"{name}=={version}" + "".join(f" --hash=sha256:{hash}" for hash in hashes_of(name, version, address)))
        path.write_text("\n".join(lines) + "\n")
        print(f"pypi: {path}: {len(lines)} packages")


def run(words, log):
    """Whether a command succeeds; its output goes to the log."""
    with open(log, "ab") as file:
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file).returncode == 0


def install(folder, path, each):
    known = folder / "requirements.txt"
    if known.is_file() and known.read_bytes() == path.read_bytes():
        return
    entries = list(packages(path))
    for name, version, hashes in entries:
        if not hashes:
            stop(65, f"{path}: {name} {version} has no hash: python3 scripts/pypi.py pin {path}")
    shutil.rmtree(folder, ignore_errors=True)
    log = folder.with_name(folder.name + ".log")
    folder.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", *PIP, "--require-hashes", "-r"]
    done = run([sys.executable, "-m", "venv", str(folder)], log)
    if done and each:
        for line in path.read_text().splitlines():
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(line + "\n")
                file.flush()
                run([*pip, file.name], log)
    elif done:
        done = run([*pip, str(path)], log)
    if not done:
        print("\n".join(log.read_text(errors="replace").splitlines()[-20:]), file=sys.stderr)
        stop(69, f"{path} could not be installed: is PyPI in reach, and python3-venv installed?")
    shutil.copyfile(path, known)


def main():
    parser = argparse.ArgumentParser(description="Packages from PyPI, pinned by version and hash.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("install")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("list", type=pathlib.Path)
    command.add_argument("--each", action="store_true")
    command = commands.add_parser("pin")
    command.add_argument("lists", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "pin":
        pin(arguments.lists)
    else:
        install(arguments.folder, arguments.list, arguments.each)


if __name__ == "__main__":
    main()
