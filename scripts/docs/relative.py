"""Lets a site of DocC work from any path of a server, not only from the one that it was made for.

    relative.py SITE

DocC's pages name their scripts, styles and links by paths from the top of the server, and its script looks there for
the data of each page. Here each page names them from its own folder, and computes the place of the site from its own
address. The links of the header become absolute in the browser, because DocC shows other pages without loading them.

Also removes the link to a page that DocC does not write: the one above what a module adds to the types of another one.
"""

import json
import re
import sys
from pathlib import Path

BASE = 'var baseUrl = "/"'
HEADER = re.compile(r'(<template id="custom-header">.*?</template>)', re.S)
FIX = """<script>for (const link of document.getElementById("custom-header").content.querySelectorAll("a"))
  link.href = new URL(link.getAttribute("href"), document.baseURI).pathname</script>"""


def relative(page, depth):
    up = "../" * depth or "./"
    page = page.replace(BASE, f'var baseUrl = new URL("{up}", document.baseURI).pathname')
    page = re.sub(r'\b(href|src)="/(?!/)', rf'\1="{up}', page)
    return HEADER.sub(rf"\1{FIX}", page)


def without_absent(data, site):
    """The data of a page without absent ones above it; nothing if all are there."""
    references = data.get("references", {})
    absent = {
        name
        for path in data.get("hierarchy", {}).get("paths", [])
        for name in path
        if "url" in references.get(name, {})
        and not (site / references[name]["url"].lstrip("/") / "index.html").exists()
    }
    if not absent:
        return None
    data["hierarchy"]["paths"] = [[name for name in path if name not in absent] for path in data["hierarchy"]["paths"]]
    text = json.dumps({key: value for key, value in data.items() if key != "references"})
    for name in absent:
        if json.dumps(name) not in text:
            del references[name]
    return data


def main():
    site = Path(sys.argv[1])
    count = 0
    for path in sorted(site.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        if BASE in page:
            path.write_text(relative(page, len(path.relative_to(site).parts) - 1), encoding="utf-8")
            count += 1
    for path in sorted((site / "data").rglob("*.json")):
        data = without_absent(json.loads(path.read_text(encoding="utf-8")), site)
        if data:
            path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    if count == 0:
        print(f"relative: no page in {site} is DocC's", file=sys.stderr)
        return 65
    return 0


sys.exit(main())
