#!/usr/bin/env bash
# Builds the Python package plumb-orientation from clients/python: a wheel and a source archive in build/python.
#
#     scripts/wheel.sh [FOLDER]        (default: build/python)
#
# The build backend, flit_core, comes from PyPI by the hash in clients/python/requirements.txt. The same commit gives the
# same bytes for any user, place and time.
#
#     SOURCE_DATE_EPOCH    the date of all files; that of the last commit by default
#
# Exit codes: 0 done; 65 the version is not that of Plumb; 69 PyPI is not in reach.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
cd "$(dirname "$0")/.."
umask 022

output=$(realpath -m "${1:-build/python}")
# As in scripts/dist.sh.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Sources/Linux/Text/Release.swift)}
export SOURCE_DATE_EPOCH
version=$(sed -n 's/.*version: StaticString { "\(.*\)" }.*/\1/p' Sources/Linux/Text/Release.swift)
own=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' clients/python/plumb/__init__.py)
[ "$own" = "$version" ] || {
  printf 'wheel: clients/python/plumb/__init__.py has version "%s", and Plumb "%s".\n' "$own" "$version" >&2
  exit 65
}

python3 -B scripts/pypi.py install build/wheel-venv clients/python/requirements.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Only the sources: no caches and nothing that a checker has left.
mkdir -p "$work/package/plumb" "$output"
cp clients/python/pyproject.toml clients/python/README.md LICENSE "$work/package"
cp clients/python/plumb/*.py clients/python/plumb/py.typed "$work/package/plumb"
python=$(realpath -s build/wheel-venv/bin/python)
rm -f "$output"/plumb_orientation-*
cd "$work/package"
"$python" -B -c 'import sys; from flit_core import buildapi as b; b.build_wheel(sys.argv[1]); b.build_sdist(sys.argv[1])' "$output"
(cd "$output" && for file in plumb_orientation-*; do printf 'wheel: %s: %d bytes\n' "$output/$file" "$(stat -c %s "$file")"; done)
