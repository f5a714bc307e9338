#!/usr/bin/env bash
# Adds plumb.js and the page to build/web, beside the module that scripts/web.sh has put there.
#
#     scripts/web-page.sh
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."

panel=Sources/Web/Panel page=Sources/Web/Page out=build/web
work=build/objects/web-page
mkdir -p "$work"

# Without comments of whole lines, and without indentation.
stripped() { awk '/^ *\/\*/ && !/\*\/./ { skips = 1 } !skips && !/^ *\/\// { sub(/^ +/, ""); print } /\*\/$/ { skips = 0 }' "$@"; }

# placed FILE: into build/web, if it differs.
placed() { cmp -s "$work/$1" "$out/$1" || cp -f "$work/$1" "$out/$1"; }

# The panel's scripts come first, as in the page of `plumb serve`. Packed without a name and a time, so that the same
# script gives the same bytes.
{
  echo '"use strict";'
  stripped "$panel"/{poses,board,chart,panel}.js "$page"/{attitude,past,recording,phone,serial,emulated,index}.js
} >"$work/page.js"
stripped "$panel/panel.css" "$page/index.css" >"$work/page.css"
for file in page.js page.css; do gzip -9nc "$work/$file" >"$work/$file.gz"; done
stripped "$page/load.js" >"$work/load.js"
stripped clients/javascript/plumb.js >"$work/plumb.js"

digest=$(sha256sum "$work/page.js" | cut -c 1-64 | sed 's/../\\x&/g')
hash=sha256-$(printf '%b' "$digest" | base64)
awk -v panel="$panel/panel.html" -v hash="$hash" '
  { sub(/@HASH@/, hash) }
  $0 == "<!--PANEL-->" { while ((getline line < panel) > 0) { sub(/^ +/, "", line); print line } next }
  { sub(/^ +/, ""); print }' "$page/index.html" >"$work/index.html"

# What the page loads, which its worker keeps, and a version that depends on all of it.
files=(load.js page.css.gz page.js.gz plumb.js plumb.wasm.gz)
for file in index.html load.js page.css.gz page.js.gz plumb.js; do placed "$file"; done
version=$(cd "$out" && sha256sum index.html "${files[@]}" | sha256sum | cut -c 1-16)
list=$(printf ', "%s"' ./ "${files[@]}")
stripped "$page/worker.js" | sed "s|\"@FILES@\"|${list#, }|; s|@VERSION@|$version|" >"$work/worker.js"
placed worker.js
