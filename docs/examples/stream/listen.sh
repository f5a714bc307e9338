#!/bin/sh
# Prints the pose of a board, and what happens to it, from a stream of Plumb (docs/stream.md), with socat and jq.
#
#     listen.sh [ADDRESS]
#
# ADDRESS is one of socat's: UNIX-CONNECT:/run/plumb/stream (the default) or TCP:HOST:PORT. It goes on until Ctrl-C. If
# the owner of the stream ends, or cannot be reached, it connects again: after a second at first, at last every half
# minute.
#
# Exit codes: 64 wrong usage; 69 socat or jq is not installed.
set -u
address=${1:-UNIX-CONNECT:/run/plumb/stream}
[ $# -le 1 ] || {
  echo 'usage: listen.sh [UNIX-CONNECT:PATH | TCP:HOST:PORT]' >&2
  exit 64
}
for program in socat jq; do
  command -v "$program" >/dev/null || {
    echo "listen.sh: $program is not installed: sudo apt-get install $program" >&2
    exit 69
  }
done

# A line that is no JSON is passed over, as are the kinds of objects that this program does not know.
# shellcheck disable=SC2016  # the variables are jq's
filter='fromjson? | objects
  | if .event == "hello" then
      if (.pose // "") | test("^(portrait|landscape|face)") then .pose else "unknown: \(.pose)" end
    elif .event == "pose" then .to
    elif .event == "trouble" then "unknown: \(.detail)"
    elif .event == "recovery" then "recovered: \(.detail)"
    elif .event == "shake" then "shaken"
    elif .event == "missed" then "missed: \(.count)"
    elif .event == "error" then "error: \(.detail)"
    elif .event == "bye" then "the owner says: \(.detail)"
    else empty end'

pause=1
while :; do
  began=$(date +%s)
  # To ask for something, write it before: { echo '{"samples":10}'; cat; } | socat - "$address"
  socat -u "$address" - </dev/null | jq --unbuffered -R -r "$filter"
  echo 'unknown: the owner is gone; trying again'
  # A connection that lasted was a good one.
  [ $(($(date +%s) - began)) -lt 10 ] || pause=1
  # The fraction keeps many clients from coming back at the same moment.
  sleep "$pause.$(($$ % 10))"
  pause=$((pause * 2 > 30 ? 30 : pause * 2))
done
