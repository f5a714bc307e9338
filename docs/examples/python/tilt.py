"""Records how a board is held, and writes it as a table: tilt.py [SECONDS [FILE]]."""

import sys

from plumb import Board

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
file = sys.argv[2] if len(sys.argv) > 2 else "tilt.csv"

with Board(rate="all") as board:
    samples = board.record(seconds)

frame = samples.to_pandas()
print(frame[["pitch_deg", "roll_deg"]].describe())
print(f"{samples.missed} samples missed")
frame.to_csv(file)
