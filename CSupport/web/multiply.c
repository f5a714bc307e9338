// What the compiler calls to multiply numbers of 128 bits, which WebAssembly cannot: its runtime library has it too,
// but the toolchain has none for this target.
#include <stdint.h>

__int128 __multi3(__int128 a, __int128 b);

__int128 __multi3(__int128 a, __int128 b) {
  uint64_t const x = (uint64_t)a, y = (uint64_t)b;
  uint64_t const x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
  // The products of 32-bit halves; the middle cannot overflow.
  uint64_t const low = x0 * y0, middle = x1 * y0 + (low >> 32), other = x0 * y1 + (uint32_t)middle;
  uint64_t const high = x1 * y1 + (middle >> 32) + (other >> 32);
  uint64_t const crossed = x * (uint64_t)(b >> 64) + (uint64_t)(a >> 64) * y;
  return (__int128)((unsigned __int128)(high + crossed) << 64 | (other << 32 | (uint32_t)low));
}
