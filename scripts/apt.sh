#!/usr/bin/env bash
# Makes a signed APT repository of the Debian packages, as static files for any host: build/apt.
#
#     APT_KEY=KEY scripts/apt.sh      (after `make deb`; `make deb-tool` adds the tool for this machine's architecture)
#
# Takes the packages of this version, and names each architecture that has none. Signed are InRelease and Release.gpg;
# the other files are the same bytes for the same packages, key, address and date.
#
#     APT_KEY              the key: a file with one secret key, or the id of a key in gpg's keyring
#     APT_ADDRESS          where the repository will be; by default `apt` at the site of packaging/address
#     APT_DAYS             for how many days apt accepts the lists; 180 by default. Run this again in time
#     APT_PACKAGES         the folder of the packages; build/deb by default
#     APT_OUTPUT           the folder of the repository, which is made anew; build/apt by default
#     SOURCE_DATE_EPOCH    the date of the lists; now by default
#
# Exit codes: 0 done; 64 wrong usage; 69 a tool or all packages are missing; 78 no key that can sign.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
cd "$(dirname "$0")/.."
umask 022

packages=${APT_PACKAGES:-build/deb}
output=${APT_OUTPUT:-build/apt}
days=${APT_DAYS:-180}
date=${SOURCE_DATE_EPOCH:-$(date +%s)}
address=${APT_ADDRESS:-$(sed -n 's/^site //p' packaging/address)/apt}
address=${address%/}
names=(plumb plumb-mqtt plumb-desktop plumb-tool)
architectures=(arm64 armhf armel amd64)

stop() {
  local code=$1
  shift
  printf 'apt: %s\n' "$@" >&2
  exit "$code"
}

