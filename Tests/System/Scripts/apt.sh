#!/usr/bin/env bash
# Tests what scripts/apt.sh makes, with small packages of the same names: its structure, its page, its errors, that the
# same input gives the same bytes, and with apt itself what is refused. Needs no root rights, and uses no network but
# loopback.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/System/Packages/checks.sh
. Tests/System/Packages/checks.sh
# shellcheck source=Tests/System/Packages/repository.sh
. Tests/System/Packages/repository.sh

unset APT_KEY APT_ADDRESS APT_DAYS APT_PACKAGES APT_OUTPUT SOURCE_DATE_EPOCH GNUPGHOME
work=$(mktemp -d)
trap 'stop_serving; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
version=$(version_of_release)

# package NAME ARCHITECTURE FOLDER [VERSION]
package() {
  mkdir -p "$work/tree/DEBIAN" "$3"
  printf '%s: %s\n' Package "$1" Version "${4:-$version}" Architecture "$2" Maintainer 'A <a@plumb.invalid>' \
    Description 'a test' >"$work/tree/DEBIAN/control"
  SOURCE_DATE_EPOCH=1 dpkg-deb --root-owner-group -Znone --build "$work/tree" "$3/$1_${4:-$version}_$2.deb" >/dev/null
}

# ends CODE TEXT COMMAND...: the command must exit with this code and print this text.
ends() {
  local code=0
  "${@:3}" >"$work/said" 2>&1 || code=$?
  is "${*:3} ends with" "$1" "$code"
  check "\"$2\" is printed" grep -qF -- "$2" "$work/said"
}
make_apt() { env APT_PACKAGES="$work/packages" APT_OUTPUT="$work/made" "$@" bash scripts/apt.sh; }

make_key right
make_key wrong
for architecture in arm64 armhf armel; do package plumb "$architecture" "$work/packages"; done
package plumb-mqtt arm64 "$work/packages"
package plumb arm64 "$work/packages" 0.0.1
package other arm64 "$work/packages"

say 'errors'
ends 78 'gpg --quick-generate-key' make_apt
ends 78 'gpg --quick-generate-key' make_apt APT_KEY=nobody@plumb.invalid GNUPGHOME="$work"
ends 78 'cannot be imported' make_apt APT_KEY=README.md
cat "$work/right.key" "$work/wrong.key" >"$work/both.key"
ends 78 'has 2 secret keys instead of one' make_apt APT_KEY="$work/both.key"
ends 64 'APT_DAYS' make_apt APT_KEY="$work/right.key" APT_DAYS=0
ends 64 'SOURCE_DATE_EPOCH' make_apt APT_KEY="$work/right.key" SOURCE_DATE_EPOCH=today
ends 64 'the address' make_apt APT_KEY="$work/right.key" "APT_ADDRESS=https://a b"
ends 64 'unknown argument' bash scripts/apt.sh x
mkdir "$work/empty"
ends 69 'make deb' make_apt APT_KEY="$work/right.key" APT_PACKAGES="$work/empty"
check 'after an error there is no repository' test ! -e "$work/made"

say 'structure'
ends 0 "apt: amd64: no package of version $version" make_apt APT_KEY="$work/right.key" SOURCE_DATE_EPOCH=1700000000
site=$(sed -n 's/^site //p' packaging/address)
made=$work/made
lists=$made/dists/stable
is 'the packages' "plumb-mqtt_arm64 plumb_arm64 plumb_armel plumb_armhf" \
  "$(find "$made/pool" -type f -printf '%f\n' | sort | sed "s/_${version}_\(.*\)\.deb$/_\1/" | xargs)"
is 'the source' "Types: deb|URIs: $site/apt|Suites: stable|Components: main|Signed-By: /etc/apt/keyrings/plumb.gpg" \
  "$(paste -s -d '|' "$made/plumb.sources")"
check 'InRelease is signed by the key' gpgv --keyring "$made/plumb.gpg" "$lists/InRelease"
check 'Release.gpg is a signature of the key' gpgv --keyring "$made/plumb.gpg" "$lists/Release.gpg" "$lists/Release"
check 'InRelease is Release' diff "$lists/Release" \
  <(gpgv --quiet --output - --keyring "$made/plumb.gpg" "$lists/InRelease" 2>/dev/null)
