#!/usr/bin/env python3
"""Draws a screen in the four poses that turn it as an SVG picture: screenshots of labwc, in the frame of a board.

    python3 scripts/pictures/rotation.py -o docs/pictures/rotation.svg

plumb-rotate (PLUMB_DESKTOP=build/plumb-desktop) turns the screen. The root is that of the desktop's tests (Tests/System/Desktop/root.sh).
"""

import argparse
import base64
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Tests" / "System" / "Desktop"))
from rooted import WaylandServer, enter
from test_rotation import WAYLAND, Rotation
from processes import wait_until
from scripted_owner import ScriptedOwner

WIDTH, HEIGHT = 480, 288
BEZEL, MARGIN, GAP, LABELS = 14, 12, 30, 64
# The clockwise turn of the board, in degrees.
TURNS = {"portrait": 0, "landscapeRight": 90, "portraitUpsideDown": 180, "landscapeLeft": 270}
TEXT = ("printf '\\033[2J\\033[H\\033[?25l\\n  pose       {pose}\\n  transform  {transform}\\n\\n"
        "  This text stays upright.'; read line")


def screenshots():
    """A PNG of each pose."""
    with ScriptedOwner() as owner, WaylandServer("labwc") as server:
        server.tool("wlr-randr", "--output", "HEADLESS-1", "--custom-mode", f"{WIDTH}x{HEIGHT}")
        with Rotation(server, owner.address), server.starting("swaybg", "-c", "3b6ea5"):
            for pose in TURNS:
                owner.turn(pose)
                wait_until(lambda wanted=pose: server.transforms()["HEADLESS-1"] == WAYLAND[wanted], pose)
                yield pose, screenshot(server, pose)


def screenshot(server, pose):
    """A PNG of labwc with a terminal that names the pose."""
    picture = server.folder / "picture.png"
    words = TEXT.format(pose=pose, transform=WAYLAND[pose])
    with server.starting("foot", "--font=DejaVu Sans Mono:size=9", "--window-size-pixels=256x150", "--title=Plumb", "sh",
                         "-c", words):
        before = b""
        # Windows appear after a while, and are then drawn in steps.
        for _ in range(40):
            time.sleep(0.5)
            server.tool("grim", str(picture))
            now = picture.read_bytes()
            if now == before and len(now) > 3000:
                break
            before = now
    return now


def frame(pose, picture, left, middle):
    """The board in its pose, its upper edge marked, around a picture that is upright."""
    is_tall = TURNS[pose] % 180 == 90
    width, height = (HEIGHT, WIDTH) if is_tall else (WIDTH, HEIGHT)
    data = base64.b64encode(picture).decode("ascii")
    x, y = left + width / 2 + BEZEL, middle
    return "\n".join((
        f'<g transform="translate({x:g} {y:g})">',
        f'<g transform="rotate({TURNS[pose]})">',
        f'<rect x="{-WIDTH / 2 - BEZEL:g}" y="{-HEIGHT / 2 - BEZEL:g}" width="{WIDTH + 2 * BEZEL}" height="{HEIGHT + 2 * BEZEL}" '
        'rx="14" fill="#23272e" stroke="#8a94a3" stroke-width="2"/>',
        f'<path d="M-14 {-HEIGHT / 2 - 3.5:g}L0 {-HEIGHT / 2 - 11:g}L14 {-HEIGHT / 2 - 3.5:g}Z" fill="#ff9d2e"/>',
        "</g>",
        f'<image x="{-width / 2:g}" y="{-height / 2:g}" width="{width}" height="{height}" href="data:image/png;base64,{data}"/>',
        "</g>",
        f'<text x="{x:g}" y="{middle + WIDTH / 2 + BEZEL + 38:g}">{pose}</text>')), width + 2 * BEZEL + GAP


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True)
    output = pathlib.Path(parser.parse_args().output).resolve()
    enter()
    parts, left, middle = [], MARGIN, MARGIN + BEZEL + WIDTH / 2
    for pose, picture in screenshots():
        part, step = frame(pose, picture, left, middle)
        parts.append(part)
        left += step
    width, height = left - GAP + MARGIN, 2 * middle - MARGIN + LABELS
    output.write_text("\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="sans-serif" font-size="28" fill="#7d8796" text-anchor="middle">',
        "<title>A screen that stays upright in four poses of its board; a triangle marks the board's upper edge</title>",
        *parts, "</svg>", "")), encoding="utf-8")
    print(f"pictures: {output}")


if __name__ == "__main__":
    main()
