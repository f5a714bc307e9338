"""Checks the links of a folder of static pages: that each leads to a file in it, from wherever the folder is served.

    links.py FOLDER

Reads the pages, their styles, and what DocC's pages load: the data of each page, whose addresses begin at the folder.
Prints each link as file:line: what is wrong, and then exits with 1. A link is wrong if

- it begins with /, which leaves the folder where that is not at the top of its server; or leaves it by ..;
- nothing is there: no file, or a folder without index.html;
- it names a place in a page, and no element has that name (not in DocC's pages, which make theirs in the browser);
- it is to http, or to this computer: the files must be the same wherever they are.

Fetches nothing: a link to another server is not followed.
"""

import json
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

ADDRESSES = {"href", "src", "poster", "data", "action", "formaction"}
HERE = re.compile(r"^(localhost|127\.|\[::1\]|0\.0\.0\.0)")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.names, self.is_docc, self.style = [], set(), 'id="app"' in text and "baseUrl" in text, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.style = [] if tag == "style" else self.style
        fields = dict(attributes)
        self.names |= {fields[name] for name in ("id", "name") if fields.get(name)}
        for name, value in attributes:
            if value is None:
                continue
            if name in ADDRESSES:
                self.add(value)
            elif name == "srcset":
                for part in value.split(","):
                    self.add(part.split()[0] if part.split() else "")
            elif name == "style":
                self.add_styles(value)
        if tag == "meta" and (fields.get("http-equiv") or "").lower() == "refresh":
            self.add(re.sub(r"^[^;]*; *url=", "", fields.get("content") or "", flags=re.I))

    def handle_data(self, data):
        if self.style is not None:
            self.add_styles(data)

    def handle_endtag(self, tag):
        self.style = None if tag == "style" else self.style

    def add(self, link):
        self.links.append((self.getpos()[0], link.strip()))

    def add_styles(self, text):
        for link in styles(text):
            self.add(link)


def styles(text):
    return [match[1] for match in re.finditer(r"""(?:url\(\s*|@import\s+)["']?([^"')\s]+)""", text)]


class Checker:
    def __init__(self, folder):
        self.folder, self.pages, self.complaints, self.count = os.path.realpath(folder), {}, [], 0

    def page(self, path):
        if path not in self.pages:
            with open(path, encoding="utf-8") as file:
                self.pages[path] = Page(file.read())
        return self.pages[path]

    def complain(self, path, line, link, why):
        self.complaints.append(f"{os.path.relpath(path, self.folder)}:{line}: {link}: {why}")

    def target(self, start, path):
        """The file that a server returns for a path from the folder `start`; nothing if there is none."""
        found = os.path.normpath(os.path.join(start, unquote(path)))
        if os.path.isdir(found):
            found = os.path.join(found, "index.html")
        return found if os.path.isfile(found) else None

    def check(self, path, line, link):
        self.count += 1
        try:
            parts = urlsplit(link)
        except ValueError:
            return self.complain(path, line, link, "no address")
        if parts.scheme in ("data", "mailto", "javascript", "about", "blob"):
            return None
        if parts.scheme or parts.netloc:
            if HERE.match(parts.netloc):
                return self.complain(path, line, link, "this computer")
            if parts.scheme != "https":
                return self.complain(path, line, link, "not by https")
            return None
        if parts.path.startswith("/"):
            return self.complain(path, line, link, "works only at the top of a server")
        start = os.path.dirname(path)
        found = self.target(start, parts.path) if parts.path else path
        inside = os.path.normpath(os.path.join(start, unquote(parts.path)))
        if inside != self.folder and not inside.startswith(self.folder + os.sep):
            return self.complain(path, line, link, "leaves the folder")
        if found is None:
            return self.complain(path, line, link, "not there")
        if os.path.isdir(inside) and parts.path and not parts.path.endswith("/") and parts.path not in (".", ".."):
            return self.complain(path, line, link, "a folder, without / at its end")
        if parts.fragment and found.endswith(".html"):
            page = self.page(found)
            if not page.is_docc and unquote(parts.fragment) not in page.names:
                return self.complain(path, line, link, "no such place in that page")
        return None

    def check_data(self, path, root):
        """The links of a page that DocC made: addresses from its root `/`, and names of pictures."""
        with open(path, encoding="utf-8") as file:
            references = json.load(file).get("references", {})
        for reference in references.values():
            links = [variant["url"] for variant in reference.get("variants", [])]
            if reference.get("type") not in ("image", "video", "download", "unresolvable"):
                links.append(reference.get("url", ""))
            for link in links:
                self.count += 1
                if link.startswith("/") and self.target(root, link.partition("#")[0].lstrip("/")) is None:
                    self.complain(path, 1, link, "not there")

    def run(self):
        for folder, folders, names in os.walk(self.folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".html", ".htm")):
                    for line, link in self.page(path).links:
                        self.check(path, line, link)
                elif name.endswith(".css"):
                    with open(path, encoding="utf-8") as file:
                        for number, text in enumerate(file, 1):
                            for link in styles(text):
                                self.check(path, number, link)
                elif name.endswith(".json") and os.sep + os.path.join("data", "documentation") in path:
                    self.check_data(path, path.rpartition(os.sep + "data" + os.sep)[0])
        return self.complaints


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print("links: usage: links.py FOLDER", file=sys.stderr)
        return 64
    checker = Checker(sys.argv[1])
    complaints = checker.run()
    for complaint in complaints:
        print(complaint)
    if complaints:
        print(f"links: {len(complaints)} of {checker.count} links are wrong", file=sys.stderr)
        return 1
    print(f"links: {checker.count} links in {len(checker.pages)} pages work from any path")
    return 0


if __name__ == "__main__":
    sys.exit(main())
