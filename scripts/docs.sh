#!/usr/bin/env bash
# Builds the documentation of all public modules as one site of static files: build/docs.
#
#     scripts/docs.sh
#
# Uses the tools of the Swift toolchain: swift-symbolgraph-extract reads the modules of the libraries, and docc makes
# pages from their comments, from the catalogues Sources/*/*/*.docc and docs/Plumb.docc, and from the pages of docs/.
# Fetches nothing and needs nothing in Package.swift. Fails if a public symbol has no comment, a link is broken, a page
# is in no topic, or docc prints a warning.
#
# SWIFT        the swift to use
# SCRATCH      where `make build` puts the modules; .build by default
# SOURCE_URL   where the project's files can be viewed, such as https://forge.example/plumb/blob/main. Without it, pages
#              name such files without a link
#
# The site works from any path of a server.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
scratch=${SCRATCH:-.build}
site=build/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Next to the compiler itself, even if the one on the PATH is only a link or a launcher.
target=$("$swift" -print-target-info)
field() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)" <<<"$target"; }
tools=$(dirname "$(dirname "$(field '["paths"]["runtimeResourcePath"]')")")/bin
triple=$(field '["target"]["triple"]')
for tool in docc swift-symbolgraph-extract; do
  [ -x "$tools/$tool" ] || {
    printf 'docs: the Swift toolchain has no %s: looked in %s\n' "$tool" "$tools" >&2
    exit 69
  }
done

# The flags of `make build`, so that no module is compiled again.
read -ra flags <scripts/build-flags
flags+=(-c release --scratch-path "$scratch")
modules=$("$swift" package --scratch-path "$scratch" dump-package | python3 scripts/docs/symbols.py libraries)
echo 'docs: the modules of the libraries'
for module in $modules; do
  "$swift" build "${flags[@]}" --quiet --target "$module"
done
bin=$("$swift" build "${flags[@]}" --show-bin-path)

maps=()
for map in "$bin"/*.build/module.modulemap Sources/*/*/module.modulemap; do
  [ ! -e "$map" ] || maps+=(-Xcc "-fmodule-map-file=$map")
done

mkdir "$work/symbols"
for module in $modules; do
  # A C target has no Swift module.
  [ -e "$bin/Modules/$module.swiftmodule" ] || continue
  "$tools/swift-symbolgraph-extract" -module-name "$module" -I "$bin/Modules" "${maps[@]}" -target "$triple" \
    -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols -output-dir "$work/symbols"
  # A module with only package declarations has no pages.
  if grep -q '"symbols":\[\]' "$work/symbols/$module.symbols.json"; then rm "$work/symbols/$module.symbols.json"; fi
done

echo 'docs: comments of the public symbols'
python3 scripts/docs/symbols.py comments "$work/symbols"
echo 'docs: links of the pages'
python3 scripts/docs/pages.py "$work/Plumb.docc" "$work/symbols" "${SOURCE_URL:-}"
echo 'docs: docc'
is_fine=yes
# docc hangs if faketime, which `make reproduce` uses, is preloaded. It writes sets and dictionaries in their own order,
# which differs between runs without the variable.
env -u LD_PRELOAD SWIFT_DETERMINISTIC_HASHING=1 "$tools/docc" convert "$work/Plumb.docc" --additional-symbol-graph-dir "$work/symbols" --output-dir "$work/site" \
  --fallback-display-name Plumb --fallback-bundle-identifier plumb --fallback-default-module-kind Module \
  --transform-for-static-hosting --hosting-base-path / --experimental-enable-custom-templates --warnings-as-errors \
  >"$work/said" 2>&1 || is_fine=
sed '/^$/d' "$work/said"
[ -n "$is_fine" ] || exit 65
echo 'docs: topics'
python3 scripts/docs/symbols.py topics "$work/site"

python3 scripts/docs/relative.py "$work/site"
# DocC's own page for the root shows nothing there.
cat >"$work/site/index.html" <<'HTML'
<!doctype html>
<meta charset="utf-8">
<title>Plumb</title>
<meta http-equiv="refresh" content="0; url=documentation/plumb/">
<a href="documentation/plumb/">Plumb</a>
HTML
rm -rf "$site"
mkdir -p "$(dirname "$site")"
mv "$work/site" "$site"
echo "docs: $site. To read it: python3 -m http.server --bind 127.0.0.1 --directory $site 8000, then http://127.0.0.1:8000"
