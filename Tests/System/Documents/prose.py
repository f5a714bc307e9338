"""What the text of a page names: links, pictures, commands, options, paths, tests. All of it must exist."""

import glob
import os
import re
import urllib.parse

import commands
import pages

PICTURE = re.compile(r"<(?:img|source|a)\b[^>]*?(?:src|srcset|href)=\"([^\"]+)\"")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
PATH = re.compile(r"^(Sources|Tests|docs|scripts|boards|packaging|CSupport)/[\w./+*<>{},-]*$|^\.ci/run$")
SUITE = re.compile(r"^[A-Z]\w+Tests$")
# Options in the text that belong to other programs.
FOREIGN = {"--gc-sections", "--now", "--filter"}


class Prose:
    """Checks the text of one page."""

    def __init__(self, project, page):
        self.project, self.page, self.ledger = project, page, project.ledger
        self.folder = os.path.dirname(os.path.join(project.root, page.path))

    def check(self):
        # A link or a piece of code may continue on the next line of its paragraph.
        begin, paragraph, promises = 0, [], False
        for number, line in enumerate([*self.page.prose, ""]):
            promises = line.startswith("|") and (promises or line.startswith("| promise |"))
            if promises:
                self.promise(f"{self.page.path}:{number + 1}", line)
            if line.strip() and not line.startswith("|"):
                if not paragraph:
                    begin = number
                paragraph.append(line.strip())
                continue
            if paragraph:
                self.text(begin + 1, " ".join(paragraph))
                paragraph = []
            if line.strip():
                self.text(number + 1, line.replace("\\|", "|"))

    def text(self, line, text):
        place = f"{self.page.path}:{line}"
        without_code = CODE.sub(lambda match: "`" * len(match[0]), text)
        for match in LINK.finditer(without_code):
            self.link(place, match[1].strip("<>"))
        for match in PICTURE.finditer(without_code):
            self.link(place, match[1])
        for match in CODE.finditer(text):
            if len(match[1]) == 1:
                self.code(place, match[2].strip())

    def promise(self, place, row):
        """A row of a table of promises must name the command that proves it."""
        cells = row.replace("\\|", " ").strip("|").split("|")
        if cells[0].strip() == "promise" or set(row) <= set("|- "):
            return
        if "`" in cells[-1] or cells[-1].strip() == "the same":
            self.ledger.count("promises with a command")
        else:
            self.ledger.fault(place, "no command shows this promise")

    def link(self, place, target):
        if re.match(r"[a-z]+:", target):
            if target.startswith("doc:"):
                self.article(place, target[4:])
            return
        name, _, anchor = urllib.parse.unquote(target).partition("#")
        path = os.path.normpath(os.path.join(self.folder, name)) if name else os.path.join(
            self.project.root, self.page.path)
        if not os.path.exists(path) and not self.is_resource(name):
            self.ledger.fault(place, f"the link leads nowhere: {target}")
            return
        if anchor and path.endswith(".md"):
            with open(path, encoding="utf-8") as file:
                if anchor not in pages.anchors(pages.read(name, file.read())):
                    self.ledger.fault(place, f"there is no heading for this link: {target}")
                    return
        self.ledger.count("links")

    def is_resource(self, name):
        """In a DocC catalogue a picture is referenced by name, wherever it is."""
        catalogue = self.catalogue()
        if not catalogue or "/" in name:
            return False
        stems = {
            re.sub(r"(~dark)?(@2x)?\.\w+$", "", file) for _, _, files in os.walk(catalogue) for file in files}
        return name in stems or re.sub(r"\.\w+$", "", name) in stems

    def catalogue(self):
        parts = self.page.path.split("/")
        for index, part in enumerate(parts):
            if part.endswith(".docc"):
                return os.path.join(self.project.root, *parts[: index + 1])
        return None

    def article(self, place, name):
        """DocC resolves the names of articles; here it is enough that one in this module has the name."""
        name, _, anchor = name.partition("#")
        if not name:
            return
        stem = name.rsplit("/", 1)[-1]
        for path in self.project.paths:
            if path.endswith(f"/{stem}.md"):
                self.ledger.count("links")
                return
        if not re.match(r"^(/?documentation/)?[A-Z]\w*(/|$)", name):
            self.ledger.fault(place, f"there is no article of this name: doc:{name}{'#' + anchor if anchor else ''}")

    def code(self, place, text):
        words = commands.split(text) or text.split()
        if not words:
            return
        program = commands.program_of(words)
        if program == "plumb":
            self.plumb(place, words)
        elif program == "plumbd":
            for word in words[1:]:
                if word.startswith("--"):
                    self.option(place, word)
        elif program == "make":
            self.make(place, words, text)
        elif PATH.match(words[0]):
            self.path(place, words[0])
        elif program in ("bash", "sh", "python3") and len(words) > 1 and PATH.match(words[1]):
            self.path(place, words[1])
        elif SUITE.match(text):
            self.suite(place, text)
        elif re.match(r"^--[a-z][\w-]+(?=$|[ =])", text):
            self.option(place, words[0].split("=")[0])
        if "--filter" in words:
            self.project.check_filter(place, text)

    def plumb(self, place, words):
        complaint = self.project.parser.complaint(words)
        if complaint:
            self.ledger.fault(place, f"`{' '.join(words)}`: {complaint}")
        else:
            self.ledger.count("commands named in the text")

    def make(self, place, words, text):
        names = [word for word in words[1:] if re.fullmatch(r"[a-z][a-z-]*", word)]
        for name in names:
            if name not in self.project.targets:
                self.ledger.fault(place, f'`{text}`: the Makefile has no target "{name}"')
            else:
                self.ledger.count("commands named in the text")
        self.project.check_filter(place, text)

    def path(self, place, path):
        if self.is_elsewhere(path):
            return
        wild = re.sub(r"<[^>]*>|\{[^}]*\}|\b[A-Z]\b|\bFILE\b", "*", path)
        if glob.glob(os.path.join(self.project.root, wild)):
            self.ledger.count("paths named in the text")
        else:
            self.ledger.fault(place, f"there is no {path}")

    def suite(self, place, name):
        if any(name in test for test in self.project.tests):
            self.ledger.count("tests named in the text")
        else:
            self.ledger.fault(place, f"there are no tests of the name {name}")

    def is_elsewhere(self, name):
        """Whether the page says that this is not part of the project."""
        return any(word in name for word in self.page.elsewhere)

    def option(self, place, option):
        if self.is_elsewhere(option):
            return
        if option in self.project.options or option in FOREIGN:
            self.ledger.count("options named in the text")
        else:
            self.ledger.fault(place, f"no command has the option {option}")
