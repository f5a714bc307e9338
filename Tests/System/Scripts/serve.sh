#!/usr/bin/env bash
# Tests `plumb serve` as a program: what it shows to viewers, whom it admits, what it measures, how it ends.
# The classes of tests mostly wait, so they run in parallel; `make test-web` runs them all, with load and a browser.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

export PLUMB=${PLUMB:-build/plumb}
python3 -B Tests/Support/Python/side_by_side.py --jobs 4 --limit 900 Tests/System/Web/test_serve.py\ {Looking,Tokens,Ends} \
  Tests/System/Web/test_metrics.py\ {Scrapes,Health} -- python3 -B -W error
echo 'serve: viewers, tokens, metrics and ends are as they should be'
