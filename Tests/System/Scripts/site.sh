#!/usr/bin/env bash
# Tests what scripts/site.sh makes of what has been built, what scripts/links.py finds, each kind of broken link planted
# in a site that is right, and what scripts/docs/relative.py makes of DocC's pages. Builds nothing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
parts=$work/parts
site=$work/site

# gives CODE TEXT COMMAND...: the command must exit with this code and print this text somewhere.
gives() {
  local code=$1 text=$2 said found=0
  shift 2
  said=$("$@" 2>&1) || found=$?
  if [ "$found" != "$code" ] || ! grep -qF -- "$text" <<<"$said"; then
    printf 'site: "%s" ended with %d, expected %d and "%s":\n%s\n' "$*" "$found" "$code" "$text" "$said" >&2
    failures=$((failures + 1))
  fi
}
make_site() { env SITE_PARTS="$parts" SITE_OUTPUT="$site" bash scripts/site.sh; }
links() { python3 -B scripts/links.py "$site"; }

# A page of DocC, as it makes one for the top of a server.
docc_page() {
  cat <<'END'
<!doctype html><html><head><link rel="icon" href="/favicon.ico"><script>var baseUrl = "/"</script>
<script src="/js/a.js"></script></head><body><template id="custom-header"><a href="/documentation/plumb/">Plumb</a></template>
<div id="app"></div></body></html>
END
}
docc_site() {
  mkdir -p "$parts/docs"/{documentation/plumb/some,js,data/documentation/plumb}
  touch "$parts/docs"/{favicon.ico,js/a.js}
  docc_page | tee "$parts/docs/documentation/plumb/index.html" >"$parts/docs/documentation/plumb/some/index.html"
  cat >"$parts/docs/data/documentation/plumb/some.json" <<'END'
{"hierarchy": {"paths": [["doc://x/plumb", "doc://x/gone"]]}, "references": {
  "doc://x/plumb": {"type": "topic", "url": "/documentation/plumb"},
  "doc://x/gone": {"type": "topic", "url": "/documentation/plumb/gone"}}}
END
  printf '<meta http-equiv="refresh" content="0; url=documentation/plumb/">\n' >"$parts/docs/index.html"
}

gives 69 'has no docs, web, apt or dist' make_site
gives 64 'unknown argument' bash scripts/site.sh x

# DocC's pages: as made, they work at the top of a server only.
docc_site
gives 1 '/js/a.js: works only at the top of a server' make_site
[ ! -e "$site" ] || { echo 'site: a site with broken links is made'; exit 1; } >&2
python3 -B scripts/docs/relative.py "$parts/docs"
gives 0 "no web/: $parts/web/index.html is missing; run make web" make_site
gives 0 '../../../js/a.js' cat "$site/docs/documentation/plumb/some/index.html"
gives 0 'new URL("../../", document.baseURI).pathname' cat "$site/docs/documentation/plumb/index.html"
gives 1 '' grep -r gone "$site"
gives 65 "is DocC's" python3 -B scripts/docs/relative.py packaging
# What is absent is named, not linked.
gives 1 '' grep -rE 'href="(web|apt|release)/' "$site/index.html"
gives 0 'class="absent">Three lines for a Raspberry Pi' cat "$site/index.html"

# All parts.
mkdir -p "$parts"/{web,apt,dist}
printf '<link rel="stylesheet" href="a.css"><a href="#here">x</a><b id="here">x</b>' >"$parts/web/index.html"
printf 'a { background: url(a.css) }' >"$parts/web/a.css"
printf '<body>\n<!-- site -->\n<a href="plumb.sources">x</a>\n' >"$parts/apt/index.html"
printf 'URIs: https://another.example/apt\n' >"$parts/apt/plumb.sources"
touch "$parts/dist"/{SHA256SUMS,plumb_1~a_arm64.deb}
gives 65 'another address' make_site
printf 'URIs: %s/apt\n' "$(sed -n 's/^site //p' packaging/address)" >"$parts/apt/plumb.sources"
gives 0 'release/ from ' make_site
gives 1 '' grep -r absent "$site" --include=index.html
gives 0 '<a href="../docs/">Documentation</a>' cat "$site/apt/index.html"
gives 0 'plumb_1%7Ea_arm64.deb' cat "$site/release/index.html"
gives 1 '' grep -rE '@[A-Z]+@' "$site"

