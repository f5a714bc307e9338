"""Where an eye sees the board: a model of our own, which the page's drawing is compared with."""
import math


def camera(point):
    """Where the eye sees a place of the room: the page says that it is 0.42 above and 0.3 to the right, 6 away."""
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
    """The corners of a side, from the lower left counter-clockwise as one looks at the face."""
    board = [(-0.72, -1, depth), (0.72, -1, depth), (0.72, 1, depth), (-0.72, 1, depth)]
    return [camera([sum(p[i] * axes[i][j] for i in range(3)) for j in range(3)]) for p in board]
