"""Examples outside Markdown: in the comments of the Swift sources, which become DocC, and in manual pages."""

import glob
import os
import re

from pages import Block, Marker, Page, parse_marker

# What looks like code: an indented block of a comment is reserved for wire formats and formulas.
LOOKS_LIKE_CODE = re.compile(r"(^|[ (])(let|var|try|func|import|await) |#expect|\.init\(|^[A-Z]\w+\(.*\)|^struct ")

EVERYTHING = "\n".join(f"import {module}" for module in (
    "Sensors", "BoardFile", "Emulation", "FixedPoint", "Gestures", "HAL", "Indication", "LinuxHAL", "Monitor",
    "OpenBoard", "Orientation", "PlumbStream", "Vibration"))


def comments(root):
    """A page for each Swift source with code in its documentation; that code may use every module and is not run."""
    for path in sorted(glob.glob(os.path.join(root, "Sources", "**", "*.swift"), recursive=True)):
        name = os.path.relpath(path, root)
        with open(path, encoding="utf-8") as file:
            page = commented(name, file.read())
        if page.blocks or page.complaints:
            yield page


def commented(name, text):
    page, block = Page(name), None
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"\s*/// ?(.*)", line)
        content = match[1] if match else None
        if block is not None and (content is None or content.strip() == "```"):
            page.blocks.append(Block(name, block[0], block[1], "\n".join(block[2]), [
                Marker("given", EVERYTHING, number), Marker("inside a function", "", number),
                Marker("compiled only", "because it is an example in a comment", number)]))
            if content is None:
                page.complaints.append((f"{name}:{number}", "a block has no end"))
            block = None
        elif block is not None:
            block[2].append(content)
        elif content is not None and content.startswith("```"):
            block = (number + 1, content.strip("` "), [])
        elif content is not None and content.startswith("    ") and LOOKS_LIKE_CODE.search(content.strip()):
            page.complaints.append((f"{name}:{number}", "code in a comment stands between ```swift and ```"))
    return page


def manuals(root):
    """A page for each manual page in packaging: board files of section 5, commands of section 1."""
    for path in sorted(glob.glob(os.path.join(root, "packaging", "*", "*.[15]"))):
        name = os.path.relpath(path, root)
        with open(path, encoding="utf-8") as file:
            yield manual(name, file.read())


def manual(name, text):
    page, block, markers = Page(name), None, []
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.match(r'\.\\" example: (.*)', line)
        if comment:
            markers.append(parse_marker(comment[1], number))
        elif line == ".EX":
            block = (number + 1, [])
        elif line == ".EE" and block:
            language = "ini" if name.endswith(".5") else "sh"
            page.blocks.append(Block(name, block[0], language, "\n".join(block[1]), [m for m in markers if m]))
            block, markers = None, []
        elif block:
            block[1].append(line.replace("\\-", "-").replace("\\e", "\\"))
    return page


def mentions(project):
    """Commands of plumb with options in sources, board files and packaging: the options must exist."""
    for pattern in ("Sources/**/*.swift", "boards/*.ini", "packaging/**/*"):
        for path in sorted(filter(os.path.isfile, glob.glob(os.path.join(project.root, pattern), recursive=True))):
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    for match in re.finditer(r"(?<![\w./-])plumb [a-z]+(?: [^\s\"`,;()]+)*", line.replace("\\-", "-")):
                        mention(project, f"{os.path.relpath(path, project.root)}:{number}", match[0].split())


def mention(project, place, words):
    if words[1] not in project.parser.commands or not any(word.startswith("--") for word in words):
        return
    complaint = project.parser.complaint(words)
    if complaint:
        project.ledger.fault(place, f"`{' '.join(words)}`: {complaint}")
    else:
        project.ledger.count("commands named in sources and board files")
