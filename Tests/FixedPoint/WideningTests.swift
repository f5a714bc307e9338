import FixedPoint
import TestSupport
import Testing

@Suite struct WideningTests {
  @Test func `widening keeps the value of every signed number`() {
    #expect(values(100_000, seed: 1).first { widened($0) != Int64($0) } == nil)
  }

  @Test func `widening keeps the value of every unsigned number`() {
    #expect(values(100_000, seed: 2).map { UInt32(bitPattern: $0) }.first { widened($0) != UInt64($0) } == nil)
  }

  @Test func `saturation keeps what fits in 32 bits`() {
    #expect(values(100_000, seed: 3).first { saturated(Int64($0)) != $0 } == nil)
  }

  @Test(
    arguments: [
      (2_147_483_647, Int32.max), (2_147_483_648, Int32.max), (4_294_967_295, Int32.max), (4_294_967_296, Int32.max),
      (Int64.max, Int32.max), (-2_147_483_648, Int32.min), (-2_147_483_649, Int32.min), (-4_294_967_296, Int32.min),
      (Int64.min, Int32.min),
    ] as [(Int64, Int32)])
  func `saturation gives the nearest end of the range for what does not fit`(_ value: Int64, _ expected: Int32) {
    #expect(saturated(value) == expected)
  }

  @Test func `saturation agrees with clamping for numbers of every size`() {
    var random = SplitMix64(seed: 4)
    let wide = (0..<100_000).map { _ in Int64(bitPattern: random.next()) >> Int64(random.next() % 64) }
    #expect(wide.first { saturated($0) != Int32(clamping: $0) } == nil)
  }
}
