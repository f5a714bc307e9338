#!/usr/bin/env bash
# Tests every command of the tool with signals, closed pipes, full disks, bad files and odd terminals:
# Tests/System/Robust.
#
#     Tests/System/Scripts/robust.sh [NAME]...      (NAME: such as test_files.Files.test_bad_files; PLUMB=build/plumb)
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

PLUMB=$(realpath "${PLUMB:-build/plumb}")
export PLUMB
[ -x "$PLUMB" ] || {
  echo "robust: $PLUMB is not there: make build"
  exit 1
}
cd Tests/System/Robust
if [ $# -gt 0 ]; then
  python3 -B -W error -m unittest "$@"
else
  python3 -B -W error -m unittest discover
fi
