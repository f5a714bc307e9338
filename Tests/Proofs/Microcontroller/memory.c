// The block operations that compilers call, in place of a C library. Compiled with
// -fno-tree-loop-distribute-patterns, so that the compiler does not turn them into calls of themselves.
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *to, int value, size_t count);
void __aeabi_memcpy(void *to, const void *from, size_t count);
void __aeabi_memcpy4(void *to, const void *from, size_t count);
void __aeabi_memcpy8(void *to, const void *from, size_t count);
void __aeabi_memset(void *to, size_t count, int value);
void __aeabi_memclr(void *to, size_t count);
void __aeabi_memclr4(void *to, size_t count);
void __aeabi_memclr8(void *to, size_t count);

// Both must be multiples of four; the remaining bytes follow the words.
static void copy_words(void *to, const void *from, size_t count) {
  uint32_t *word_to = to;
  const uint32_t *word_from = from;
  for (; count >= 4; count -= 4) {
    *word_to++ = *word_from++;
  }
  uint8_t *byte_to = (uint8_t *)word_to;
  const uint8_t *byte_from = (const uint8_t *)word_from;
  while (count--) {
    *byte_to++ = *byte_from++;
  }
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
    copy_words(to, from, count);
    return to;
  }
  uint8_t *byte_to = to;
  const uint8_t *byte_from = from;
  while (count--) {
    *byte_to++ = *byte_from++;
  }
  return to;
}

void *memset(void *to, int value, size_t count) {
  uint8_t *byte_to = to;
  const uint32_t word = (uint8_t)value * 0x01010101U;
  for (; count && ((uintptr_t)byte_to & 3); count--) {
    *byte_to++ = (uint8_t)value;
  }
  for (; count >= 4; count -= 4, byte_to += 4) {
    *(uint32_t *)(void *)byte_to = word;
  }
  while (count--) {
    *byte_to++ = (uint8_t)value;
  }
  return to;
}

// The names of Arm's run-time ABI. Those with 4 and 8 guarantee that alignment.
void __aeabi_memcpy(void *to, const void *from, size_t count) { memcpy(to, from, count); }
void __aeabi_memcpy4(void *to, const void *from, size_t count) { copy_words(to, from, count); }
void __aeabi_memcpy8(void *to, const void *from, size_t count) { copy_words(to, from, count); }
void __aeabi_memset(void *to, size_t count, int value) { memset(to, value, count); }
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr4(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr8(void *to, size_t count) { memset(to, 0, count); }
