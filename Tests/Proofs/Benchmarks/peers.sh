#!/usr/bin/env bash
# Counts the cost of other libraries on this computer, with callgrind: packages from PyPI, called from Python.
#
#     Tests/Proofs/Benchmarks/peers.sh        (run by bench.sh)
#
# For a library in C it counts only the instructions inside the named function, without Python's. AHRS is written in
# Python: its cost is the difference of two runs, so that start-up and imports cancel. Needs PyPI once; without it the
# rows are skipped, with a message and without failure, because nothing in Plumb depends on them.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

here=Tests/Proofs/Benchmarks
venv=build/bench-venv
out=build/bench
export PYTHONHASHSEED=0 OPENBLAS_NUM_THREADS=1

mkdir -p "$out"
python=$venv/bin/python
# One by one: if one has no build for this Python, the others are still compared.
if ! python3 scripts/pypi.py install --each "$venv" "$here/requirements.txt"; then
  printf '\nbench: others are not compared\n'
  exit 0
fi

# have MODULE: whether it is installed; prints a message if not
have() {
  "$python" -c "import $1" 2>/dev/null && return
  printf '\nbench: %s is not compared: pip could not install it, so PyPI may be out of reach (%s)\n' "$1" "$venv.log"
  # So the next run tries again.
  rm -f "$venv/requirements.txt"
  return 1
}

# total WORK CALLS [OPTION...]: the instructions that callgrind counted
total() {
  local counts=$out/$1.$2
  valgrind --tool=callgrind "${@:3}" --callgrind-out-file="$counts" "$python" "$here/peers.py" "$1" "$2" \
    >"$counts.txt" 2>&1 || {
    tail -n 20 "$counts.txt" >&2
    return 1
  }
  awk '/^totals: / { print $2 }' "$counts"
}

row() { printf '| %s | %s | %s |\n' "$@" | tee -a "$out/peers.md"; }

# inside WORK FUNCTION TEXT GIVES: the cost of a C function, with its callees
inside() {
  local calls=2000 instructions
  instructions=$(total "$1" "$calls" --toggle-collect="$2")
  row "$3" "$(awk "BEGIN { printf \"%.1f\", $instructions / $calls }")" "$4"
}

# between WORK TEXT GIVES: the cost of a Python function, with its interpreter
between() {
  local calls=400 short long
  short=$(total "$1" "$calls")
  long=$(total "$1" $((3 * calls)))
  row "$2" "$(awk "BEGIN { printf \"%.0f\", ($long - $short) / $calls / 2 }")" "$3"
}

printf '\nbench: what others cost, in instructions a call on x86-64 (callgrind)\n\n'
printf '| library and function | instructions | gives |\n|---|---:|---|\n' | tee "$out/peers.md"
if have imufusion; then
  inside imufusion FusionAhrsUpdateNoMagnetometer 'imufusion, one update (C, float)' \
    'a quaternion from gyroscope and accelerometer; no angles, no pose'
fi
if have ahrs; then
  between ahrs_tilt 'ahrs, Tilt (Python)' 'a quaternion from one force; no filter, no pose'
  between ahrs_madgwick 'ahrs, Madgwick, one update (Python)' 'a quaternion from gyroscope and accelerometer'
fi
if have cmsisdsp; then
  inside cmsis_atan2 arm_atan2_q31 'CMSIS-DSP arm_atan2_q31 (C, fixed point)' 'an angle, Q2.29 radians'
  inside cmsis_sqrt arm_sqrt_q31 'CMSIS-DSP arm_sqrt_q31 (C, fixed point)' 'a root, Q1.31'
  inside cmsis_sin arm_sin_q31 'CMSIS-DSP arm_sin_q31 (C, fixed point)' 'a sine alone, Q1.31'
  inside cmsis_cos arm_cos_q31 'CMSIS-DSP arm_cos_q31 (C, fixed point)' 'a cosine alone, Q1.31'
fi
