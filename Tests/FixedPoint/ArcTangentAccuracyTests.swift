import FixedPoint
import Foundation
import TestSupport
import Testing

/// How far `atan2` is from the exact angle; one LSB is 2^-32 turn.
@Suite struct ArcTangentAccuracyTests {
  @Test func `every pair of 10-bit inputs is within the bound`() {
    let worst = ArcTangentError.worst(-512...511, -512...511)
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }

  @Test func `a dense grid over 13-bit inputs is within the bound`() {
    let worst = ArcTangentError.worst(stride(from: -4_096, to: 4_096, by: 7), stride(from: -4_096, to: 4_096, by: 5))
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }

  @Test func `every pair of corner values is within the bound`() {
    let worst = ArcTangentError.worst(cornerPairs)
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random pairs of every size are within the bound`(_ seed: UInt64) {
    let worst = ArcTangentError.worst(count: 250_000, seed: seed)
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }

  @Test(arguments: [Int32.min, Int32.max, 0x4000_0001, 65_536] as [Int32])
  func `the joins of the segments are within the bound`(_ x: Int32) {
    let near = ArcTangentTests.aboutNodes(of: x)
    let worst = ArcTangentError.worst(near.flatMap { [Pair(a: $0, b: x), Pair(a: x, b: $0)] })
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }

  @Test func `pairs next to an axis or a diagonal are within the bound`() {
    let near = corners.flatMap { size in
      (-40...40).flatMap { (offset: Int32) -> [Pair] in
        [
          Pair(a: offset, b: size), Pair(a: size, b: offset), Pair(a: size &+ offset, b: size),
          Pair(a: size &+ offset, b: 0 &- size),
        ]
      }
    }
    let worst = ArcTangentError.worst(near)
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }

  @Test func `the joins of the reciprocal's segments are within the bound`() {
    let sizes = (128...256).flatMap { part in (-2...2).map { Int32(truncatingIfNeeded: part << 23 + $0) } }
    var random = SplitMix64(seed: 11)
    let pairs = sizes.flatMap { x in
      (0..<400).map { _ in Pair(a: Int32(truncatingIfNeeded: random.next()) / 2, b: x) }
    }
    let worst = ArcTangentError.worst(pairs)
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
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
  @Test func `10^8 random pairs are within the bound (only with PLUMB_LONG_TESTS=1)`() {
    let worst = ArcTangentError.worst(count: 100_000_000, seed: 100)
    print("atan2: worst of 10^8 random pairs \(worst.error) LSB at \(worst.input)")
    #expect(worst.error < ArcTangentError.bound, "at \(worst.input)")
  }
}

/// How far `atan2` is from the model in `Double`.
enum ArcTangentError {
  /// In LSB of 2^-32 turn: what the documentation gives, near what is measured (0.606), so that a loss shows.
  static let bound = 0.62

  /// The error at (`y`, `x`) in LSB of 2^-32 turn, the short way round.
  ///
  /// `Double` has 21 bits below one LSB of half a turn: its own error is no part of the bounds.
  static func error(y: Int32, x: Int32) -> Double {
    let exact = Foundation.atan2(Double(y), Double(x)) / (2 * .pi) * 0x1p32
    let difference = abs(Double(atan2(y: y, x: x).raw) - exact)
    return min(difference, 0x1p32 - difference)
  }

  /// The greatest error at the points of `rows` (y) and `columns` (x).
  static func worst(_ rows: some Sequence<Int32>, _ columns: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for y in rows {
      for x in columns { worst.note(error(y: y, x: x), at: Pair(a: y, b: x)) }
    }
    return worst
  }

  /// The greatest error at pairs (y, x).
  static func worst(_ pairs: some Sequence<Pair>) -> Worst {
    var worst = Worst()
    for pair in pairs { worst.note(error(y: pair.a, x: pair.b), at: pair) }
    return worst
  }

  /// The greatest error at `count` random pairs, half of them of random sizes, half of them full-range.
  static func worst(count: Int, seed: UInt64) -> Worst {
    var random = SplitMix64(seed: seed)
    var worst = Worst()
    for _ in 0..<count / 2 {
      let sized = Pair(a: random.nextInt32(), b: random.nextInt32())
      worst.note(error(y: sized.a, x: sized.b), at: sized)
      let bits = random.next()
      let full = Pair(a: Int32(truncatingIfNeeded: bits), b: Int32(truncatingIfNeeded: bits >> 32))
      worst.note(error(y: full.a, x: full.b), at: full)
    }
    return worst
  }
}
