"""How an eye sees the board: our own model, for comparison with the page's drawing."""
import math


def camera(point):
    """Where the eye sees a point of the room: according to the page it is 0.42 above, 0.3 to the right and 6 away."""
    above, beside, distance, scale = 0.42, 0.3, 6, 100
    eye = (distance * math.cos(above) * math.sin(beside), distance * math.sin(above),
           distance * math.cos(above) * math.cos(beside))
    ahead = [-c / distance for c in eye]
    right = [-ahead[2], 0, ahead[0]]
    length = math.hypot(*right)
    right = [c / length for c in right]
    up = [right[1] * ahead[2] - right[2] * ahead[1], right[2] * ahead[0] - right[0] * ahead[2],
          right[0] * ahead[1] - right[1] * ahead[0]]
    away = [p - e for p, e in zip(point, eye)]
    depth = sum(a * b for a, b in zip(away, ahead))
    return (scale * distance * sum(a * b for a, b in zip(away, right)) / depth,
            -scale * distance * sum(a * b for a, b in zip(away, up)) / depth)


def corners(axes, depth):
    """The corners of a side, from the lower left counter-clockwise as seen facing it."""
    board = [(-0.72, -1, depth), (0.72, -1, depth), (0.72, 1, depth), (-0.72, 1, depth)]
    return [camera([sum(p[i] * axes[i][j] for i in range(3)) for j in range(3)]) for p in board]