# planted TEXT: a page with this on its third line, in a folder of the site; the place must be reported with the line.
planted() {
  printf '<p>\n<i>\n%s\n' "$1" >"$site/web/planted.html"
  gives 1 "web/planted.html:3: $2" links
  rm "$site/web/planted.html"
}
planted '<a href="gone.html">' 'gone.html: not there'
planted '<a href="../gone/">' '../gone/: not there'
planted '<a href="../apt">' '../apt: a folder, without / at its end'
planted '<a href="/apt/">' '/apt/: works only at the top of a server'
planted '<a href="../../elsewhere.html">' '../../elsewhere.html: leaves the folder'
planted '<a href="index.html#gone">' 'index.html#gone: no such place in that page'
planted '<img src=gone.png>' 'gone.png: not there'
planted '<img srcset="a.css 1x, gone.png 2x">' 'gone.png: not there'
planted '<p style="background: url(gone.png)">' 'gone.png: not there'
planted '<style>p { background: url("gone.png") }</style>' 'gone.png: not there'
planted '<meta http-equiv="refresh" content="0; url=gone.html">' 'gone.html: not there'
planted '<a href="http://plain.example/">' 'http://plain.example/: not by https'
planted '<a href="https://127.0.0.1:80/">' 'https://127.0.0.1:80/: this computer'
printf 'b { background: url(gone.png) }' >"$site/web/b.css"
gives 1 'web/b.css:1: gone.png: not there' links
rm "$site/web/b.css"
sed -i 's|"/documentation/plumb"|"/documentation/lost"|' "$site/docs/data/documentation/plumb/some.json"
gives 1 'some.json:1: /documentation/lost: not there' links
sed -i 's|"/documentation/lost"|"/documentation/plumb"|' "$site/docs/data/documentation/plumb/some.json"
gives 0 'work from any path' links

# The project's address in another file.
mkdir -p "$work/project"/{packaging,Tests,clients/python,docs/examples/python,Sources/Core/{FixedPoint,HAL,Sensors,Orientation,Gestures,Indication,Monitor,Vibration,CoreABI}}
cp packaging/address "$work/project/packaging"
gives 0 '' sh Tests/Proofs/Gates/rules.sh "$work/project"
printf 'one\nsee %s.\n' "$(sed -n 's|^repository https://||p' packaging/address)" >"$work/project/README.md"
gives 1 "README.md:2: the project's address is in packaging/address alone" sh Tests/Proofs/Gates/rules.sh "$work/project"

# Served in a folder of a server, by any server of static files: each file that a page names is there.
mkdir -p "$work/served/any"
cp -R "$site" "$work/served/any/base"
: >"$work/port"
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/served" 0 >"$work/port" 2>/dev/null &
server=$! limit=$((SECONDS + 60))
trap 'kill "$server"; rm -rf "$work"' EXIT
until port=$(sed -nE 's/.* port ([0-9]+) .*/\1/p' "$work/port") && [ -n "$port" ]; do
  if ! kill -0 "$server" || [ "$SECONDS" -ge "$limit" ]; then
    echo 'site: the server does not start' >&2
    exit 1
  fi
  sleep 0.05
done
python3 -B - "http://127.0.0.1:$port/any/base/" <<'END' || failures=$((failures + 1))
import sys, urllib.error, urllib.parse, urllib.request
sys.path.insert(0, "scripts")
from links import Page
top, seen, queue, broken = sys.argv[1], set(), [sys.argv[1]], 0
while queue:
    address = queue.pop()
    if address in seen:
        continue
    seen.add(address)
    try:
        with urllib.request.urlopen(address) as answer:
            text = answer.read().decode() if answer.headers.get_content_type() == "text/html" else ""
    except urllib.error.HTTPError as error:
        print(f"site: {address}: {error}", file=sys.stderr)
        broken += 1
        continue
    for _, link in Page(text).links:
        target = urllib.parse.urldefrag(urllib.parse.urljoin(answer.url, link)).url
        if target.startswith(top):
            queue.append(target)
        elif not target.startswith("https:"):
            print(f"site: {address}: {link} leaves the folder", file=sys.stderr)
            broken += 1
sys.exit(broken > 0 or len(seen) < 12)
END

[ "$failures" -eq 0 ] || exit 1
echo 'site: parts are put together, and broken links are found'
