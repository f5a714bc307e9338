#!/usr/bin/env bash
# `plumb serve` as a program: what it tells those who look, whom it lets in, what it makes of bad requests, how it ends.
# Its classes of tests run side by side, because most of their time is waiting; `make test-web` adds load and a browser.
set -euo pipefail
cd "$(dirname "$0")/../.."

export PLUMB=${PLUMB:-build/plumb}
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
jobs=()
for test in serve.Looking crowd.Strangers serve.Tokens serve.Ends; do
  python3 -B -W error "Tests/Web/test_${test%.*}.py" "${test#*.}" >"$log/$test" 2>&1 &
  jobs+=("$test $!")
done
failed=
for job in "${jobs[@]}"; do
  if ! wait "${job#* }"; then
    failed=yes
    cat "$log/${job% *}"
  fi
done
[ -z "$failed" ] || exit 1
echo 'serve: viewers, tokens, bad requests and ends are as they should be'
