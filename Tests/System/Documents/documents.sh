#!/usr/bin/env bash
# Runs every example of the documentation and checks the names in its text, as Tests/System/Documents/README.md
# describes. First tests itself on pages that each have one error. Builds the core library for this machine.
#
#     Tests/System/Documents/documents.sh [PAGE...]      PLUMB: the tool, in the folder of a build with all modules; default:
#                                                        that of `make build bridge`. SCRATCH: the folder of the build's
#                                                        intermediate files, .build by default
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

bash scripts/core.sh host
mkdir -p build/documents
"${CC:-gcc}" -std=gnu11 -Wall -Wextra -Wconversion -Werror -O1 -fPIC -shared Tests/System/Documents/lines.c \
  -o build/documents/liblines.so -ldl
if [ -n "${PLUMB:-}" ]; then
  release=$(dirname "$(realpath "$PLUMB")")
else
  read -ra flags <scripts/build-flags
  # The tool does not use the modules that programs import, so `make build` does not compile them.
  for face in Plumb PlumbEmulation PlumbLinux; do
    "${SWIFT:-swift}" build -c release --scratch-path "${SCRATCH:-.build}" "${flags[@]}" --quiet --target "$face"
  done
  release=$("${SWIFT:-swift}" build -c release --scratch-path "${SCRATCH:-.build}" --show-bin-path)
fi
PLUMB_RELEASE=$release python3 -B -W error -m unittest discover -s Tests/System/Documents
exec python3 -B -W error Tests/System/Documents/documents.py --release "$release" "$@"
