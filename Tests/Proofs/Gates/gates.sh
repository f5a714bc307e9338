#!/usr/bin/env bash
# All gates of the core's machine code, after `make core`, `make core TARGETS=wasm32`, `make web` and `make pico`. Each prints
# its table; failures give the reason, and all gates run.
#
#     Tests/Proofs/Gates/gates.sh
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

failed=()
for gate in no_heap no_float no_trap bounded_stack size; do
  python3 "Tests/Proofs/Gates/$gate.py" || failed+=("$gate")
done
python3 Tests/Proofs/Gates/wasm.py || failed+=(wasm)
python3 Tests/Proofs/Gates/firmware.py || failed+=(firmware)
bash Tests/Proofs/Gates/bit_exact.sh || failed+=(bit_exact)
bash Tests/Proofs/Gates/link.sh || failed+=(link)
bash Tests/Proofs/Gates/page.sh || failed+=(page)
if [ ${#failed[@]} -gt 0 ]; then
  printf 'gates: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
echo 'gates: no heap, no float, no trap, bounded stack, size, WebAssembly, firmware, bit-exact, links and the C page passed'
