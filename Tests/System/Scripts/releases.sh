#!/usr/bin/env bash
# Tests what makes and checks a release, each on something right, and then with one error: versions that agree
# (Tests/System/Releases/versions.sh), two compared releases (compare.py), and packages that differ from the pinned ones
# (materials.py, pypi.py, Tests/System/RaspberryPi/fetch.sh).
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
project=$PWD

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# gives CODE TEXT COMMAND...: the command must exit with this code and print this text somewhere.
gives() {
  local code=$1 text=$2 said found=0
  shift 2
  said=$("$@" 2>&1) || found=$?
  if [ "$found" != "$code" ] || ! grep -qF -- "$text" <<<"$said"; then
    printf 'releases: "%s" ended with %d, expected %d and "%s":\n%s\n' "$*" "$found" "$code" "$text" "$said" >&2
    failures=$((failures + 1))
  fi
}

# Versions: those of the project with its programs; then of a copy in which one place after another differs.
gives 0 'everywhere' bash Tests/System/Releases/versions.sh build/plumb build/plumbd build/plumb-mqtt
version=$(build/plumb --version)
copy() {
  rm -rf "$work/copy"
  mkdir -p "$work/copy"
  cp --parents CHANGELOG.md Sources/Linux/Text/Release.swift Sources/Core/CoreABI/include/plumb.h Tests/System/Releases/versions.sh "$work/copy"
}
copy
gives 0 'everywhere' bash "$work/copy/Tests/System/Releases/versions.sh"
gives 1 'to be released is "9.9.9"' bash "$work/copy/Tests/System/Releases/versions.sh" --release 9.9.9
sed -i 's/\(define PLUMB_VERSION "\)[^"]*/\19.9.9/' "$work/copy/Sources/Core/CoreABI/include/plumb.h"
gives 1 'plumb.h is "9.9.9"' bash "$work/copy/Tests/System/Releases/versions.sh"
copy
sed -i "0,/^## /s/^## .*/## [9.9.9] - 2030-01-01/" "$work/copy/CHANGELOG.md"
gives 1 'CHANGELOG.md is "9.9.9"' bash "$work/copy/Tests/System/Releases/versions.sh"
copy
sed -i "0,/^## /s/^## .*/## [$version] - unreleased/" "$work/copy/CHANGELOG.md"
gives 1 'has no date' bash "$work/copy/Tests/System/Releases/versions.sh" --release "$version"
sed -i "0,/^## /s/^## .*/## [$version] - 2030-01-01/" "$work/copy/CHANGELOG.md"
gives 0 'everywhere' bash "$work/copy/Tests/System/Releases/versions.sh" --release "$version"
copy
sed -i 's/StaticString { ".*" }/StaticString { "9.9.9" }/' "$work/copy/Sources/Linux/Text/Release.swift"
gives 1 "plumb --version is \"$version\"" bash "$work/copy/Tests/System/Releases/versions.sh" "$project/build/plumb"

# Two releases: without diffoscope, to test how compare.py itself reports a difference.
compare() { DIFFOSCOPE=none python3 -B "$project/Tests/System/Releases/compare.py" "$work/one" "$work/two"; }
# release FOLDER TIME OWNER TEXT: a folder with an archive of one file.
release() {
  mkdir -p "$work/$1" "$work/tree/sub"
  printf '%s\n' "$4" >"$work/tree/sub/file"
  tar --sort=name --owner="$3" --group=0 --numeric-owner --mtime="@$2" -C "$work/tree" -cf - sub | xz >"$work/$1/release.tar.xz"
}
release one 1000 0 text
release two 1000 0 text
gives 0 '1 files' compare
release two 1001 0 text
gives 1 'time 1001' compare
release two 1000 7 text
gives 1 'owner 7/0' compare
release two 1000 0 other
gives 1 "line 1: 'text' | 'other'" compare
release two 1000 0 text
touch "$work/two/more"
gives 1 'more is in the second alone' compare
rm "$work/two/more"
for folder in one two; do cp build/plumbd "$work/$folder/program"; done
gives 0 '2 files' compare
# One byte of the code, which is in a section of that name.
offset=$(readelf -SW build/plumbd | sed -nE 's/.* \.text +PROGBITS +[0-9a-f]+ ([0-9a-f]+) .*/\1/p')
printf '\125' | dd of="$work/two/program" bs=1 seek=$((0x$offset + 3)) conv=notrunc status=none
printf '\126' | dd of="$work/one/program" bs=1 seek=$((0x$offset + 3)) conv=notrunc status=none
gives 1 '.text: byte 3 of' compare

