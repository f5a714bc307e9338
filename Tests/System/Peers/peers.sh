#!/usr/bin/env bash
# Has third-party programs read Plumb's emulated sensors, and judges what they report.
#
#     Tests/System/Peers/peers.sh BRIDGE        (run by `make test-peers`; BRIDGE is libPlumbBridge.so)
#
# i2c-tools come from Debian. The libraries of requirements.txt are installed once from PyPI into build/peers-venv,
# without dependencies that only a real board needs (GPIO, USB adapters).
#
# Exit codes: 0 success; 1 a check failed; 69 something that it needs is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
bridge=$(realpath "$1")
cd "$(dirname "$0")/../../.."

here=Tests/System/Peers
venv=build/peers-venv
out=build/peers
mkdir -p "$out"

python3 scripts/pypi.py install "$venv" "$here/requirements.txt"

# Debian has i2c-tools only on root's PATH.
export PATH=$PATH:/usr/sbin:/sbin
for program in i2cdetect i2cget i2cset i2cdump i2ctransfer; do
  command -v "$program" >/dev/null || {
    echo "peers: $program is missing: install i2c-tools" >&2
    exit 69
  }
done

exec "$venv/bin/python" -B "$here/peers.py" "$bridge" "$out"
