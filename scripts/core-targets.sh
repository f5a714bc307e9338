# shellcheck shell=bash disable=SC2034  # read by the scripts that source this one
# The targets of the core library: name, Swift triple, and other compiler options. scripts/core.sh and the gates source
# this, so that they check what is built.
core_targets=(x86_64-linux aarch64 armv6 armv7em armv6m riscv32)
# The seventh target, wasm32, has no library: scripts/core.sh links a module for the gates, scripts/web.sh one for pages.

# core_target NAME: sets `triple`, `target_flags` and, on 32-bit ARM, `cpu`. Linux targets are position-independent.
# -Osize where flash matters (there Fusion.step has one body for all steps), -O where time does. On x86-64 without a
# test for a short dividend before each division (docs/decisions/0006).
core_target() {
  cpu=''
  case $1 in
    x86_64-linux) triple=x86_64-unknown-linux-gnu target_flags=(-O -Xcc -mno-sse -Xcc -Xclang -Xcc -target-feature -Xcc -Xclang -Xcc -idivq-to-divl) ;;
    aarch64) triple=aarch64-none-none-elf target_flags=(-O -Xcc -fPIC -Xcc -mgeneral-regs-only) ;;
    armv6) triple=armv6-none-none-eabi target_flags=(-O -Xcc -fPIC -Xcc -mfloat-abi=soft) cpu=arm1136j-s ;;
    armv7em) triple=armv7em-none-none-eabi target_flags=(-O) cpu=cortex-m4 ;;
    armv6m) triple=armv6m-none-none-eabi target_flags=(-Osize -D SCARCE_FLASH) cpu=cortex-m0 ;;
    riscv32) triple=riscv32-none-none-eabi target_flags=(-Osize -D SCARCE_FLASH) ;;
    wasm32) triple=wasm32-unknown-none-wasm target_flags=(-Osize -D SCARCE_FLASH) ;;
    *)
      printf 'core: no target "%s"; there are: %s\n' "$1" "${core_targets[*]}" >&2
      return 64
      ;;
  esac
}

# What -Osize still inlines, and more of it, into a function that is large already: the more a call must save there, the
# smaller the whole. 4 to 20 are much the same, 40 is worse again.
small_flags=(-Xfrontend -sil-inline-caller-benefit-reduction-factor -Xfrontend 8)

# The target of this machine; prints nothing if there is none.
host_target() {
  case $(uname -m) in
    x86_64) echo x86_64-linux ;;
    aarch64) echo aarch64 ;;
    armv6l | armv7l) echo armv6 ;;
  esac
}

# Whether a target runs Linux, where code must be position-independent.
is_linux() { [[ $1 == x86_64-linux || $1 == aarch64 || $1 == armv6 ]]; }

# The tools that come with the compiler, whatever else is installed.
swiftc=${SWIFTC:-$(dirname "$(command -v "${SWIFT:-swift}")")/swiftc}
# The compiler reports its location, whatever proxy or link started it: its resources are in usr/lib/swift.
resources=$("$swiftc" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p' | head -n 1)
toolchain=$(cd "$resources/../../bin" && pwd)