check 'its lines' test "$(sed '/^SHA256/,$d' "$lists/Release")" = "Origin: Plumb
Label: Plumb
Suite: stable
Codename: stable
Date: Tue, 14 Nov 2023 22:13:20 +0000
Valid-Until: Sun, 12 May 2024 22:13:20 +0000
Acquire-By-Hash: yes
Architectures: arm64 armhf armel
Components: main
Description: The pose of a board on its LEDs"
check 'its hashes are those of the lists' sh -c \
  "cd '$lists' && sed -nE 's/^ ([0-9a-f]{64}) [0-9]+ (.*)/\1  \2/p' Release | sha256sum --quiet --strict -c"
is 'it has all lists' 6 "$(grep -c '^ ' "$lists/Release")"
is 'its lists are also there by hash' 6 "$(find "$made" -path '*/by-hash/SHA256/*' | wc -l)"
check 'by the right ones' sh -c \
  "cd '$made' && find . -path '*/by-hash/SHA256/*' | sed 's|.*/\(.*\)|\1  &|' | sha256sum --quiet --strict -c"
check 'lists name packages that are there' sh -c "cd '$made' && \
  awk '/^Filename:/ { file = \$2 } /^SHA256:/ { print \$2 \"  \" file }' \
  dists/stable/main/binary-*/Packages | sha256sum --quiet --strict -c"
is 'the compressed list is the list' "$(cat "$lists/main/binary-arm64/Packages")" \
  "$(xz -dc "$lists/main/binary-arm64/Packages.xz")"
check 'no folder and no secret is in it' fails grep -rqE "$work|PRIVATE KEY" "$made"
is 'a secret key is in no file' 0 "$(gpg --show-keys --with-colons "$made/plumb.gpg" 2>/dev/null | grep -c '^sec' || :)"

say 'page'
check 'it has its three lines, the fingerprint and the version' test "$(grep -cE \
  "$site/apt/plumb.gpg|$site/apt/plumb.sources|apt install plumb|[0-9A-F]{40}|Version $version" "$made/index.html")" = 5
check 'nothing is left to be filled in' fails grep -qE '@[A-Z_]+@' "$made/index.html"
is 'what is not there is named' 12 "$(grep -o '<td>none</td>' "$made/index.html" | wc -l)"
check 'its links' python3 -B scripts/links.py "$made"

say 'the same bytes'
mv "$made" "$work/first"
# Other names first in the folder, another umask, time zone and language.
mkdir "$work/again"
find "$work/packages" -type f | sort -r | xargs -I '{}' cp '{}' "$work/again"
(umask 077 && env APT_KEY="$work/right.key" APT_PACKAGES="$work/again" APT_OUTPUT="$made" TZ=Asia/Tokyo \
  LANG=de_DE.UTF-8 SOURCE_DATE_EPOCH=1700000000 bash scripts/apt.sh >/dev/null)
check 'all but the signatures' diff -r -x InRelease -x Release.gpg "$work/first" "$made"
modes() { (cd "$1" && find . -printf '%p %m %T@\n' | sort); }
is 'modes and times' "$(modes "$work/first")" "$(modes "$made")"

say 'a client'
serve
publish "$work/packages" right
mkdir -p "$work/client"/{etc,state/lists/partial,cache/archives/partial,files}
: >"$work/client/status"
sed "s|/etc/apt/keyrings|$work/client/etc|" "$work/served/$base/plumb.sources" >"$work/client/etc/plumb.sources"
cp "$work/served/$base/plumb.gpg" "$work/client/etc"
client() {
  (cd "$work/client/files" && apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/client/etc" \
    -o Dir::Etc::main=/dev/null -o Dir::Etc::parts=/dev/null -o Dir::State="$work/client/state" \
    -o Dir::State::status="$work/client/status" -o Dir::Cache="$work/client/cache" -o APT::Architecture=arm64 \
    -o APT::Architectures::=arm64 -o APT::Sandbox::User= -o Acquire::Check-Date=true -o Acquire::Check-Valid-Until=true \
    -o Acquire::Languages=none "$@" >"$work/log" 2>&1)
}
forget() { rm -rf "$work/client/state/lists" && mkdir -p "$work/client/state/lists/partial"; }
update() { client -o APT::Update::Error-Mode=any update; }
fetch() { rm -f "$work/client/files"/*; client download "$1"; }
check 'apt-get update' update
check 'lists are fetched by hash' grep -q 'GET .*/by-hash/SHA256/' "$work/requests"
check 'apt-get download' fetch plumb
check 'it is the package' cmp "$work/packages/plumb_${version}_arm64.deb" "$work/client/files/plumb_${version}_arm64.deb"
check_refusals "$work/packages" "plumb_${version}_arm64.deb" plumb
check 'the good package is fetched again' fetch plumb
finish
