#!/usr/bin/env bash
# What `plumb publish` and `plumb-mqtt` publish on a real broker, and what happens when owner, broker or network fail:
# Tests/System/MQTT. They mostly wait, so the classes of tests run in parallel; the slowest begin first.
#
#     Tests/System/MQTT/mqtt.sh [NAME]...      (NAME: such as test_broker.FrozenOfPlumbMQTT)
#
# Tests PLUMB=build/plumb, PLUMB_MQTT=build/plumb-mqtt and PLUMBD=build/plumbd. MINUTE=60 is for how many seconds a
# hundred publishers are counted.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

for program in "${PLUMB:=build/plumb}" "${PLUMB_MQTT:=build/plumb-mqtt}" "${PLUMBD:=build/plumbd}"; do
  [ -x "$program" ] || {
    echo "mqtt: $program is not there: make build plumbd plumb-mqtt"
    exit 1
  }
done
PLUMB=$(realpath "$PLUMB")
PLUMB_MQTT=$(realpath "$PLUMB_MQTT")
PLUMBD=$(realpath "$PLUMBD")
export PLUMB PLUMB_MQTT PLUMBD
cd Tests/System/MQTT
if [ $# -eq 0 ]; then
  set -- test_crowd test_{broker.{Cut,NotLetIn,Absent,Frozen},ends.{Publishers,Owners},tls.TLS,state.{Pace,State,RealOwner},commands.Commands,secrets.Secrets,command_line.Once}Of{Plumb,PlumbMQTT} \
    test_delay.OwnerWithPublishersOn{Plumbd,Plumb} test_command_line.{Check,Options} test_access test_guide
fi
python3 -B ../../Support/Python/side_by_side.py --jobs 8 --limit 1200 "$@" -- python3 -B -W error -m unittest
echo 'mqtt: no event was lost without a word, and no dead sensor was alive'
