#!/usr/bin/env bash
# Tests the Python package with each Python from 3.9 to 3.13 that is on this computer: on the PATH, or of pyenv. With
# that of the system also its types, its wheel and the examples; with the oldest and the newest one also all failures of
# `make test-stream`, with both owners.
#
#     Tests/System/Python/python.sh        (run by `make test-python`; PLUMB=build/plumb PLUMBD=build/plumbd)
#
# Packages for it come from PyPI by the hashes in requirements.txt: build/python-venv.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
for program in "${PLUMB:=build/plumb}" "${PLUMBD:=build/plumbd}"; do
  [ -x "$program" ] || {
    echo "python: $program is not there: make build plumbd" >&2
    exit 1
  }
done
PLUMB=$(realpath "$PLUMB")
PLUMBD=$(realpath "$PLUMBD")
export PLUMB PLUMBD

# Most of their bytes are never imported, so nothing is compiled beforehand.
PIP_COMPILE=0 python3 -B scripts/pypi.py install build/python-venv Tests/System/Python/requirements.txt
bash scripts/wheel.sh
venv=$(realpath -s build/python-venv/bin/python)

scripts=("$venv -B -W error -m unittest -q test_package")
oldest=
newest=
for version in 3.9 3.10 3.11 3.12 3.13; do
  python=
  for place in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python "$(command -v "python$version" || true)"; do
    # A shim of pyenv is there for versions that are not chosen, too.
    ! "$place" -c "import sys; sys.exit(sys.version_info[:2] != (${version/./, }))" >/dev/null 2>&1 || python=$place
  done
  if [ -n "$python" ]; then
    printf 'python: %s is %s\n' "$("$python" --version)" "$python"
    scripts+=("$python -B -W error -m unittest -q test_address test_lines test_tracker test_link test_board test_owners")
    oldest=${oldest:-$python}
    newest=$python
  else
    printf 'python: SKIPPED: Python %s is not on this computer\n' "$version"
  fi
done
[ ${#scripts[@]} -gt 1 ] || {
  echo 'python: there is no Python from 3.9 to 3.13' >&2
  exit 69
}
for kind in Plumbd Plumb; do
  for python in "$oldest" "$newest"; do
    scripts+=("$python -B -W error -m unittest -q test_failures.StayingOn$kind test_failures.EndingOn$kind")
    [ "$newest" != "$oldest" ] || break
  done
done
cd Tests/System/Python
# They mostly wait.
python3 -B ../../Support/Python/side_by_side.py --jobs "${#scripts[@]}" --limit 900 "${scripts[@]}" -- env
