#!/usr/bin/env bash
# Attacks the stream of `plumbd` and of `plumb run --share`: Tests/System/Share. They mostly wait, so the classes of
# tests run in parallel; the slowest begin first.
#
#     Tests/System/Share/share.sh [NAME]...      (NAME: such as test_attacks.RequestsOnPlumbd)
#
# Attacks PLUMB=build/plumb and PLUMBD=build/plumbd; STOPPED=6 is for how many seconds a client is stopped.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

for program in "${PLUMB:=build/plumb}" "${PLUMBD:=build/plumbd}"; do
  [ -x "$program" ] || {
    echo "share: $program is not there: make build plumbd"
    exit 1
  }
done
PLUMB=$(realpath "$PLUMB")
PLUMBD=$(realpath "$PLUMBD")
export PLUMB PLUMBD
cd Tests/System/Share
if [ $# -eq 0 ]; then
  set -- test_examples test_{attacks.{Connections,Silence,Requests},network.{SlowClients,Tokens,BadNetwork},owners.Owners,record.Recording}On{Plumbd,Plumb} \
    test_hands.{Printed,Written,Failing,ByRealSSH} test_serial.{Commands,BoardFiles,Hostile}
fi
python3 -B ../../Support/Python/side_by_side.py --jobs 5 --limit 1200 "$@" -- python3 -B -W error -m unittest
echo 'share: no attack took a sample from an owner'
