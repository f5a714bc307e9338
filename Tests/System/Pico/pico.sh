#!/usr/bin/env bash
# Runs the firmware of `make pico`, byte for byte, on an emulated Pico whose sensors are Plumb's emulated ones.
#
#     Tests/System/Pico/pico.sh [TEST.py [NAME...]]      (default: all test_*.py beside it)
#
# The emulator is rp2040py, pinned with its hashes in requirements.txt. PLUMB is the tool (default build/plumb), UF2S the
# folder of the firmware (build/pico), SCRATCH that of Swift's intermediate files. DAYS: how many days of samples the
# endurance test takes (default: a part of a minute's computing).
#
# Exit codes: 0 all passed; 1 some did not; 69 PyPI is unreachable; otherwise that of the build.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

read -ra flags <scripts/build-flags
folder=${SCRATCH:-.build}/release
[ -n "${PLUMB_PICO_PART:-}" ] ||
  PLUMB_PICO=1 "${SWIFT:-swift}" build -c release --scratch-path "${SCRATCH:-.build}" "${flags[@]}" --product PicoPart
export PLUMB_PICO_PART=${PLUMB_PICO_PART:-$PWD/$folder/libPicoPart.so}
export PLUMB=${PLUMB:-$PWD/build/plumb} UF2S=${UF2S:-$PWD/build/pico}
python3 -B scripts/pypi.py install build/pico-venv Tests/System/Pico/requirements.txt
python=$PWD/build/pico-venv/bin/python

if [ $# -gt 0 ]; then
  exec "$python" -B -W error "Tests/System/Pico/$1" "${@:2}"
fi
exec python3 -B Tests/Support/Python/side_by_side.py --limit 900 Tests/System/Pico/test_*.py -- "$python" -B -W error
