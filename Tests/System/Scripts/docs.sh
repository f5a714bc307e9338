#!/usr/bin/env bash
# Tests what `make docs` checks besides docc's own warnings: links of the pages, comments of the public symbols, topics.
# Each on a small project that is right, and then with one error. Builds nothing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
scripts=$PWD/scripts/docs

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  printf 'docs: %s\n' "$1"
  exit 1
}

# refused WHAT COMMAND...: the command must exit with 1 and print exactly this line.
refused() {
  local wanted=$1 said code=0
  shift
  said=$("$@" 2>&1) || code=$?
  [ "$code" -eq 1 ] || fail "\"$wanted\" is not refused (code $code): $said"
  [ "$said" = "$wanted" ] || fail "expected: $wanted; found: $said"
}

pages() { (cd "$work/project" && rm -rf ../catalogue && python3 -B "$scripts/pages.py" ../catalogue ../graphs "$@"); }

project() {
  rm -rf "$work/project"
  mkdir -p "$work/graphs" "$work/project"/{packaging,docs/{Plumb.docc,decisions,pictures},Sources/Core/{Some/Some.docc,CoreABI/include}}
  cd "$work/project"
  printf 'site https://one.example/a\nrepository https://two.example/a.git\n' >packaging/address
  printf '# Plumb\n\n## Topics\n\n- <doc:one>\n- <doc:two>\n- <doc:three>\n- <doc:Some>\n' >docs/Plumb.docc/Plumb.md
  printf "# \`\`Some\`\`\n\n<!-- example: hidden -->\n\n<!-- types: Base -->\n- \`\`Last\`\`\n" >Sources/Core/Some/Some.docc/Some.md
  python3 -c '
import json
def symbol(*path): return {"identifier": {"precise": path[-1]}, "names": {"title": path[-1]}, "pathComponents": path}
links = [("conformsTo", "Two", "Base"), ("inheritsFrom", "One", "Base"), ("memberOf", "Other", "Base"),
         ("conformsTo", "Other", "Last"), ("conformsTo", "Inner", "Base")]
print(json.dumps({"symbols": [symbol("Base"), symbol("Two"), symbol("One"), symbol("Other"), symbol("Last"), symbol("One", "Inner")],
                  "relationships": [dict(zip(("kind", "source", "target"), link)) for link in links]}))
' >"$work/graphs/Some.symbols.json"
  printf '# 1. A choice\n\nBack to [one](../one.md).\n' >docs/decisions/0001-choice.md
  cat >docs/one.md <<'PAGE'
# One

See [the other](two.md), [its end](two.md#the-end-of-two), [here](#one), [a
choice](decisions/0001-choice.md), [all](decisions), [the header](../Sources/Core/CoreABI/include/plumb.h),
[a file](../Sources/Core/CoreABI/include/other.txt), [elsewhere](https://example.org/two.md).

<!-- a comment
of two lines -->
![A picture](pictures/small.svg) and `[no](link.md)`

```sh
echo '[no](link.md)' # <!-- kept -->
```
PAGE
  printf "# Two\n\n## The end of \`two\`\n\nSITE/apt of REPOSITORY, not of SITES\n" >docs/two.md
  printf '<svg xmlns="x" viewBox="0 0 30 40"></svg>' >docs/pictures/small.svg
  printf '<svg xmlns="x" width="3" viewBox="0 0 30 40"></svg>' >docs/pictures/small~dark.svg
  printf '// About it.\n// Two lines of old_name.\n#ifndef X\n\n// ---- Part ----\n\n// Gives *x. Error: docs/two.md.\nint get_x(void);\n' \
    >Sources/Core/CoreABI/include/plumb.h
  printf '// Fusion.\nint fusion(void);\n' >Sources/Core/CoreABI/include/plumb_fusion.h
  printf '// More.\nint more(void);\n' >Sources/Core/CoreABI/include/plumb_movement.h
  printf '// Rest.\nint rest(void);\n' >Sources/Core/CoreABI/include/plumb_rest.h
  printf '// Knocks.\nint knocks(void);\n' >Sources/Core/CoreABI/include/plumb_taps.h
  printf '// Zero.\nint zero(void);\n' >Sources/Core/CoreABI/include/plumb_tare.h
  printf '// Hum.\nint hum(void);\n' >Sources/Core/CoreABI/include/plumb_vibration.h
  printf 'x' >Sources/Core/CoreABI/include/other.txt
  cd "$OLDPWD"
}

project
said=$(pages) || fail "a project that is right is refused: $said"
[ -z "$said" ] || fail "a project that is right: $said"
expected="# One

See [the other](doc:two), [its end](doc:two#The-end-of-two), [here](doc:one#One), [a
choice](doc:0001-choice), [all](doc:decisions), [the header](doc:c-interface),
a file (\`Sources/Core/CoreABI/include/other.txt\`), [elsewhere](https://example.org/two.md).


![A picture](small.svg) and \`[no](link.md)\`

\`\`\`sh
echo '[no](link.md)' # <!-- kept -->
\`\`\`"
[ "$(cat "$work/catalogue/one.md")" = "$expected" ] || fail "links are turned otherwise: $(cat "$work/catalogue/one.md")"
grep -qx 'https://one.example/a/apt of https://two.example/a.git, not of SITES' "$work/catalogue/two.md" ||
  fail "the project's addresses are not filled in"
grep -q 'width="30" height="40"' "$work/catalogue/small.svg" || fail 'a picture without a size has none afterwards'
cmp -s "$work/project/docs/pictures/small~dark.svg" "$work/catalogue/small~dark.svg" || fail 'a picture with a size is changed'
grep -q 'hidden' "$work/catalogue/Some.md" && fail 'a comment is left in a catalogue'
[ "$(grep '^-' "$work/catalogue/Some.md" | paste -s -d ' ')" = "- \`\`One\`\` - \`\`Two\`\` - \`\`Last\`\`" ] ||
  fail "the types of a catalogue are listed otherwise: $(cat "$work/catalogue/Some.md")"
grep -qx -- '- <doc:0001-choice>' "$work/catalogue/decisions.md" || fail 'a decision is not listed'
grep -qxF "Gives \\*x. Error: <doc:two>." "$work/catalogue/c-interface.md" || fail 'the comments of the header are no prose'
grep -qxF "Two lines of \`old_name\`." "$work/catalogue/c-interface.md" || fail 'names in the header are no code'
pages https://example.org/files >/dev/null
grep -qF '[a file](https://example.org/files/Sources/Core/CoreABI/include/other.txt)' "$work/catalogue/one.md" ||
  fail 'files have no address where one is given'

printf '# Three\n\n[nothing](four.md)\n' >"$work/project/docs/three.md"
refused 'docs/three.md:3: a link to four.md, which is not there' pages
printf '# Three\n\nText\nand [nothing](two.md#end).\n' >"$work/project/docs/three.md"
refused 'docs/three.md:4: a link to two.md#end, which has no such heading' pages
printf '# Three\n\n~~~c\n~~~\n\n![gone](pictures/big.svg)\n' >"$work/project/docs/three.md"
refused 'docs/three.md:6: a link to pictures/big.svg, which is not there' pages
rm "$work/project/docs/three.md"
printf '# Some\n' >"$work/project/docs/Some.md"
refused 'docs/Some.md: another page is named Some, too' pages
mv "$work/project/docs/Some.md" "$work/project/docs/lost.md"
refused 'docs/lost.md: in none of the topics of docs/Plumb.docc/Plumb.md' pages

symbol() { # KIND, PATH, COMMENT
  printf '{"kind": {"identifier": "%s"}, "pathComponents": ["%s"], "docComment": {"lines": [{"text": "%s"}]},
    "location": {"uri": "file:///a/B.swift", "position": {"line": 6}}}' "$1" "$2" "$3"
}
mkdir "$work/symbols"
graph=$work/symbols/Some.symbols.json
printf '{"symbols": [%s, %s]}' "$(symbol swift.struct Good 'Is good.')" "$(symbol swift.extension Bad '')" >"$graph"
said=$(python3 -B "$scripts/symbols.py" comments "$work/symbols") || fail "symbols that have comments: $said"
printf '{"symbols": [%s, %s]}' "$(symbol swift.struct Good 'Is good.')" "$(symbol swift.struct Bad ' ')" >"$graph"
refused '/a/B.swift:7: Bad has no comment' python3 -B "$scripts/symbols.py" comments "$work/symbols"

mkdir -p "$work/site"/{index,data/documentation}
page() { # GENERATED
  printf '{"metadata": {"title": "Some"}, "topicSections": [{"title": "Structures", "identifiers": ["doc://x/Some/Good"]%s}]}' "$1"
}
index() { printf '{"interfaceLanguages": {"swift": [{"title": "Plumb"}%s]}}' "$1" >"$work/site/index/index.json"; }
index ''
page '' >"$work/site/data/documentation/some.json"
said=$(python3 -B "$scripts/symbols.py" topics "$work/site") || fail "a site that is right: $said"
page ', "generated": true' >"$work/site/data/documentation/some.json"
refused 'Some: in none of the topics of its page: Good' python3 -B "$scripts/symbols.py" topics "$work/site"
page '' >"$work/site/data/documentation/some.json"
index ', {"title": "Lost"}'
refused 'docs/Plumb.docc/Plumb.md: Lost is in none of the topics' python3 -B "$scripts/symbols.py" topics "$work/site"

manifest='{"products": [
  {"name": "tool", "type": {"executable": null}, "targets": ["Tool"]},
  {"name": "Bridge", "type": {"library": ["dynamic"]}, "targets": ["A", "B"]},
  {"name": "Face", "type": {"library": ["automatic"]}, "targets": ["Face"]}]}'
mkdir -p "$work/project/Sources/Products/Face"
printf '@_exported public import C\nimport E\n@_exported public import D\n' >"$work/project/Sources/Products/Face/Face.swift"
said=$(cd "$work/project" && python3 -B "$scripts/symbols.py" libraries <<<"$manifest" | paste -s -d ' ')
[ "$said" = 'A B C D' ] || fail "the modules of the libraries are A, B, C and D, not $said"
echo 'docs: links, comments and topics are judged right'
