"""Compares what a page shows with what a program printed."""

import re

NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?")


def pattern(line, numbers_differ):
    """The regular expression for one line that a page shows; `…` matches anything."""
    parts = []
    for piece in line.rstrip().split("…"):
        if numbers_differ:
            # A number of different width moves what is aligned with it, also at the start of a line: time stamps are
            # shorter on a machine that has just started than on one that has been up for hours.
            words = [re.sub(r"(?:\\ )+", r"[ ]+", re.escape(word)) for word in NUMBER.split(piece)]
            if len(words) > 1 and not parts and not words[0].strip("[ ]+"):
                words[0] = "[ ]*"
            parts.append(r"[-−]?\d+(?:\.\d+)?".join(words))
        else:
            parts.append(re.escape(piece))
    return ".*".join(parts)


def expression(shown, numbers_differ=False):
    """The regular expression for whole lines; a line `…` matches any lines."""
    text = ""
    for line in shown:
        text += r"(?:.*\n)*?" if line.strip() == "…" else pattern(line, numbers_differ) + r"\n"
    return text


def matches(shown, printed, numbers_differ=False, is_whole=True):
    """Whether the lines shown are what was printed or, if not `is_whole`, consecutive lines of it."""
    printed = "".join(line.rstrip() + "\n" for line in printed.rstrip("\n").split("\n"))
    shown = "\n".join(shown).strip("\n").split("\n")
    form = expression(shown, numbers_differ)
    if is_whole:
        return re.fullmatch(form, printed) is not None
    return re.search(r"^" + form, printed, re.MULTILINE) is not None


def difference(shown, printed):
    """Both, for a person to read: what the page shows above what was printed."""
    rows = ["      the page shows:", *(f"        {line}" for line in shown), "      printed was:"]
    return "\n".join(rows + [f"        {line}" for line in printed.rstrip("\n").split("\n")[:40]])
