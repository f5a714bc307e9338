#!/usr/bin/env bash
# Runs the recipes of docs/on.md with programs of the same names that record how they were called.
set -euo pipefail
export LC_ALL=C.UTF-8 PLUMB_STREAM=none PLUMB_BOARD=none
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for name in wlr-randr xrandr playerctl notify-send curl; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' "$name" "$work" >"$work/bin/$name"
  chmod +x "$work/bin/$name"
done
export PATH="$work/bin:$PATH"
failures=0
plumb=${PLUMB:-build/plumb}

# expect WHAT LINE...: the programs must have been called exactly like this.
expect() {
  local what=$1
  shift
  printf '%s\n' "$@" >"$work/expected"
  if cmp -s "$work/expected" "$work/calls"; then
    printf 'ok    %s\n' "$what"
  else
    printf 'FAIL  %s: expected\n%s\nbut found\n%s\n' "$what" "$(cat "$work/expected")" "$(cat "$work/calls")"
    failures=$((failures + 1))
  fi
  : >"$work/calls"
}

# steadily COMMAND...: runs it, and again if the computer stalled, which is trouble as well.
steadily() {
  local trial
  for trial in 1 2 3 4 5; do
    : >"$work/calls"
    "$@" >"$work/said"
    grep -q 'no recent sample' "$work/said" || return 0
    printf 'the computer stalled in trial %d\n' "$trial"
  done
}

# Every pose, as plumb on passes it.
poses='portrait landscapeLeft portraitUpsideDown landscapeRight faceUp faceDown'
for pose in $poses; do PLUMB_POSE=$pose WAYLAND_DISPLAY='' docs/examples/on/turn-screen.sh HDMI-1; done
expect 'a screen on X turns against the board' 'xrandr --output HDMI-1 --rotate normal' \
  'xrandr --output HDMI-1 --rotate right' 'xrandr --output HDMI-1 --rotate inverted' \
  'xrandr --output HDMI-1 --rotate left'
for pose in $poses; do PLUMB_POSE=$pose WAYLAND_DISPLAY=wayland-1 docs/examples/on/turn-screen.sh HDMI-A-1; done
expect 'a screen on Wayland turns against the board' 'wlr-randr --output HDMI-A-1 --transform normal' \
  'wlr-randr --output HDMI-A-1 --transform 90' 'wlr-randr --output HDMI-A-1 --transform 180' \
  'wlr-randr --output HDMI-A-1 --transform 270'

# The same from the first pose to the last of the emulated board.
"$plumb" on pose --now --once -- docs/examples/on/turn-screen.sh HDMI-1 >"$work/said"
expect 'the first pose turns the screen' 'xrandr --output HDMI-1 --rotate normal'
"$plumb" on landscapeLeft --once -- playerctl pause >"$work/said"
expect 'a pose pauses the music' 'playerctl pause'
# shellcheck disable=SC2016  # for the command's own shell
steadily "$plumb" on trouble recovery --while-busy queue -- sh -c 'notify-send Plumb "$PLUMB_EVENT"'
expect 'trouble and recovery are announced' 'notify-send Plumb trouble' 'notify-send Plumb recovery'
# shellcheck disable=SC2016  # for the command's own shell
steadily "$plumb" on trouble --once -- sh -c 'curl -s -d "$PLUMB_DETAIL" ntfy.sh/my-louvres'
expect 'trouble is posted in words' 'curl -s -d pose unknown: no acknowledge from 0x53: check power, SDA, SCL and the '"sensor's address ntfy.sh/my-louvres"

[ "$failures" -eq 0 ] || exit 1
