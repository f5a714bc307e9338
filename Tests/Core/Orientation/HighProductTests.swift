import FixedPoint
import Orientation
import TestSupport
import Testing

struct HighProductTests {
  @Test static func `the upper half of a product from 32-bit words is the exact floor`() {
    var generator = SplitMix64(seed: 15)
    let ends: [Int64] = [
      .min, .min + 1, -0x1_0000_0000, -0xFFFF_FFFF, -1, 0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1_0000_0000, .max - 1, .max,
    ]
    func number() -> Int64 { Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64) }
    let pairs = ends.flatMap { a in ends.map { b in (a, b) } } + (0..<500_000).map { _ in (number(), number()) }
    let wrong = pairs.first { a, b in
      b >= 0 && Int128(highProductOfWords(a, b)) != (Int128(a) * Int128(b)) >> 64
    }
    expect(absent: wrong)
  }
}
