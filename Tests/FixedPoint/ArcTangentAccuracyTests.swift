import FixedPoint
import Foundation
import Testing

/// How far `atan2` is from `Double`; one LSB is 2^-32 turn.
@Suite struct ArcTangentAccuracyTests {
  /// Within the 1 LSB that the documentation of `atan2` gives, and near what is measured (0.75), so that a loss shows.
  static let bound = 0.8

  /// The error at (`y`, `x`) in LSB, the short way round.
  static func error(y: Int32, x: Int32) -> Double {
    let exact = Foundation.atan2(Double(y), Double(x)) / (2 * .pi) * 0x1p32
    let difference = abs(Double(atan2(y: y, x: x).raw) - exact)
    return min(difference, 0x1p32 - difference)
  }

  static func worst(_ rows: some Sequence<Int32>, _ columns: some Sequence<Int32>) -> Worst {
    var worst = Worst()
    for y in rows {
      for x in columns { worst.note(error(y: y, x: x), at: Pair(a: y, b: x)) }
    }
    return worst
  }

  static func worst(_ pairs: some Sequence<Pair>) -> Worst {
    var worst = Worst()
    for pair in pairs { worst.note(error(y: pair.a, x: pair.b), at: pair) }
    return worst
  }

  @Test func `every pair of 9-bit inputs is within the bound`() {
    let worst = ArcTangentAccuracyTests.worst(-256...255, -256...255)
    #expect(worst.error < ArcTangentAccuracyTests.bound, "at \(worst.input)")
  }

  @Test func `a dense grid over 13-bit inputs is within the bound`() {
    let worst = ArcTangentAccuracyTests.worst(
      stride(from: -4_096, to: 4_096, by: 7), stride(from: -4_096, to: 4_096, by: 5))
    #expect(worst.error < ArcTangentAccuracyTests.bound, "at \(worst.input)")
  }

  @Test func `every pair of corner values is within the bound`() {
    let worst = ArcTangentAccuracyTests.worst(cornerPairs)
    #expect(worst.error < ArcTangentAccuracyTests.bound, "at \(worst.input)")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random pairs of every size are within the bound`(_ seed: UInt64) {
    let worst = ArcTangentAccuracyTests.worst(randomPairs(250_000, seed: seed))
    #expect(worst.error < ArcTangentAccuracyTests.bound, "at \(worst.input)")
  }

  @Test(arguments: [Int32.min, Int32.max, 0x4000_0001, 65_536] as [Int32])
  func `the nodes and joins of the segments are within the bound`(_ x: Int32) {
    var worst = Worst()
    for y in ArcTangentTests.aboutNodes(of: x) {
      worst.note(ArcTangentAccuracyTests.error(y: y, x: x), at: Pair(a: y, b: x))
    }
    #expect(worst.error < ArcTangentAccuracyTests.bound, "at \(worst.input)")
  }

  @Test func `angle and then degrees stay within half an LSB of Q16 degrees and the bound`() {
    var worst = Worst()
    for pair in randomPairs(250_000, seed: 5) {
      let exact = Foundation.atan2(Double(pair.a), Double(pair.b)) * (180 / .pi) * 65_536
      let difference = abs(Double(atan2(y: pair.a, x: pair.b).degrees.raw) - exact)
      worst.note(min(difference, 360 * 65_536 - difference), at: pair)
    }
    #expect(worst.error < 0.5 + ArcTangentAccuracyTests.bound * 360 / 65_536, "at \(worst.input)")
  }
}
