#!/usr/bin/env bash
# Gathers a release in build/dist, with its bill of materials and the checksums of all files.
#
#     scripts/dist.sh [source|core|deb|tool|docs|pico]...      (default: all; `make dist` first builds what they need)
#
#     source   plumb-<version>.tar.xz: the files of the last commit; a build from it needs no Git
#     core     plumb-core-<version>-<target>.tar.xz: the C library and its headers, for each target
#     deb      the Debian packages of the daemons, for amd64, arm64, armhf and armel
#     tool     plumb-tool for the architecture of this machine: a Debian package, and an archive to unpack anywhere
#     docs     plumb-docs-<version>.tar.xz: the documentation as a site
#     pico     plumb-pico-<version>.tar.xz: the firmware for a Pico, for each boards/pico-*.ini
#
# The same commit gives the same bytes for any user, place and time (`make reproduce`): names are sorted, and owners,
# modes and times are the same for all files.
#
#     SOURCE_DATE_EPOCH    the date of all files; that of the last commit by default
#
# Exit codes: 0 done; 64 wrong usage; 65 the working tree differs from the commit; 69 something is missing.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
cd "$(dirname "$0")/.."
umask 022

output=build/dist
# shellcheck source=scripts/core-targets.sh
. scripts/core-targets.sh

stop() {
  local code=$1
  shift
  printf 'dist: %s\n' "$@" >&2
  exit "$code"
}

version=$(sed -n 's/.*version: StaticString { "\(.*\)" }.*/\1/p' Sources/Linux/Text/Release.swift)
[ -n "$version" ] || stop 69 'Sources/Linux/Text/Release.swift tells no version.'
# As in scripts/deb.sh: a source archive has the date of its commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Sources/Linux/Text/Release.swift)}
export SOURCE_DATE_EPOCH

# has_repository: whether this is a clone, and not an unpacked source archive, which may be inside another repository.
has_repository() { [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; }

# Lists the source files, each terminated by a zero byte: in a clone the committed ones, in an archive all but the built
# ones.
files() {
  if has_repository; then
    git ls-files -z
  else
    find . -mindepth 1 \( -path ./build -o -name '.build*' -o -name .swiftpm -o -name __pycache__ \
      -o -name Package.resolved \) -prune -o ! -type d -printf '%P\0'
  fi
}

# pack NAME FOLDER: packs the folder as NAME.tar.xz, where it has that name. One thread: with several, the bytes depend
# on their number.
pack() {
  find "$2" -type d -exec chmod 755 {} +
  tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
    -C "$(dirname "$2")" -cf "$work/archive" "$(basename "$2")"
  xz -T1 -6 -c "$work/archive" >"$output/$1.tar.xz"
  rm -f "$work/archive"
}

make_source() {
  local folder=$work/plumb-$version
  mkdir "$folder"
  files | xargs -0 cp --parents -P -t "$folder"
  pack "plumb-$version" "$folder"
}

make_core() {
  local target folder
  for target in "${core_targets[@]}"; do
    [ -f "build/core/$target/libplumb.a" ] || stop 69 "build/core/$target/libplumb.a is missing; run make core."
    folder=$work/plumb-core-$version-$target
    mkdir -p "$folder"/{include,lib}
    cp build/core/include/*.h "$folder/include"
    cp "build/core/$target/libplumb.a" "$folder/lib"
    cp LICENSE CHANGELOG.md docs/using-from-c.md "$folder"
    pack "plumb-core-$version-$target" "$folder"
  done
}

make_deb() { DEB_OUTPUT=$output bash scripts/deb.sh; }

make_tool() {
  local architecture folder
  architecture=$(dpkg --print-architecture)
  folder=$work/plumb-tool-$version-$architecture
  [ "$(build/install/plumb --version)" = "$version" ] || stop 65 "build/install/plumb is not version $version."
  DEB_OUTPUT=$output bash scripts/deb.sh tool
  PREFIX=/ DESTDIR=$folder bash scripts/install.sh install build/install >/dev/null
  # The list is for `make uninstall`, which does not exist there: removing the folder removes everything.
  rm "$folder/share/plumb/installed"
  pack "plumb-tool-$version-$architecture" "$folder"
}

make_docs() {
  [ -f build/docs/index.html ] || stop 69 'build/docs is missing; run make docs.'
  cp -R build/docs "$work/plumb-docs-$version"
  pack "plumb-docs-$version" "$work/plumb-docs-$version"
}

make_pico() {
  local folder=$work/plumb-pico-$version board file
  mkdir "$folder"
  for board in boards/pico-*.ini; do
    file=plumb-${board#boards/pico-}
    file=build/pico/${file%.ini}.uf2
    [ -f "$file" ] || stop 69 "$file is missing; run make pico."
    cp "$file" "$folder"
  done
  cp LICENSE CHANGELOG.md docs/pico.md "$folder"
  # Nothing of libinih and libc is in it.
  {
    awk -v RS= -v ORS='\n\n' '!/^Files: lib(inih|c)\n/ && !/^License: LGPL-2.1[+]\n/' packaging/copyright
    cat packaging/pico/copyright
  } >"$folder/copyright"
  pack "plumb-pico-$version" "$folder"
}

[ $# -gt 0 ] || set -- source core deb tool docs pico
for part in "$@"; do
  case $part in
    source | core | deb | tool | docs | pico) ;;
    *) stop 64 "no part \"$part\"; there are: source core deb tool docs pico" ;;
  esac
done
if has_repository; then
  changed=$(git status --porcelain)
  [ -z "$changed" ] || stop 65 'commit first: a release is made of a commit, and these files differ from it:' "$changed"
fi
for tool in tar xz python3 dpkg; do command -v "$tool" >/dev/null || stop 69 "$tool is missing; run make setup-dist."; done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
rm -rf "$output"
mkdir -p "$output"
for part in "$@"; do "make_$part"; done
python3 -B scripts/materials.py "$version" "$output" "$@"
chmod 644 "$output"/*
(cd "$output" && sha256sum -- * >"$work/sums" && install -m 644 "$work/sums" SHA256SUMS)
printf 'dist: %s: %d files, %d KiB\n' "$output" "$(find "$output" -type f | wc -l)" "$(du -sk "$output" | cut -f 1)"
