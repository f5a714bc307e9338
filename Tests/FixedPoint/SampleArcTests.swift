import FixedPoint
import Foundation
import TestSupport
import Testing

/// The cheaper arcs behind the angles of a sample.
@Suite struct SampleArcTests {
  /// Degrees to a unit of 2^-32 turn.
  static let unit = 360 * 0x1p-32

  @Test func `on the axes and the diagonal angle and length are exact`() {
    for size: UInt32 in [32_768, 65_536, 92_682, 1 << 20, (1 << 24) - 1, 1 << 24] {
      #expect(Quarter(0, of: size).angle == 0)
      #expect(Quarter(size, of: size).angle == 0x4000_0000)
      #expect(Quarter(size, of: size * 2).angle == 0x2000_0000)
      #expect(Quarter(0, of: size).length(of: size) == UInt64(size) << Quarter.fractionBits)
    }
    #expect(Quarter(0, of: 0).angle == 0)
    #expect(Quarter(0, of: 0).length(of: 0) == 0)
  }

  @Test func `angles err by 3e-6° and lengths by 1.1e-6 at most, from half a g to 256 g`() {
    var generator = SplitMix64(seed: 21)
    var (worstAngle, worstLength) = (0.0, 0.0)
    for round in 0..<2_000_000 {
      let size = Double(round % 3 == 0 ? 65_536 : UInt32.random(in: 32_768...(1 << 24), using: &generator))
      let turn = Double.random(in: 0...(.pi / 2), using: &generator)
      let (x, y) = (UInt32(size * cos(turn)), UInt32(size * sin(turn)))
      let quarter = Quarter(y, of: x + y)
      let exact = atan2(Double(y), Double(x)) * 180 / .pi
      worstAngle = max(worstAngle, abs(Double(quarter.angle) * Self.unit - exact))
      let length = Double(quarter.length(of: x + y)) / Double(1 << Quarter.fractionBits)
      worstLength = max(worstLength, abs(length / hypot(Double(x), Double(y)) - 1))
    }
    #expect(worstAngle < 3e-6)
    #expect(worstLength < 1.1e-6)
  }

  @Test func `in a quarter angles never fall, at any of the ends of the 32 segments`() {
    for segment: UInt32 in 1..<32 {
      let angles = (-20...20 as ClosedRange<Int64>).map { place in
        Quarter(part: UInt64(Int64(segment) << 30 + place), of: 1 << 35).angle
      }
      #expect(zip(angles, angles.dropFirst()).allSatisfy { $0 <= $1 }, "\(segment)")
    }
  }

  @Test func `the arc cosine of every Q16 sine errs by 3.2e-5° at most, falls all the way, and is exact at the ends`() {
    var (worst, last) = (0.0, Int32.max)
    for cosine: UInt32 in 0...65_536 {
      let angle = arcCosineQ16(cosine)
      worst = max(worst, abs(Double(angle) * Self.unit - acos(Double(cosine) / 65_536) * 180 / .pi))
      if angle >= last { Issue.record("\(cosine): \(angle) after \(last)") }
      last = angle
    }
    #expect(worst < 3.2e-5)
    #expect(arcCosineQ16(0) == 0x4000_0000)
    #expect([65_536, 65_537, 1 << 24, UInt32.max].allSatisfy { arcCosineQ16($0) == 0 })
  }

  @Test func `the sine of a quarter errs by 1e-8 at most`() {
    var worst = 0.0
    for step: Int32 in 0..<200_000 {
      let angle = step * 5_300
      let exact = sin(Double(angle) / 0x1p31 * .pi)
      worst = max(worst, abs(Double(quarterSine(BinaryAngle(raw: angle))) * 0x1p-31 - exact))
    }
    #expect(worst < 1e-8)
  }
}
