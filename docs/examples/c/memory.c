// What libplumb.a takes from the C library, for firmware that is linked without one (-nostdlib). On 32-bit ARM
// compilers call these helpers by the names of the ARM run-time ABI; libgcc or compiler-rt has the rest, the 64-bit
// arithmetic.
//
// Compile with -ffreestanding -fno-builtin, so that no loop here becomes a call of itself.
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count) {
  unsigned char *target = to;
  const unsigned char *source = from;
  for (size_t i = 0; i < count; i++) {
    target[i] = source[i];
  }
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if (target <= source) {
    return memcpy(to, from, count);
  }
  for (size_t i = count; i > 0; i--) {
    target[i - 1] = source[i - 1];
  }
  return to;
}

void *memset(void *to, int byte, size_t count) {
  unsigned char *target = to;
  for (size_t i = 0; i < count; i++) {
    target[i] = (unsigned char)byte;
  }
  return to;
}

#ifdef __arm__
// Arm IHI 0043, "Memory copying, clearing, and setting". The names with 4 and 8 promise that alignment.
#define SAME_AS(name) __attribute__((alias(#name)))
void __aeabi_memcpy(void *to, const void *from, size_t count) { memcpy(to, from, count); }
void __aeabi_memcpy4(void *to, const void *from, size_t count) SAME_AS(__aeabi_memcpy);
void __aeabi_memcpy8(void *to, const void *from, size_t count) SAME_AS(__aeabi_memcpy);
void __aeabi_memmove(void *to, const void *from, size_t count) { memmove(to, from, count); }
void __aeabi_memmove4(void *to, const void *from, size_t count) SAME_AS(__aeabi_memmove);
void __aeabi_memmove8(void *to, const void *from, size_t count) SAME_AS(__aeabi_memmove);
void __aeabi_memset(void *to, size_t count, int byte) { memset(to, byte, count); }
void __aeabi_memset4(void *to, size_t count, int byte) SAME_AS(__aeabi_memset);
void __aeabi_memset8(void *to, size_t count, int byte) SAME_AS(__aeabi_memset);
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr4(void *to, size_t count) SAME_AS(__aeabi_memclr);
void __aeabi_memclr8(void *to, size_t count) SAME_AS(__aeabi_memclr);
#endif
