"""Writes the manual pages of plumb: plumb.1, and one for each of its commands, such as plumb-run.1.

    python3 -B scripts/man.py PLUMB FOLDER [VERSION [DATE]]

Everything that a page says about a command comes from the program PLUMB itself, from the JSON of
--experimental-dump-help, so it is always up to date. Blocks of a discussion that begin with a word in capitals
(EXAMPLE:, EXAMPLES:, EXIT CODES:, KEYS:) become sections. What no help contains, the environment and the files, is in
docs/man/*.roff: NAME.roff belongs to the page with that name, board.roff to every command with --board.

Exit codes: 0 written; 64 wrong usage; 65 the help contains something that this script cannot print.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

from roff import bold, example, italic, oneline, prose

EXTRAS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "man"
HEADING = re.compile(r"^([A-Z][A-Z ]+):[ \n]")
SECTIONS = {"EXAMPLE": "EXAMPLES", "EXAMPLES": "EXAMPLES", "EXIT CODES": "EXIT STATUS"}


class Unknown(Exception):
    """The help contains something that this script cannot print."""


def examples(body, name):
    """The lines of an EXAMPLES block: a command and, after two or more blanks, its purpose."""
    lines = []
    for text in filter(None, (line.strip() for line in body.split("\n"))):
        command, _, meaning = re.sub(r" {2,}", "\0", text, count=1).partition("\0")
        if not re.match(r"plumb |curl |ssh ", command + " "):
            raise Unknown(f"{name}: an example that is no command: {text}")
        lines += example(command, meaning)
    return lines


def exit_codes(body, name):
    """The lines of an EXIT CODES block: numbers and meanings, separated by commas or semicolons."""
    parts = re.split(r"(?:^|[,;] )(\d{1,2}) ", " ".join(body.split()))
    if parts[0] or len(parts) < 3:
        raise Unknown(f"{name}: exit codes that begin with no number: {body}")
    if any(re.search(r"[,;] \d{1,2}$", meaning) for meaning in parts[2::2]):
        raise Unknown(f"{name}: an exit code without a meaning: {body}")
    lines = []
    for code, meaning in zip(parts[1::2], parts[2::2]):
        lines += [".TP 5", f".B {code}", prose(meaning[:1].upper() + meaning[1:].rstrip(".") + ".")]
    return lines


def blocks(discussion):
    """The discussion in paragraphs, each with its heading in capitals or None."""
    found = []
    for text in filter(None, re.split(r"\n{2,}", (discussion or "").strip("\n"))):
        heading = HEADING.match(text)
        found.append((heading[1], text[heading.end():]) if heading else ("", text))
    return found


def tag(argument):
    """The name of an option or argument, as shown in its list."""
    value = italic(argument["valueName"])
    if argument["kind"] == "positional":
        return value
    names = [("--" if n["kind"] == "long" else "-") + n["name"] for n in argument["names"]]
    return ", ".join(map(bold, names)) + ("" if argument["kind"] == "flag" else f" {value}")


def described(argument):
    """What an option does, what it takes, and its default."""
    words = [argument.get("abstract", "").strip()]
    default, values = argument.get("defaultValue"), argument.get("allValues") or argument.get("allValueStrings")
    if values:
        words.append("Values: " + ", ".join(f"`{v}`" for v in values) + ".")
    if default is not None:
        words.append(f"When left out: `{default}`.")
    kind = argument.get("completionKind", {})
    names = kind.get("list", {}).get("values", []) if isinstance(kind, dict) else []
    return prose(" ".join(words), {name for name in names if "-" in name})


def arguments(command, kinds):
    return [a for a in command.get("arguments", []) if a["kind"] in kinds and a["shouldDisplay"]]


def synopsis(command, name):
    """The syntax of the command; written by hand, because .SY and .OP are not available everywhere."""
    words = []
    for argument in arguments(command, ("positional", "option", "flag")):
        if argument["valueName"] in ("version", "help") and argument["kind"] == "flag":
            continue
        text = italic(argument["valueName"])
        if argument["kind"] != "positional":
            preferred = argument["preferredName"]
            text = bold(("--" if preferred["kind"] == "long" else "-") + preferred["name"])
            text += "" if argument["kind"] == "flag" else f"\\ {italic(argument['valueName'])}"
        text += "\\ ..." if argument["isRepeating"] else ""
        words.append(f"[{text}]" if argument["isOptional"] else text)
    subcommands = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
    if subcommands:
        words = [italic("command"), f"[{italic('options')}]"]
    call = bold(name.replace("-", " ", 1)).replace(" ", "\\ ")
    # The lines after the first are aligned with the first argument.
    lines = [f".HP {len(name) + 1}", call]
    lines += words
    for flag in ("--help", "--version") if subcommands else ():
        lines += [".HP", f"{call} {bold(flag)}"]
    return lines


def page(command, name, version, date, every):
    """The lines of one manual page."""
    abstract = command["abstract"].strip().rstrip(".")
    paragraphs = blocks(command.get("discussion"))
    lines = [f'.TH {name.upper()} 1 {date} "Plumb {version}" "Plumb"', ".nh", ".ad l", ".ss 12 0", ".SH NAME"]
    lines += [f"{name} \\- {oneline(abstract[:1].lower() + abstract[1:])}", ".SH SYNOPSIS", *synopsis(command, name)]
    lines += [".SH DESCRIPTION", prose(abstract + ".")]
    lines += [x for heading, text in paragraphs if not heading for x in (".PP", prose(text))]
    # Headings without their own section, such as KEYS, follow the description.
    for heading, text in paragraphs:
        if heading and heading not in SECTIONS:
            lines += [f".SH {heading}", prose(text)]
    if len(every) > 1 and "-" not in name:
        lines.append(".SH COMMANDS")
        for other, child in every:
            if other != name:
                lines += [".TP", f"{bold(other)}(1)", prose(child["abstract"])]
    listed = arguments(command, ("positional",)), arguments(command, ("option", "flag"))
    for title, rows in zip(("ARGUMENTS", "OPTIONS"), listed):
        lines += [f".SH {title}"] if rows else []
        for argument in rows:
            lines += [".TP", tag(argument), described(argument)]
    lines += closing(paragraphs, command, name, every)
    return "\n".join(lines) + "\n"


def closing(paragraphs, command, name, every):
    """The sections after the options: examples, exit status, environment and files, other pages."""
    options = [n["name"] for a in command.get("arguments", []) for n in a.get("names", [])]
    has_board = name == "plumb-boards" or "board" in options
    extras = [EXTRAS / f"{name}.roff", *([EXTRAS / "board.roff"] if has_board else [])]
    extra = "\n".join(f.read_text(encoding="utf-8").strip() for f in extras if f.exists()).split("\n")
    found = {"EXAMPLES": [], "EXIT STATUS": []}
    for heading, text in paragraphs:
        section = SECTIONS.get(heading)
        if section == "EXAMPLES":
            found[section] += examples(text, name)
        elif section:
            found[section] += exit_codes(text, name)
    if not found["EXIT STATUS"]:
        found["EXIT STATUS"] = ["0 where all went well; else one of the codes that", ".BR plumb (1)", "lists."]
    lines = [x for title, body in found.items() if body for x in (f".SH {title}", *body[body[0] == ".PP":])] + extra
    others = [(other, 1) for other, _ in every if other != name]
    if "-" in name:
        told = (command.get("discussion") or "") + command["abstract"]
        others = [("plumb", 1), *((o, 1) for o, _ in others if f"`{o.replace('-', ' ', 1)}`" in told)]
    others += [("plumb-board.ini", 5)] * (has_board or "-" not in name) + [("plumbd", 1)]
    links = [f".BR {other.replace('-', chr(92) + '-')} ({section})," for other, section in others]
    return [*lines, ".SH SEE ALSO", *links[:-1], links[-1].rstrip(",")]


def main():
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__.split("\n\n")[1].strip())
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])

    def told(*options):
        return subprocess.run([program, *options], check=True, capture_output=True, encoding="utf-8").stdout

    version = sys.argv[3] if len(sys.argv) > 3 else told("--version").split()[-1]
    date = sys.argv[4] if len(sys.argv) > 4 else time.strftime("%Y-%m-%d")
    root = json.loads(told("--experimental-dump-help"))["command"]
    every = [("plumb", root)]
    for command in root["subcommands"]:
        if command.get("subcommands"):
            raise Unknown(f"{command['commandName']} has commands of its own")
        if command["shouldDisplay"] and command["commandName"] != "help":
            every.append((f"plumb-{command['commandName']}", command))
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in every:
        (folder / f"{name}.1").write_text(page(command, name, version, date, every), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except Unknown as problem:
        print(f"man: {problem}", file=sys.stderr)
        sys.exit(65)
