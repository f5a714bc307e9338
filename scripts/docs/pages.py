"""Gathers one DocC catalogue from the pages of the project.

    pages.py CATALOGUE SYMBOLS [ADDRESS]

A page of docs/ is plain Markdown, so it reads well anywhere; DocC needs its own kind of links. This script copies each
page into the new folder CATALOGUE and converts its links: another page, or a heading in it, becomes DocC's link; a
picture, its name; another file of the project, ADDRESS/path, or just the words if no ADDRESS is given. Pages in *.docc
folders are written for DocC and copied unchanged, but for `<!-- types: NAME -->`, which becomes a list of the types that
conform to NAME or inherit from it, by the graphs SYMBOLS/*.symbols.json. Other HTML comments, which are for tests and
tools, are dropped. SITE and
REPOSITORY become the addresses of packaging/address, where no page may have them itself.

Prints each broken link as file:line, and each page that is in no topic of the landing page, and then exits with 1.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

ADDRESSES = "packaging/address"
LANDING = "docs/Plumb.docc/Plumb.md"
HEADER = "Sources/Core/CoreABI/include"
TOKENS = re.compile(r"(?P<code>(?P<ticks>`+).*?(?P=ticks))|(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)", re.S)
FENCE = re.compile(r"^ *(```|~~~)")


def headings(text):
    """The headings of a page: GitHub's anchors with DocC's."""
    result, is_code = {}, False
    for line in text.splitlines():
        if FENCE.match(line):
            is_code = not is_code
        match = re.match(r"#+ +(.*?) *$", line)
        if match and not is_code:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1])
            anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            result[anchor] = re.sub(r"[\s-]+", "-", re.sub(r"[`'\"]", "", plain).strip())
    return result


class Site:
    def __init__(self, catalogue, address):
        self.catalogue, self.address, self.complaints = catalogue, address.rstrip("/"), []
        paths = sorted(Path("docs").glob("*.md")) + sorted(Path("docs/decisions").glob("*.md"))
        self.pages = {str(path): path.stem for path in paths}
        self.names = {**self.pages, "docs/decisions": "decisions"}
        self.names.update({str(path): "c-interface" for path in Path(HEADER).glob("plumb*.h")})

    def take(self, path, name):
        if (self.catalogue / name).exists():
            self.complaints.append(f"{path}: another file is named {name}, too")
        shutil.copy(path, self.catalogue / name)

    def picture(self, path):
        """Adds a picture and its dark variant; returns the name by which DocC knows it."""
        dark = path.with_name(path.stem + "~dark" + path.suffix)
        for file in [path, dark] if dark.exists() else [path]:
            if not (self.catalogue / file.name).exists():
                (self.catalogue / file.name).write_bytes(with_size(file.read_bytes()))
        return path.name

    def link(self, match, page, line):
        text, target = match["text"], match["target"]
        if re.match(r"[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        path = os.path.normpath(page.parent / path) if path else str(page)
        where = f"{page}:{line + match.string.count(chr(10), 0, match.start())}"
        if not os.path.exists(path):
            self.complaints.append(f"{where}: a link to {target}, which is not there")
        elif match["image"]:
            return f"![{text}]({self.picture(Path(path))})"
        elif path in self.names:
            known = headings(Path(path).read_text()) if path in self.pages else {}
            if anchor and anchor not in known:
                self.complaints.append(f"{where}: a link to {target}, which has no such heading")
            return f"[{text}](doc:{self.names[path]}{'#' + known.get(anchor, '') if anchor else ''})"
        elif self.address:
            return f"[{text}]({self.address}/{path})"
        return text if path in text else f"{text} (`{path}`)"

    def turned(self, text, page, line):
        return TOKENS.sub(lambda match: match[0] if match["code"] else self.link(match, page, line), text)

    def page(self, path):
        """One page of docs/, with its links converted, except those in code."""
        result, prose, start, is_code = [], [], 1, False
        for number, line in enumerate(path.read_text().splitlines(keepends=True), 1):
            edge = FENCE.match(line)
            if not edge and not is_code:
                prose.append(line)
                continue
            result += [self.turned("".join(prose), path, start), line]
            prose, start = [], number + 1
            is_code = is_code != bool(edge)
        result.append(self.turned("".join(prose), path, start))
        return with_addresses(without_comments("".join(result)))

    def decisions(self):
        links = "".join(f"- <doc:{name}>\n" for path, name in self.pages.items() if "decisions" in path)
        text = f"# Decisions\n\nChoices that someone will ask about, and what they were made for.\n\n## Topics\n\n### Records\n\n{links}"
        (self.catalogue / "decisions.md").write_text(text)

    def header(self):
        """The C header as a page: its sections are headings, its comments prose."""
        text = "# The C interface\n\nWhat `plumb.h` declares. How to use it: <doc:using-from-c>.\n"
        for name in ["plumb.h", *(f"plumb_{part}.h" for part in ("fusion", "movement", "rest", "taps", "tare", "vibration"))]:
            parts = re.split(r"^// ---- (.*?) ?-*\n(?:// -+\n)?\n", Path(HEADER, name).read_text(), flags=re.M)
            for title, code in zip([name, *parts[1::2]], parts[0::2]):
                text += f"\n## {title}\n" + "".join(declaration(chunk) for chunk in code.strip().split("\n\n"))
        (self.catalogue / "c-interface.md").write_text(text)


def declaration(chunk):
    """A declaration of the header with the comment before it, which becomes prose; its indented lines become a list."""
    comment, code = re.fullmatch(r"((?://[^\n]*(?:\n|$))*)(.*)", chunk, re.S).groups()
    lines = [line[2:].removeprefix(" ") for line in comment.splitlines()]
    prose = "\n".join("- " + re.sub(" {2,}", ": ", line.strip()) if line.startswith("  ") else line for line in lines)
    prose = re.sub(r"`[^`]*`|\b\w+_\w+\b", lambda name: f"`{name[0].strip('`')}`", prose.replace("*", "\\*"))
    prose = re.sub(r"\bdocs/([\w-]+)\.md", r"<doc:\1>", prose)
    if re.fullmatch(r"(#.*\n?|extern .*\n?|\}\n?)*", code):
        code = ""
    return f"\n{prose}\n" + (f"\n```c\n{code.strip()}\n```\n" if code else "")


def with_size(picture):
    """An SVG with the size of its view box, if it has none: DocC would show it as small as possible."""
    match = re.match(rb'(\s*(?:<\?.*?\?>\s*)?<svg)([^>]*viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"[^>]*>)', picture, re.S)
    if not match or b" width=" in match[2]:
        return picture
    size = b' width="%s" height="%s"' % (match[3], match[4])
    return match[1] + size + picture[match.end(1) :]


def with_addresses(text):
    """The page with the addresses of the project in place of their names."""
    addresses = dict(line.split() for line in Path(ADDRESSES).read_text().splitlines())
    return re.sub(r"\b(SITE|REPOSITORY)\b", lambda name: addresses[name[0].lower()], text)


def without_comments(text):
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.M | re.S)
    return "".join(part if part.lstrip().startswith("```") else re.sub(r"<!--.*?-->", "", part, flags=re.S) for part in parts)


def with_types(text, graphs):
    """The page with lists of types, by name, in place of the comments that ask for them."""
    def listed(comment):
        found = []
        for graph in graphs:
            symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
            for link in graph["relationships"]:
                base = symbols.get(link["target"])
                if base and base["names"]["title"] == comment[1] and link["kind"] in ("conformsTo", "inheritsFrom"):
                    found.append(symbols[link["source"]])
        names = sorted(symbol["names"]["title"] for symbol in found if len(symbol["pathComponents"]) == 1)
        return "".join(f"- ``{name}``\n" for name in names)
    return re.sub(r"^<!-- types: (\w+) -->\n", listed, text, flags=re.M)


def main():
    catalogue, symbols = Path(sys.argv[1]), Path(sys.argv[2])
    site = Site(catalogue, sys.argv[3] if len(sys.argv) > 3 else "")
    graphs = [json.loads(path.read_text()) for path in sorted(symbols.glob("*.symbols.json"))]
    catalogue.mkdir(parents=True)
    for path in [Path("docs/Plumb.docc"), *sorted(Path("Sources").glob("*/*/*.docc"))]:
        for file in sorted(path.iterdir()):
            if file.suffix == ".md":
                (catalogue / file.name).write_text(without_comments(with_types(file.read_text(), graphs)))
            else:
                site.take(file, file.name)
    landing = Path(LANDING).read_text()
    for path, name in site.pages.items():
        if (catalogue / f"{name}.md").exists():
            site.complaints.append(f"{path}: another page is named {name}, too")
        (catalogue / f"{name}.md").write_text(site.page(Path(path)))
        if "decisions" not in path and f"- <doc:{name}>\n" not in landing:
            site.complaints.append(f"{path}: in none of the topics of {LANDING}")
    site.decisions()
    site.header()
    print("\n".join(site.complaints), end="\n" if site.complaints else "")
    return 1 if site.complaints else 0


sys.exit(main())
