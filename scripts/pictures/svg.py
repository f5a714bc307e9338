"""A terminal's screen as SVG: text as text, lines and dots as shapes."""

from html import escape
from itertools import groupby

WIDTH, HEIGHT, SIZE, MARGIN, BAR = 8.4, 18, 14, 14, 30
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
GROUND, FRAME, PLAIN = "#161b22", "#30363d", "#d7dde5"
COLOURS = ["#484f58", "#ff7b72", "#56d364", "#e3b341", "#79b8ff", "#d2a8ff", "#56d4dd", "#f0f6fc"]

# Lines through a cell, as fractions of its width and height from its centre: (thickness, dashes, path).
LINES = {
    "─": (1, "", "M-.5 0H.5"),
    "━": (3, "", "M-.5 0H.5"),
    "│": (1, "", "M0 -.5V.5"),
    "┃": (3, "", "M0 -.5V.5"),
    "┈": (1, "2 2", "M-.5 0H.5"),
    "╭": (1, "", "M.5 0Q0 0 0 .5"),
    "╮": (1, "", "M-.5 0Q0 0 0 .5"),
    "╰": (1, "", "M.5 0Q0 0 0 -.5"),
    "╯": (1, "", "M-.5 0Q0 0 0 -.5"),
}
# Bit of a Braille pattern -> (column, row) of its dot.
DOTS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def paint(style):
    """The fill and opacity of a style."""
    colour = PLAIN if style.colour is None else COLOURS[style.colour]
    return f'fill="{colour}"' + (' opacity=".6"' if style.dim else "")


def path(character, x, y):
    """The line that a character draws, in the coordinates of the picture."""
    steps = LINES[character][2]
    out, axis = "", 0
    for part in steps.replace("M", " M ").replace("H", " H ").replace("V", " V ").replace("Q", " Q ").split():
        if part.isalpha():
            out, axis = out + part, 1 if part == "V" else 0
            continue
        out += number((y + float(part) * HEIGHT) if axis else (x + float(part) * WIDTH)) + " "
        axis = 1 - axis
    return out.strip()


def shape(character, style, x, y):
    """A cell's character as a shape centred at x, y. None if it is text."""
    colour = PLAIN if style.colour is None else COLOURS[style.colour]
    faint = ' opacity=".6"' if style.dim else ""
    if character in LINES:
        thickness, dashes, _ = LINES[character]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        return f'<path d="{path(character, x, y)}" stroke="{colour}" stroke-width="{thickness}"{dashed}{faint}/>'
    if "⠀" <= character <= "⣿":
        bits = ord(character) - 0x2800
        dots = ""
        for bit, (column, row) in enumerate(DOTS):
            if bits >> bit & 1:
                dots += f"M{number(x + (column - 0.5) * WIDTH / 2)} {number(y + (row - 1.5) * HEIGHT / 4)}h0"
        return f'<path d="{dots}" stroke="{colour}" stroke-width="2.6" stroke-linecap="round"{faint}/>' if dots else ""
    if character in "●○":
        fill = colour if character == "●" else "none"
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="4" fill="{fill}" stroke="{colour}"{faint}/>'
    return None


def word(text, column, y, style):
    """A word in the columns starting at `column`, fitted to them in any font."""
    fill = f'fill="{GROUND}"' if style.inverse else paint(style)
    weight = ' font-weight="600"' if style.bold else ""
    x, length = MARGIN + column * WIDTH, len(text) * WIDTH
    return (
        f'<text x="{number(x)}" y="{number(y + SIZE * 0.35)}" textLength="{number(length)}" '
        f'lengthAdjust="spacingAndGlyphs" {fill}{weight}>{escape(text)}</text>'
    )


def row(cells, y):
    """One line of the screen: shapes, and the words between them."""
    out = []
    for style, group in groupby(enumerate(cells), key=lambda item: item[1][1]):
        run = list(group)
        if style.inverse:
            x, length = MARGIN + run[0][0] * WIDTH, len(run) * WIDTH
            out.append(f'<path d="M{number(x)} {number(y - HEIGHT / 2)}h{number(length)}v{HEIGHT}h-{number(length)}z" {paint(style)}/>')
        drawn = [(column, character, shape(character, style, MARGIN + (column + 0.5) * WIDTH, y)) for column, (character, _) in run]
        out += [form for _, _, form in drawn if form]
        for is_text, letters in groupby(drawn, key=lambda item: item[1] != " " and item[2] is None):
            if is_text:
                letters = list(letters)
                out.append(word("".join(character for _, character, _ in letters), letters[0][0], y, style))
    return out


def picture(screen, title):
    """The whole screen in a window."""
    width = number(2 * MARGIN + screen.columns * WIDTH)
    height = number(BAR + screen.rows * HEIGHT + MARGIN)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f'<rect x=".5" y=".5" width="{number(float(width) - 1)}" height="{number(float(height) - 1)}" rx="10" fill="{GROUND}" stroke="{FRAME}"/>',
        f'<g fill="none" font-family="{FONT}" font-size="{SIZE}">',
        f'<text x="{number(float(width) / 2)}" y="{BAR * 0.65}" fill="#8b949e" font-size="12" text-anchor="middle">{escape(title)}</text>',
    ]
    for index, cells in enumerate(screen.cells):
        lines += row(cells, BAR + (index + 0.5) * HEIGHT)
    return "\n".join([*lines, "</g>", "</svg>", ""])
