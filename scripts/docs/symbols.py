"""Reports what is missing in the documentation of the public symbols.

    symbols.py libraries                    reads `swift package dump-package`, prints the modules of its libraries, and those that
                                            they re-export; not one that is a single file of imports
    symbols.py comments FOLDER              whether each public symbol of FOLDER/*.symbols.json has a doc comment
    symbols.py topics SITE                  whether each page of the built SITE is in a group that someone chose

Prints what is missing, one per line, and then exits with 1.
"""

import json
import re
import sys
from pathlib import Path


def libraries():
    package = json.load(sys.stdin)
    found = []
    for product in package["products"]:
        if "library" in product["type"]:
            for target in product["targets"]:
                files = list(Path("Sources").glob(f"*/{target}/*.swift"))
                if target != product["name"] or len(files) > 1:
                    found.append(target)
                for file in files:
                    found += re.findall(r"@_exported public import (\w+)", file.read_text())
    return dict.fromkeys(found)


def comments(folder):
    for path in sorted(folder.glob("*.symbols.json")):
        for symbol in json.loads(path.read_text())["symbols"]:
            # A block `extension X` is not a symbol itself: its contents are.
            if symbol["kind"]["identifier"] == "swift.extension":
                continue
            text = "".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
            if not text.strip():
                place = symbol.get("location", {})
                line = place.get("position", {}).get("line", -1) + 1
                yield f"{place.get('uri', path.name).removeprefix('file://')}:{line}: {'.'.join(symbol['pathComponents'])} has no comment"


def topics(site):
    roots = json.loads((site / "index/index.json").read_text())["interfaceLanguages"]["swift"]
    for root in roots:
        if root["title"] != "Plumb":
            yield f"docs/Plumb.docc/Plumb.md: {root['title']} is in none of the topics"
    pages = site / "data/documentation"
    for path in sorted(pages.glob("*.json")):
        page = json.loads(path.read_text())
        for group in page.get("topicSections", []):
            if group.get("generated"):
                names = ", ".join(identifier.rsplit("/", 1)[1] for identifier in group["identifiers"])
                yield f"{page['metadata']['title']}: in none of the topics of its page: {names}"


def main():
    what, arguments = sys.argv[1], [Path(argument) for argument in sys.argv[2:]]
    found = list({"libraries": libraries, "comments": comments, "topics": topics}[what](*arguments))
    print("\n".join(found), end="\n" if found else "")
    return 0 if what == "libraries" or not found else 1


sys.exit(main())
