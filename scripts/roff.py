"""Converts text to the source of a manual page: escaped, in bold and italic, in paragraphs and examples."""

import re
import textwrap

# Supported by every output device of roff, even ASCII.
PLAIN = {"…": "...", "–": "\\(en", "—": "\\(em", "°": "\\(de", "×": "\\(mu", "±": "\\(+-", "’": "\\(cq"}
# A page is 80 columns wide, with a margin of seven on the left and two on the right; examples are indented by four
# more.
EXAMPLE_WIDTH = 66


def escaped(text):
    """Text that roff prints unchanged."""
    out = text.replace("\\", "\\e")
    out = "".join(c if ord(c) < 128 else PLAIN.get(c, f"\\[u{ord(c):04X}]") for c in out)
    return out.replace("'", "\\(aq").replace("`", "\\(ga")


def bold(text):
    """What the user types: bold, with every hyphen as a minus that can be copied."""
    return f"\\fB{escaped(text).replace('-', chr(92) + '-')}\\fP"


def italic(text):
    """A placeholder."""
    return f"\\fI{escaped(text).replace('-', chr(92) + '-')}\\fP"


def prose(text, names=frozenset()):
    """A paragraph: `code` and options bold, paths and `names` not broken at a hyphen."""
    parts = []
    # Some help texts quote a command as 'plumb run'.
    text = re.sub(r"'((?:plumb|ssh|curl)\b[^']*)'", r"`\1`", text)
    for index, part in enumerate(text.split("`")):
        if index % 2:
            parts.append(bold(part))
            continue
        words = []
        for word in re.split(r"(\s+)", part):
            core = re.match(r"^([(]?)(-{1,2}[A-Za-z][A-Za-z-]*)(.*)$", word, re.DOTALL)
            if core:
                words.append(escaped(core[1]) + bold(core[2]) + escaped(core[3]))
            elif word.strip(",.") in names or "/" in word or re.search(r"\d-\d|^-|\.ini|\.csv", word):
                words.append(escaped(word).replace("-", "\\-"))
            else:
                words.append(escaped(word))
        parts.append("".join(words))
    return wrapped(" ".join("".join(parts).split()))


def oneline(text):
    """The same on one line of source, as a NAME requires."""
    return prose(text).replace("\n", " ")


def wrapped(text):
    """Text in short lines of source, each sentence on its own lines; none begins like a request."""
    lines = []
    for sentence in re.split(r"(?<=[a-z)][.:?]) (?=\S)", text):
        lines += textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def folded(command):
    """A command in lines short enough for the page, all but the last of which end in a backslash."""
    lines, line = [], ""
    for word in re.split(r" (?=-)", command):
        longer = f"{line} {word}" if line else word
        if line and len(longer) > EXAMPLE_WIDTH - 2:
            lines.append(f"{line} \\")
            longer = f"  {word}"
        line = longer
    lines.append(line)
    return lines


def example(command, meaning=""):
    """One command to type, and its purpose."""
    lines = [".PP", prose(meaning[:1].upper() + meaning[1:]) + ":"] if meaning else [".PP"]
    lines += [".RS 4", ".EX"]
    lines += [escaped(line).replace("-", "\\-") for line in folded(command)]
    return [*lines, ".EE", ".RE"]
