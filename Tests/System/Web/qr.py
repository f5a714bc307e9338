"""Reads a QR code of half blocks, as shown in a terminal: byte mode, level L, versions 1 to 5.

- Source: ISO/IEC 18004:2015
"""
CHECKS = {21: 7, 25: 10, 29: 15, 33: 20, 37: 26}
MASKS = [
    lambda x, y: (x + y) % 2, lambda x, y: y % 2, lambda x, y: x % 3, lambda x, y: (x + y) % 3,
    lambda x, y: (x // 3 + y // 2) % 2, lambda x, y: x * y % 2 + x * y % 3, lambda x, y: (x * y % 2 + x * y % 3) % 2,
    lambda x, y: ((x + y) % 2 + x * y % 3) % 2,
]


def product(a, b):
    """The product in GF(256)."""
    total = 0
    while b:
        if b & 1:
            total ^= a
        a = a << 1 ^ (0x11D if a & 0x80 else 0)
        b >>= 1
    return total


def modules(lines):
    """The rows of modules in lines of half blocks that draw the light modules; 1 is dark. Checks the border of 4."""
    rows = []
    for line in lines:
        rows.append([0 if char in "█▀" else 1 for char in line])
        rows.append([0 if char in "█▄" else 1 for char in line])
    size = len(rows[0]) - 8
    assert size in CHECKS and len(rows) >= size + 8, (size, len(rows))
    border = rows[:4] + rows[size + 4:size + 8] + [row[:4] + row[size + 4:] for row in rows[:size + 8]]
    assert not any(map(any, border)), "the border is not light"
    return [row[4:size + 4] for row in rows[4:size + 4]]


def text(lines):
    """The text of the code; AssertionError if it is invalid or one module is wrong."""
    grid = modules(lines)
    size = len(grid)
    ring = [[1 if max(abs(x - 3), abs(y - 3)) != 2 else 0 for x in range(7)] for y in range(7)]
    for left, top in [(0, 0), (size - 7, 0), (0, size - 7)]:
        assert [row[left:left + 7] for row in grid[top:top + 7]] == ring, "no finder"
    shown = sum(grid[8][size - 1 - i] << i for i in range(8)) | sum(grid[size - 15 + i][8] << i for i in range(8, 15))
    other = [(8, y) for y in (0, 1, 2, 3, 4, 5, 7, 8)] + [(x, 8) for x in (7, 5, 4, 3, 2, 1, 0)]
    assert shown == sum(grid[y][x] << i for i, (x, y) in enumerate(other)), "two formats"
    level, mask = (shown ^ 0x5412) >> 13, (shown ^ 0x5412) >> 10 & 7
    assert level == 1, "not level L"

    def is_fixed(x, y):
        aligned = size > 21 and abs(x - size + 7) < 3 and abs(y - size + 7) < 3
        return x == 6 or y == 6 or aligned or (x < 9 and y < 9) or (x > size - 9 and y < 9) or (x < 9 and y > size - 9)

    bits, up = [], True
    for right in [x for x in range(size - 1, 6, -2)] + [5, 3, 1]:
        for y in range(size - 1, -1, -1) if up else range(size):
            bits += [grid[y][x] ^ (MASKS[mask](x, y) == 0) for x in (right, right - 1) if not is_fixed(x, y)]
        up = not up
    words = [int("".join(map(str, map(int, bits[i:i + 8]))), 2) for i in range(0, len(bits) - 7, 8)]
    root = 1
    for _ in range(CHECKS[size]):
        value = 0
        for word in words:
            value = product(value, root) ^ word
        assert value == 0, "a codeword is wrong"
        root = product(root, 2)
    stream = "".join(f"{word:08b}" for word in words)
    assert stream[:4] == "0100", "not of bytes"
    count = int(stream[4:12], 2)
    return bytes(int(stream[12 + 8 * i:20 + 8 * i], 2) for i in range(count)).decode()
