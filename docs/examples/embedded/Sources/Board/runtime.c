// What compilers call by themselves and a C library would have: Arm's run-time ABI, as far as the core needs it. Where
// your compiler brings libgcc or newlib, link those instead. Compiled with -fno-builtin, lest these functions call
// themselves.
#include <stddef.h>
#include <stdint.h>

void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
void __aeabi_memset(void *to, size_t count, int value);
void __aeabi_memclr(void *to, size_t count);
uint64_t __aeabi_llsl(uint64_t value, int count);
uint64_t __aeabi_llsr(uint64_t value, int count);
int64_t __aeabi_lasr(int64_t value, int count);

void *memmove(void *to, const void *from, size_t count) {
  uint8_t *bytes = to;
  const uint8_t *source = from;
  if (bytes <= source) {
    for (size_t index = 0; index < count; index++)
      bytes[index] = source[index];
  } else {
    while (count-- > 0)
      bytes[count] = source[count];
  }
  return to;
}

void *memset(void *to, int value, size_t count) {
  uint8_t *bytes = to;
  while (count-- > 0)
    bytes[count] = (uint8_t)value;
  return to;
}

void __aeabi_memset(void *to, size_t count, int value) { memset(to, value, count); }
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }

// Those in 4 and 8 promise that alignment.
#define SAME(name, other) __attribute__((alias(#other))) __typeof__(other) name
SAME(memcpy, memmove);
SAME(__aeabi_memmove, memmove);
SAME(__aeabi_memmove4, memmove);
SAME(__aeabi_memmove8, memmove);
SAME(__aeabi_memcpy, memmove);
SAME(__aeabi_memcpy4, memmove);
SAME(__aeabi_memcpy8, memmove);
SAME(__aeabi_memclr4, __aeabi_memclr);
SAME(__aeabi_memclr8, __aeabi_memclr);

static uint64_t joined(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

// Counts are 0 to 63. A shift by 32 of half a word is left out: C does not define it.
uint64_t __aeabi_llsl(uint64_t value, int count) {
  const uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
  if (count == 0)
    return value;
  if (count >= 32)
    return joined(low << (count - 32), 0);
  return joined(high << count | low >> (32 - count), low << count);
}

uint64_t __aeabi_llsr(uint64_t value, int count) {
  const uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
  if (count == 0)
    return value;
  if (count >= 32)
    return high >> (count - 32);
  return joined(high >> count, low >> count | high << (32 - count));
}

int64_t __aeabi_lasr(int64_t value, int count) {
  const uint64_t shifted = __aeabi_llsr((uint64_t)value, count);
  return (int64_t)(value < 0 && count > 0 ? shifted | __aeabi_llsl(UINT64_MAX, 64 - count) : shifted);
}

// Two words of 64 bits in r0 to r3, which is how the ABI returns a vector of 16 bytes, and what it wants of a division.
typedef uint64_t quotient_and_rest __attribute__((vector_size(16)));
quotient_and_rest __aeabi_uldivmod(uint64_t dividend, uint64_t divisor);
quotient_and_rest __aeabi_ldivmod(int64_t dividend, int64_t divisor);

quotient_and_rest __aeabi_uldivmod(uint64_t dividend, uint64_t divisor) {
  uint64_t quotient = 0, rest = 0;
  for (int bit = 0; bit < 64; bit++) {
    const uint64_t carry = rest >> 63;
    rest = rest << 1 | dividend >> 63;
    dividend <<= 1;
    quotient <<= 1;
    if (carry || rest >= divisor) {
      rest -= divisor;
      quotient |= 1;
    }
  }
  return (quotient_and_rest){quotient, rest};
}

quotient_and_rest __aeabi_ldivmod(int64_t dividend, int64_t divisor) {
  const uint64_t top = dividend < 0 ? 0 - (uint64_t)dividend : (uint64_t)dividend;
  const uint64_t bottom = divisor < 0 ? 0 - (uint64_t)divisor : (uint64_t)divisor;
  quotient_and_rest found = __aeabi_uldivmod(top, bottom);
  if ((dividend < 0) != (divisor < 0))
    found[0] = 0 - found[0];
  if (dividend < 0)
    found[1] = 0 - found[1];
  return found;
}