[ $# -eq 0 ] || stop 64 "unknown argument \"$1\"."
[[ $days =~ ^[1-9][0-9]{0,3}$ ]] || stop 64 "APT_DAYS is \"$days\", not a number of days from 1 to 9999."
[[ $date =~ ^[0-9]+$ ]] || stop 64 "SOURCE_DATE_EPOCH is \"$date\", not a number of seconds."
[[ $address =~ ^https?://[][A-Za-z0-9._~:/%-]+$ ]] || stop 64 "the address \"$address\" is not one of http or https."
for tool in apt-ftparchive gpg dpkg-deb xz; do
  command -v "$tool" >/dev/null || stop 69 "$tool is missing; run make setup-apt."
done
version=$(sed -n 's/.*version: StaticString { "\(.*\)" }.*/\1/p' Sources/Linux/Text/Release.swift)
[ -n "$version" ] || stop 69 'Sources/Linux/Text/Release.swift has no version.'
version=${version/-/\~}

work=$(mktemp -d)
clean() {
  [ ! -d "$work/gnupg" ] || gpgconf --homedir "$work/gnupg" --kill all 2>/dev/null || :
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

help_with_keys=(
  'APT_KEY is a file with a secret key, or the id of a key in your keyring. To make a key:'
  "  gpg --quick-generate-key 'Plumb packages <YOUR ADDRESS>' ed25519 sign 5y"
  'then APT_KEY=YOUR ADDRESS make apt. For another machine, export it, and keep the file secret:'
  '  gpg --export-secret-keys --armor --output plumb.key YOUR ADDRESS'
)

# A key from a file is used in a keyring of its own, which is removed at the end.
choose_key() {
  local key=${APT_KEY:-} count
  gpg=(gpg --batch --quiet --no-tty)
  if [ -t 0 ]; then gpg=(gpg --quiet); fi
  [ -n "$key" ] || stop 78 'no key to sign with.' "${help_with_keys[@]}"
  if [ -f "$key" ]; then
    mkdir -m 700 "$work/gnupg"
    gpg+=(--homedir "$work/gnupg")
    "${gpg[@]}" --import "$key" >"$work/said" 2>&1 ||
      stop 78 "$key cannot be imported:" "$(cat "$work/said")" "${help_with_keys[@]}"
    key=''
  fi
  "${gpg[@]}" --with-colons --list-secret-keys ${key:+"$key"} >"$work/keys" 2>/dev/null || :
  count=$(grep -c '^sec:' "$work/keys" || :)
  [ "$count" -eq 1 ] || stop 78 "\"$APT_KEY\" has $count secret keys instead of one." "${help_with_keys[@]}"
  # Field 12: what the key can do; capital letters are for the key with its subkeys.
  awk -F : '/^sec:/ && $12 ~ /S/ && $12 !~ /D/ && $2 !~ /[re]/ { found = 1 } END { exit !found }' "$work/keys" ||
    stop 78 "the key \"$APT_KEY\" cannot sign: it is expired, revoked or for another use." "${help_with_keys[@]}"
  fingerprint=$(awk -F : '/^fpr:/ { print $10; exit }' "$work/keys")
}

# index ARCHITECTURE: the list of its packages, also under the name of its hash: a client that has just read an older
# Release still finds that list, if the host keeps it.
index() {
  local folder=dists/stable/main/binary-$1 file
  mkdir -p "$new/$folder/by-hash/SHA256"
  (cd "$new" && apt-ftparchive --arch "$1" -o APT::FTPArchive::MD5=false -o APT::FTPArchive::SHA1=false \
    -o APT::FTPArchive::SHA512=false packages pool) >"$new/$folder/Packages"
  xz -T1 -6 -kc "$new/$folder/Packages" >"$new/$folder/Packages.xz"
  for file in Packages Packages.xz; do
    cp "$new/$folder/$file" "$new/$folder/by-hash/SHA256/$(sha256sum <"$new/$folder/$file" | cut -d ' ' -f 1)"
  done
}

release() {
  printf '%s: %s\n' Origin Plumb Label Plumb Suite stable Codename stable \
    Date "$(date -d "@$date" -R)" Valid-Until "$valid_until" Acquire-By-Hash yes \
    Architectures "${present[*]}" Components main Description 'The pose of a board on its LEDs'
  printf 'SHA256:\n'
  (cd "$new/dists/stable" && find main -type f -name 'Packages*' -printf '%P\n' | sort | while read -r file; do
    printf ' %s %s main/%s\n' "$(sha256sum <"main/$file" | cut -d ' ' -f 1)" "$(stat -c %s "main/$file")" "$file"
  done)
}

# What the page shows of the packages: a row for each, a column for each architecture.
table() {
  local name architecture file
  printf '<tr><th scope="col">package</th>'
  printf '<th scope="col">%s</th>' "${architectures[@]}"
  printf '</tr>\n'
  for name in "${names[@]}"; do
    printf '<tr><th scope="row"><code>%s</code></th>' "$name"
    for architecture in "${architectures[@]}"; do
      file=pool/${name}_${version}_$architecture.deb
      if [ -f "$new/$file" ]; then
        printf '<td><a href="%s">%s</a></td>' "$file" "$version"
      else
        printf '<td>none</td>'
      fi
    done
    printf '</tr>\n'
  done
}

page() {
  local line
  while IFS= read -r line; do
    if [ "$line" = @TABLE@ ]; then
      table
    else
      line=${line//@ADDRESS@/$address}
      line=${line//@FINGERPRINT@/$fingerprint}
      line=${line//@VALID_UNTIL@/$valid_until}
      printf '%s\n' "${line//@VERSION@/$version}"
    fi
  done <packaging/apt/index.html
}

choose_key
new=$work/apt
mkdir -p "$new/pool"
present=()
for architecture in "${architectures[@]}"; do
  found=()
  for name in "${names[@]}"; do
    file=$packages/${name}_${version}_$architecture.deb
    [ -f "$file" ] || continue
    cp "$file" "$new/pool"
    found+=("$name")
  done
  if [ "${#found[@]}" -eq 0 ]; then
    printf 'apt: %s: no package of version %s in %s\n' "$architecture" "$version" "$packages"
  else
    printf 'apt: %s: %s\n' "$architecture" "${found[*]}"
    present+=("$architecture")
  fi
done
[ "${#present[@]}" -gt 0 ] || stop 69 "$packages has no package of version $version; run make deb."

valid_until=$(date -d "@$((date + days * 86400))" -R)
for architecture in "${present[@]}"; do index "$architecture"; done
release >"$work/Release"
mv "$work/Release" "$new/dists/stable/Release"
"${gpg[@]}" --local-user "$fingerprint" --digest-algo SHA512 --output "$new/dists/stable/InRelease" \
  --clear-sign "$new/dists/stable/Release" || stop 78 "the key \"$APT_KEY\" did not sign."
"${gpg[@]}" --local-user "$fingerprint" --digest-algo SHA512 --armor --output "$new/dists/stable/Release.gpg" \
  --detach-sign "$new/dists/stable/Release" || stop 78 "the key \"$APT_KEY\" did not sign."
"${gpg[@]}" --export-options export-minimal --export "$fingerprint" >"$new/plumb.gpg"
printf '%s: %s\n' Types deb URIs "$address" Suites stable Components main Signed-By /etc/apt/keyrings/plumb.gpg \
  >"$new/plumb.sources"
page >"$new/index.html"
cp packaging/site/style.css "$new/style.css"
find "$new" -exec touch -h -d "@$date" {} +

rm -rf "$output"
mkdir -p "$(dirname "$output")"
mv "$new" "$output"
printf 'apt: %s for %s, signed by %s, valid until %s\n' "$output" "$address" "$fingerprint" "$valid_until"
