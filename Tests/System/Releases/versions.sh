#!/usr/bin/env bash
# Checks that the version is the same everywhere: in Sources/Linux/Text/Release.swift, where it is changed; in
# CHANGELOG.md; in the output of the programs; in the C header; and in the Debian packages of that name.
#
#     Tests/System/Releases/versions.sh [--release VERSION] [PROGRAM]...      (no PROGRAM: only source and packages)
#
# --release: it must be that version, and CHANGELOG.md must have its date.
#
# Exit codes: 0 consistent; 1 not.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

failures=0
# is WHAT VERSION: checks the version.
is() {
  [ "$2" = "$version" ] || {
    printf 'versions: %s is "%s", and Sources/Linux/Text/Release.swift has "%s"\n' "$1" "$2" "$version" >&2
    failures=$((failures + 1))
  }
}

version=$(sed -n 's/.*version: StaticString { "\(.*\)" }.*/\1/p' Sources/Linux/Text/Release.swift)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || {
  printf 'versions: Sources/Linux/Text/Release.swift: "%s" is no version\n' "$version" >&2
  exit 1
}
newest=$(grep -m 1 '^## ' CHANGELOG.md)
if [ "${1:-}" = --release ]; then
  is 'the version to be released' "$2"
  [[ $newest =~ ^##\ \[[^]]*\]\ -\ [0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || {
    printf 'versions: CHANGELOG.md: "%s" has no date\n' "$newest" >&2
    failures=$((failures + 1))
  }
  shift 2
fi
is 'the newest in CHANGELOG.md' "$(sed -nE 's/^## \[([^]]*)\] - (unreleased|[0-9]{4}-[0-9]{2}-[0-9]{2})$/\1/p' <<<"$newest")"
is 'PLUMB_VERSION in plumb.h' "$(sed -nE 's/^#define PLUMB_VERSION "(.*)"$/\1/p' Sources/Core/CoreABI/include/plumb.h)"
for program in "$@"; do
  said=$("$program" --version)
  case ${program##*/} in
    plumb) is "$program --version" "$said" ;;
    # Daemons also print their name.
    *) is "$program --version" "${said#"${program##*/} "}" ;;
  esac
done
for package in build/{deb,dist}/*"_${version/-/\~}_"*.deb; do
  [ ! -f "$package" ] || is "$package" "$(dpkg-deb -f "$package" Version | tr '~' -)"
done
[ "$failures" -eq 0 ] || exit 1
printf 'versions: %s everywhere\n' "$version"
