"""Comparing what a page shows with what a program printed."""

import re

NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?")


def pattern(line, numbers_differ):
    """The regular expression of one line that a page shows: `…` is anything."""
    parts = []
    for piece in line.rstrip().split("…"):
        if numbers_differ:
            # A number of another width moves what is aligned with it, at the start of a line as well: a machine that
            # has just started writes shorter time stamps than one that has been up for hours.
            words = [re.sub(r"(?:\\ )+", r"[ ]+", re.escape(word)) for word in NUMBER.split(piece)]
            if len(words) > 1 and not parts and not words[0].strip("[ ]+"):
                words[0] = "[ ]*"
            parts.append(r"[-−]?\d+(?:\.\d+)?".join(words))
        else:
            parts.append(re.escape(piece))
    return ".*".join(parts)


def expression(shown, numbers_differ=False):
    """The regular expression of whole lines; a line `…` is any lines."""
    text = ""
    for line in shown:
        text += r"(?:.*\n)*?" if line.strip() == "…" else pattern(line, numbers_differ) + r"\n"
    return text


def matches(shown, printed, numbers_differ=False, is_whole=True):
    """Whether the lines that are shown are what was printed; or, where not `is_whole`, lines of it, in one piece."""
    printed = "".join(line.rstrip() + "\n" for line in printed.rstrip("\n").split("\n"))
    shown = "\n".join(shown).strip("\n").split("\n")
    form = expression(shown, numbers_differ)
    if is_whole:
        return re.fullmatch(form, printed) is not None
    return re.search(r"^" + form, printed, re.MULTILINE) is not None


def difference(shown, printed):
    """Both, for a person: what the page shows and what came, one below the other."""
    rows = ["      the page shows:", *(f"        {line}" for line in shown), "      printed was:"]
    return "\n".join(rows + [f"        {line}" for line in printed.rstrip("\n").split("\n")[:40]])
