import FixedPoint
import Foundation
import TestSupport
import Testing

/// How far `atan2` is from the exact angle; one LSB is 2^-32 turn.
@Suite struct ArcTangentAccuracyTests {
  @Test(arguments: ArcTangentVariant.allCases)
  func `every pair of 10-bit inputs is within the bound`(_ variant: ArcTangentVariant) {
    let worst = variant.worst(-512...511, -512...511)
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `a dense grid over 13-bit inputs is within the bound`(_ variant: ArcTangentVariant) {
    let worst = variant.worst(stride(from: -4_096, to: 4_096, by: 7), stride(from: -4_096, to: 4_096, by: 5))
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `every pair of corner values is within the bound`(_ variant: ArcTangentVariant) {
    let worst = variant.worst(cornerPairs)
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test(arguments: ArcTangentVariant.allCases, [1, 2, 3, 4] as [UInt64])
  func `random pairs of every size are within the bound`(_ variant: ArcTangentVariant, _ seed: UInt64) {
    let worst = variant.worst(count: 250_000, seed: seed)
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test(arguments: ArcTangentVariant.allCases, [Int32.min, Int32.max, 0x4000_0001, 65_536] as [Int32])
  func `the joins of the segments are within the bound`(_ variant: ArcTangentVariant, _ x: Int32) {
    let near = ArcTangentTests.aboutNodes(of: x)
    let worst = variant.worst(near.flatMap { [Pair(a: $0, b: x), Pair(a: x, b: $0)] })
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `pairs next to an axis or a diagonal are within the bound`(_ variant: ArcTangentVariant) {
    let near = corners.flatMap { size in
      (-40...40).flatMap { (offset: Int32) -> [Pair] in
        [
          Pair(a: offset, b: size), Pair(a: size, b: offset), Pair(a: size &+ offset, b: size),
          Pair(a: size &+ offset, b: 0 &- size),
        ]
      }
    }
    let worst = variant.worst(near)
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test(arguments: ArcTangentVariant.allCases)
  func `the joins of the reciprocal's segments are within the bound`(_ variant: ArcTangentVariant) {
    let sizes = (128...256).flatMap { part in (-2...2).map { Int32(truncatingIfNeeded: part << 23 + $0) } }
    var random = SplitMix64(seed: 11)
    let pairs = sizes.flatMap { x in
      (0..<400).map { _ in Pair(a: Int32(truncatingIfNeeded: random.next()) / 2, b: x) }
    }
    let worst = variant.worst(pairs)
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }

  @Test func `angle and then degrees are within 0_504 LSB of Q16`() {
    var worst = Worst()
    var random = SplitMix64(seed: 5)
    for _ in 0..<1_000_000 {
      let pair = Pair(a: random.nextInt32(), b: random.nextInt32())
      let exact = Foundation.atan2(Double(pair.a), Double(pair.b)) * (180 / .pi) * 65_536
      let difference = abs(Double(atan2(y: pair.a, x: pair.b).degrees.raw) - exact)
      worst.note(min(difference, 360 * 65_536 - difference), at: pair)
    }
    #expect(worst.error < 0.504, "at \(worst.input)")
  }
}

/// 10^8 random pairs, by far the slowest test of the package.
@Suite(.enabled(if: runsLongTests, "PLUMB_LONG_TESTS=1 runs it"))
struct ArcTangentLongTests {
  @Test(arguments: ArcTangentVariant.allCases)
  func `10^8 random pairs are within the bound (only with PLUMB_LONG_TESTS=1)`(_ variant: ArcTangentVariant) {
    let worst = variant.worst(count: 100_000_000, seed: 100)
    print("atan2, \(variant.rawValue): worst of 10^8 random pairs \(worst.error) LSB at \(worst.input)")
    #expect(worst.error < variant.bound, "at \(worst.input)")
  }
}
