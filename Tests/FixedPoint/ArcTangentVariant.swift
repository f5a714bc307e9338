import FixedPoint
import Foundation
import TestSupport

/// The two ways in which the arc tangent is computed; a target has one of them, every test looks at both.
enum ArcTangentVariant: String, CaseIterable, Sendable {
  /// With a 64-bit division.
  case wide
  /// With 32-bit words and no division.
  case narrow

  /// What the documentation gives, near what is measured (0.5094 and 0.606), so that a loss shows.
  var bound: Double { self == .wide ? 0.512 : 0.62 }

  /// The angle of (`x`, `y`) in 2^-32 turn.
  func raw(_ y: Int32, _ x: Int32) -> Int32 {
    self == .wide ? wideArcTangent(y: y, x: x).raw : narrowArcTangent(y: y, x: x).raw
  }

  /// The error at (`y`, `x`) in LSB of 2^-32 turn, the short way round.
  ///
  /// `Double` has 21 bits below one LSB of half a turn: its own error is no part of the bounds.
  func error(y: Int32, x: Int32) -> Double {
    let exact = Foundation.atan2(Double(y), Double(x)) / (2 * .pi) * 0x1p32
    let difference = abs(Double(raw(y, x)) - exact)
    return min(difference, 0x1p32 - difference)
  }

  /// The greatest error at the points of `rows` (y) and `columns` (x).
  func worst(_ rows: some Sequence<Int32>, _ columns: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for y in rows {
      for x in columns { worst.note(error(y: y, x: x), at: Pair(a: y, b: x)) }
    }
    return worst
  }

  /// The greatest error at pairs (y, x).
  func worst(_ pairs: some Sequence<Pair>) -> Worst {
    var worst = Worst()
    for pair in pairs { worst.note(error(y: pair.a, x: pair.b), at: pair) }
    return worst
  }

  /// The greatest error at `count` random pairs, half of them of random sizes, half of them full-range.
  func worst(count: Int, seed: UInt64) -> Worst {
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

/// Whether the suites that take minutes run: PLUMB_LONG_TESTS=1 in the environment.
let runsLongTests = ProcessInfo.processInfo.environment["PLUMB_LONG_TESTS"] == "1"
