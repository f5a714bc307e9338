# Shared by the tests of the packages, which source it.
# shellcheck shell=bash

checks=0
failures=0

say() { printf 'test-deb: %s\n' "$*"; }

stop() {
  printf 'test-deb: %s\n' "$@" >&2
  exit 69
}

# check WHAT COMMAND...: the command must succeed; otherwise its output is shown.
check() {
  local what=$1 said code=0
  shift
  checks=$((checks + 1))
  said=$("$@" 2>&1) || code=$?
  [ "$code" -ne 0 ] || return 0
  failures=$((failures + 1))
  printf 'test-deb: FAILED: %s: "%s" ended with %d\n%s\n' "$what" "$*" "$code" "$said" >&2
  # The output of apt and dpkg.
  [ "$1" != apt ] || tail -n 25 "${work:?}/log" >&2
}

# is WHAT EXPECTED FOUND
is() { check "$1: expected \"$2\", found \"$3\"" test "$2" = "$3"; }

# fails COMMAND...: the command must not succeed.
fails() { ! "$@"; }

# The version that the packages must have, in Debian's notation.
version_of_release() {
  python3 - <<'END'
import re
text = open("Sources/Linux/Text/Release.swift", encoding="utf-8").read()
print(re.search(r'version[^"]*"([^"]+)"', text).group(1).replace("-", "~", 1))
END
}

finish() {
  if [ "$failures" -gt 0 ]; then
    printf 'test-deb: %d of %d checks failed\n' "$failures" "$checks" >&2
    exit 1
  fi
  say "$checks checks passed in $SECONDS s"
}
