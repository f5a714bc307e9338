"""Lights one of six LEDs, by the pose of a board whose sensor plumbd owns."""

from signal import pause

from gpiozero import LED

from plumb import Board, POSES

leds = dict(zip(POSES, (LED(pin) for pin in (17, 27, 22, 23, 24, 25))))
board = Board()


def show():
    for pose, led in leds.items():
        led.value = pose == board.pose


# The pose is unknown while the sensor or its owner is gone: no LED is on then.
board.when_pose_changed = show
board.when_trouble = show
show()
pause()
