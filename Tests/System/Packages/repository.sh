# A repository of scripts/apt.sh that is served on loopback, and what apt must refuse of it. The tests of the repository
# source this after checks.sh. They set $work, and define what it asks of a client: `forget`, which removes the lists
# that it has read, and `update` and `fetch PACKAGE`, which write what apt prints into $work/log.
# shellcheck shell=bash

server=''
# The path has folders, because a repository must work in any.
base=any/base/apt

# make_key NAME: a throw-away key in $work/NAME.key.
make_key() {
  local home=${work:?}/gnupg
  mkdir -m 700 "$home"
  GNUPGHOME=$home gpg --batch --quiet --pinentry-mode loopback --passphrase '' \
    --quick-generate-key "$1 <$1@plumb.invalid>" ed25519 sign 1d 2>"$work/said" || stop "no key: $(cat "$work/said")"
  GNUPGHOME=$home gpg --batch --quiet --export-secret-keys >"$work/$1.key"
  GNUPGHOME=$home gpgconf --kill all
  rm -rf "$home"
}

# serve: serves $work/served at http://127.0.0.1:$port until `stop_serving`.
serve() {
  local limit=$((SECONDS + 60))
  mkdir -p "$work/served"
  : >"$work/port"
  python3 -u -m http.server --bind 127.0.0.1 --directory "$work/served" 0 >"$work/port" 2>"$work/requests" &
  server=$!
  until port=$(sed -nE 's/.* port ([0-9]+) .*/\1/p' "$work/port") && [ -n "$port" ]; do
    if ! kill -0 "$server" || [ "$SECONDS" -ge "$limit" ]; then stop "no server: $(cat "$work/requests")"; fi
    sleep 0.05
  done
}
stop_serving() { [ -z "$server" ] || kill "$server" || :; }

# publish PACKAGES KEY [VARIABLE=VALUE]...: the repository of these packages, served.
publish() {
  env "${@:3}" APT_PACKAGES="$1" APT_KEY="$work/$2.key" APT_ADDRESS="http://127.0.0.1:$port/$base" \
    APT_OUTPUT="$work/served/$base" bash scripts/apt.sh >"$work/said" 2>&1 || stop "no repository: $(cat "$work/said")"
}

# lines: the commands of the page for a Raspberry Pi, without sudo.
lines() {
  python3 - "$work/served/$base/index.html" <<'END'
import html, re, sys
text = re.search(r'<pre id="lines">\n(.*?)</pre>', open(sys.argv[1], encoding="utf-8").read(), re.S)[1]
print(html.unescape(text).replace("sudo ", ""), end="")
END
}

# change FILE: changes a bit in the middle of the file; its size stays.
change() {
  python3 - "$1" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    data = bytearray(file.read())
    data[len(data) // 2] ^= 1
    file.seek(0)
    file.write(data)
END
}

# refused WHAT PATTERN COMMAND...: the client must not succeed, and print a line that matches.
refused() {
  check "$1 is refused" fails "${@:3}"
  check "$1: \"$2\" is printed" grep -qE -- "$2" "$work/log"
}

# check_refusals PACKAGES FILE PACKAGE: what a client must refuse that has the key `right`. FILE is that of PACKAGE in
# the folder PACKAGES. The repository is a good one afterwards.
check_refusals() {
  local index
  publish "$1" wrong
  # Each time, because the server may answer that a list is no newer than what the client has.
  forget
  refused 'a wrong key' 'NO_PUBKEY|Missing key|not signed' update
  forget
  publish "$1" right "SOURCE_DATE_EPOCH=$(($(date +%s) - 3 * 86400))" APT_DAYS=1
  refused 'an expired Release' 'expired' update
  publish "$1" right
  forget
  change "$work/served/$base/dists/stable/Release"
  change "$work/served/$base/dists/stable/InRelease"
  refused 'a changed Release' 'BADSIG|Bad signature|not signed|invalid|verif' update
  publish "$1" right
  forget
  for index in "$work/served/$base"/dists/stable/main/binary-*/{Packages*,by-hash/SHA256/*}; do change "$index"; done
  refused 'a changed list' 'Hash Sum mismatch|Failed to fetch' update
  publish "$1" right
  forget
  check 'the good lists are read again' update
  change "$work/served/$base/pool/$2"
  refused 'a changed package' 'Hash Sum mismatch|unexpected size' fetch "$3"
  publish "$1" right
}
