#!/usr/bin/env bash
# Compares the tool with a model of its behaviour in Python: generated motions, with each sample and event judged.
#
#     Tests/System/Scripts/figures.sh      PLUMB=build/plumb; PLUMB_LONG_TESTS=1: forty seeds instead of two
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

plumb=${PLUMB:-build/plumb}
[ -x "$plumb" ] || {
  echo "figures: $plumb is not there: make build"
  exit 1
}
seeds=(1 2)
if [ "${PLUMB_LONG_TESTS:-}" = 1 ]; then mapfile -t seeds < <(seq 1 40); fi
for seed in "${seeds[@]}"; do python3 Tests/System/Figures/model.py --seed "$seed" "$plumb"; done