# A bill of materials is refused if SwiftPM has checked out something other than what is pinned.
mkdir -p "$work/scratch" "$work/fake/scripts" "$work/fake/packaging"
cp scripts/materials.py "$work/fake/scripts"
cp packaging/swift-packages.json "$work/fake/packaging"
sed 's/"version" : "[0-9.]*"/"version" : "9.9.9"/' "${SCRATCH:-.build}/workspace-state.json" >"$work/scratch/workspace-state.json"
pinned() { (cd "$work/fake/scripts" && SCRATCH=$1 python3 -B -c 'import materials; print(sorted(materials.swift_packages()))'); }
gives 65 'swift-packages.json pins' pinned "$work/scratch"
gives 0 'swift-argument-parser' pinned "$(realpath "${SCRATCH:-.build}")"

# Packages from PyPI have a version and hashes in each list; without them nothing is fetched.
for list in Tests/*/*/requirements.txt; do
  if grep -vE '^[A-Za-z0-9._-]+==[^ ]+( --hash=sha256:[0-9a-f]{64})+$' "$list"; then
    printf 'releases: %s has packages that are not pinned: python3 scripts/pypi.py pin %s\n' "$list" "$list" >&2
    failures=$((failures + 1))
  fi
done
sed 's/ --hash=.*//' Tests/System/Peers/requirements.txt >"$work/bare"
gives 65 'has no hash' python3 -B scripts/pypi.py install "$work/venv" "$work/bare"
printf 'smbus2\n' >"$work/bare"
gives 65 "$work/bare:1: not" python3 -B scripts/pypi.py install "$work/venv" "$work/bare"

# Debian's packages for the emulated Raspberry Pis: each is pinned. A complete cache that would do for a release without
# pins is not used if it has other packages. There is no mirror, so nothing else can be fetched.
for list in Tests/System/RaspberryPi/packages/*.sha256; do
  if grep -vE '^[0-9a-f]{64}  [a-z0-9.+-]+_[A-Za-z0-9.+~%-]+_(arm64|armel|all)\.deb$' "$list" || [ ! -s "$list" ]; then
    printf 'releases: %s has packages that are not pinned: bash Tests/System/RaspberryPi/fetch.sh pin\n' "$list" >&2
    failures=$((failures + 1))
  fi
done
fetch() {
  PLUMB_CACHE=$work/cache PLUMB_PI_SUITE=$1 PLUMB_DEBIAN_MIRROR=file://$work/nowhere bash Tests/System/RaspberryPi/fetch.sh armel
}
for suite in bookworm another; do
  mkdir -p "$work/cache/raspberry-pi/$suite/armel/boot/ssh"
  (
    cd "$work/cache/raspberry-pi/$suite/armel"
    echo 6.1 | tee other.deb boot/release >boot/ssh/sshd
    sha256sum other.deb >SHA256SUMS
    cd boot
    sha256sum release ssh/sshd >SHA256SUMS
  )
done
gives 0 'Linux 6.1, in the cache' fetch another
gives 69 'other packages than those that are pinned' fetch bookworm

[ "$failures" -eq 0 ] || exit 1
echo 'releases: versions agree; differences of releases and unpinned packages are found'
