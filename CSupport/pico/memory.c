// The block operations that compilers call. Compiled with -fno-tree-loop-distribute-patterns, so that the compiler does
// not turn them into calls of themselves.
#include <stddef.h>
#include <stdint.h>

void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
void __aeabi_memset(void *to, size_t count, int value);
void __aeabi_memclr(void *to, size_t count);

// What two instructions copy.
struct block {
  uint32_t words[3];
};

static void copy_up(uint8_t *to, const uint8_t *from, size_t count) {
  if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
    for (; count >= sizeof(struct block); count -= sizeof(struct block)) {
      *(struct block *)(void *)to = *(const struct block *)(const void *)from;
      to += sizeof(struct block);
      from += sizeof(struct block);
    }
    for (; count >= 4; count -= 4, to += 4, from += 4)
      *(uint32_t *)(void *)to = *(const uint32_t *)(const void *)from;
  }
  while (count--)
    *to++ = *from++;
}

void *memmove(void *to, const void *from, size_t count) {
  if ((uintptr_t)to <= (uintptr_t)from || (uintptr_t)to >= (uintptr_t)from + count) {
    copy_up(to, from, count);
    return to;
  }
  uint8_t *bytes = to;
  const uint8_t *source = from;
  while (count--)
    bytes[count] = source[count];
  return to;
}

void *memset(void *to, int value, size_t count) {
  uint8_t *bytes = to;
  const uint32_t word = (uint8_t)value * 0x01010101U;
  if (((uintptr_t)bytes & 3) == 0) {
    for (; count >= 4; count -= 4, bytes += 4)
      *(uint32_t *)(void *)bytes = word;
  }
  while (count--)
    *bytes++ = (uint8_t)value;
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
SAME(__aeabi_memset4, __aeabi_memset);
SAME(__aeabi_memset8, __aeabi_memset);
SAME(__aeabi_memclr4, __aeabi_memclr);
SAME(__aeabi_memclr8, __aeabi_memclr);
