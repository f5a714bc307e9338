// The divisions of words that compilers call (Run-time ABI for the Arm Architecture, 4.3.1), with the RP2040's divider
// (2.3.1.5): an eighth of the flash of libgcc's.

// Divides r0 by r1 with the registers from `first` on: the quotient to r0, the remainder to r1. The divider is ready
// after 8 cycles, which the branches take. An interrupt that divides must not come in between.
#define DIVIDE(first)                                                                                                  \
  __asm__("  mrs r3, primask\n"                                                                                        \
          "  cpsid i\n"                                                                                                \
          "  ldr r2, =" #first "\n"                                                                                    \
          "  str r0, [r2, #0]\n"                                                                                       \
          "  str r1, [r2, #4]\n"                                                                                       \
          "  b 1f\n"                                                                                                   \
          "1: b 1f\n"                                                                                                  \
          "1: b 1f\n"                                                                                                  \
          "1: b 1f\n"                                                                                                  \
          "1: ldr r2, =0xD0000070\n"                                                                                   \
          "  ldr r1, [r2, #4]\n"                                                                                       \
          "  ldr r0, [r2, #0]\n"                                                                                       \
          "  msr primask, r3\n"                                                                                        \
          "  bx lr\n"                                                                                                  \
          "  .ltorg")

__attribute__((naked)) void __aeabi_uidivmod(void) { DIVIDE(0xD0000060); }
__attribute__((naked)) void __aeabi_idivmod(void) { DIVIDE(0xD0000068); }
__attribute__((alias("__aeabi_uidivmod"))) void __aeabi_uidiv(void);
__attribute__((alias("__aeabi_idivmod"))) void __aeabi_idiv(void);
