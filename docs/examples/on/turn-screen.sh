#!/bin/sh
# Turns a screen with the board, at each pose that `plumb on pose` runs this for:
#
#     plumb on pose --now -- ./turn-screen.sh OUTPUT
#
# OUTPUT is the name of the screen, such as HDMI-A-1 (wlr-randr) or HDMI-1 (xrandr); each program lists them when it is
# called without arguments. The faces leave the screen as it is.
set -eu
output=${1:?the name of the screen is missing: turn-screen.sh OUTPUT}

# A screen that is turned counter-clockwise shows its picture upright when the picture is turned clockwise.
case ${PLUMB_POSE:?run this by 'plumb on pose -- ...'} in
  portrait) wayland=normal x=normal ;;
  landscapeLeft) wayland=90 x=right ;;
  portraitUpsideDown) wayland=180 x=inverted ;;
  landscapeRight) wayland=270 x=left ;;
  *) exit 0 ;;
esac
if [ -n "${WAYLAND_DISPLAY:-}" ]; then
  exec wlr-randr --output "$output" --transform "$wayland"
else
  exec xrandr --output "$output" --rotate "$x"
fi
