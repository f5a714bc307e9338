#!/usr/bin/env bash
# Puts what has been built for readers into one folder of static files, for any host and any path on it: build/site.
#
#     scripts/site.sh      (after any of `make docs`, `make web`, `make apt`, `make dist`)
#
#     docs/       the documentation, build/docs
#     web/        the page with the core in the browser, build/web
#     apt/        the APT repository, build/apt
#     release/    the files of a release, build/dist
#
# The first page links what is there, and names what has not been built. Then checks all links (scripts/links.py).
#
#     SITE_PARTS    the folder of docs, web, apt and dist; build by default
#     SITE_OUTPUT   the folder of the site, which is made anew; build/site by default
#
# Exit codes: 0 done; 1 a link is broken; 64 wrong usage; 65 the APT repository is for another address; 69 nothing has
# been built.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
umask 022

parts=${SITE_PARTS:-build}
output=${SITE_OUTPUT:-build/site}
site=$(sed -n 's/^site //p' packaging/address)

stop() {
  local code=$1
  shift
  printf 'site: %s\n' "$@" >&2
  exit "$code"
}
[ $# -eq 0 ] || stop 64 "unknown argument \"$1\"."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
new=$work/site
mkdir "$new"
nav=''
doors=''
count=0

# part NAME SOURCE FILE TARGET TITLE TEXT: copies $parts/SOURCE to NAME and links NAME/, if FILE is there; otherwise
# says that `make TARGET` has not been run.
part() {
  doors+="<h2>$5</h2>"$'\n'
  if [ -f "$parts/$2/$3" ]; then
    cp -R --reflink=auto "$parts/$2" "$new/$1"
    doors+="<p><a href=\"$1/\">$6</a></p>"$'\n'
    nav+="<a href=\"@UP@$1/\">$5</a>"$'\n'
    count=$((count + 1))
    printf 'site: %s/ from %s\n' "$1" "$parts/$2"
  else
    doors+="<p class=\"absent\">$6: not on this site.</p>"$'\n'
    printf 'site: no %s/: %s is missing; run make %s\n' "$1" "$parts/$2/$3" "$4"
  fi
}

# fill FILE UP: prints a page with the bar and the doors; UP is the way from it to the first page.
fill() {
  local line bar="<nav aria-label=\"Plumb\">"$'\n'"<a href=\"$2\">Plumb</a>"$'\n'"${nav//@UP@/$2}</nav>"
  while IFS= read -r line; do
    case $line in
      @NAV@ | '<!-- site -->') printf '%s\n' "$bar" ;;
      @DOORS@) printf '%s' "$doors" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <"$1"
}

# A page that lists the files of the release.
list_release() {
  local file
  doors='<table>'$'\n'
  while read -r file; do
    doors+="<tr><td><a href=\"${file//'~'/%7E}\">$file</a></td>"
    doors+="<td>$(($(stat -c %s "$new/release/$file") / 1024)) KiB</td></tr>"$'\n'
  done < <(cd "$new/release" && find . -type f -printf '%P\n' | sort)
  doors+='</table>'$'\n'
  fill packaging/site/release.html ../ >"$new/release/index.html"
}

if [ -f "$parts/apt/plumb.sources" ] && ! grep -qxF "URIs: $site/apt" "$parts/apt/plumb.sources"; then
  stop 65 "$parts/apt is for another address than $site/apt: run make apt without APT_ADDRESS."
fi
part web web index.html web 'In the browser' 'A phone or an emulated board, in the browser, with nothing to install'
part apt apt index.html apt 'By apt' 'Three lines for a Raspberry Pi, and the packages'
part docs docs index.html docs 'Documentation' 'Guides and reference'
part release dist SHA256SUMS dist 'Release' 'The files of the release, with their checksums'
[ "$count" -gt 0 ] || stop 69 "$parts has no docs, web, apt or dist."

cp packaging/site/style.css "$new"
fill packaging/site/index.html ./ >"$new/index.html"
if [ -d "$new/apt" ]; then
  fill "$new/apt/index.html" ../ >"$work/page"
  cat "$work/page" >"$new/apt/index.html"
fi
[ ! -d "$new/release" ] || list_release

python3 -B scripts/links.py "$new"
rm -rf "$output"
mkdir -p "$(dirname "$output")"
mv "$new" "$output"
printf 'site: %s. To read it: python3 -m http.server --bind 127.0.0.1 --directory %s 8000\n' "$output" "$output"
