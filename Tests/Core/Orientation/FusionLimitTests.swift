import FixedPoint
import Orientation
import TestSupport
import Testing

/// The limits of a fusion's configuration, of its steps and its counts.
struct FusionLimitTests {
  private static func fusion(_ change: (inout Fusion.Configuration) -> Void) -> Fusion {
    var configuration = Fusion.Configuration()
    change(&configuration)
    return Fusion(configuration)
  }

  @Test static func `times beyond the limits are those at the limits, and within them every microsecond counts`() {
    func constant(_ count: Int64) -> Fusion { Self.fusion { $0.timeConstant = Microseconds(count) } }
    for count in [99_999, 0, -1, Int64.min] { expect(constant(count), equals: constant(100_000), "\(count)") }
    for count in [60_000_001, 1 << 31, Int64.max] { expect(constant(count), equals: constant(60_000_000), "\(count)") }
    expect(constant(100_000), isNot: constant(100_001))
    expect(constant(59_000_000), isNot: constant(60_000_000))
    func gap(_ count: Int64) -> Fusion { Self.fusion { $0.longestGap = Microseconds(count) } }
    for count in [-1, Int64.min] { expect(gap(count), equals: gap(0), "\(count)") }
    for count in [500_001, Int64.max] { expect(gap(count), equals: gap(500_000), "\(count)") }
    expect(gap(0), isNot: gap(1))
    expect(gap(499_999), isNot: gap(500_000))
  }

  @Test static func `a configuration is 2_2 s, half a second, 2000 °_s and 8 g, without a bias`() {
    let standard = Fusion.Configuration()
    expect(standard.timeConstant.count, equals: 2_200_000)
    expect(standard.longestGap.count, equals: 500_000)
    expect(standard.rateRange, equals: Q16(whole: 2_000))
    expect(standard.forceRange, equals: Q16(whole: 8))
    expect(standard.bias, equals: .zero)
    expect(Fusion(), equals: Fusion(standard))
    for (pause, gap) in [(0, 200_000), (200_001, 200_001), (500_000, 500_000), (500_001, 500_000)] as [(Int64, Int64)] {
      let short = Fusion.Configuration(longestGap: .milliseconds(200))
      expect(short.allowing(pause: Microseconds(pause)).longestGap.count, equals: gap)
    }
  }

  @Test static func `a bias is at most 40 °_s on each axis`() {
    for raw in [2_621_440, 2_621_441, Int32.max] as [Int32] {
      let known = Self.fusion { $0.bias = Vector3(x: Q16(raw: raw), y: Q16(raw: 0 - raw), z: Q16(raw: 5)) }
      expect(known.bias, equals: Vector3(x: Q16(whole: 40), y: Q16(whole: -40), z: Q16(raw: 5)))
    }
    let exact = Self.fusion { $0.bias = Vector3(x: Q16(raw: (40 << 16) - 1), y: .zero, z: .zero) }
    expect(exact.bias.x.raw, equals: (40 << 16) - 1)
  }

  private static let upright = Vector3(x: .zero, y: .one, z: .zero)

  /// Counts the clipped samples after two steps, the first of which begins.
  private static func clipped(_ fusion: Fusion, _ force: Vector3, _ rotation: Vector3) -> UInt32 {
    var fusion = fusion
    _ = fusion.step(upright, rotation: .zero, at: Instant(microseconds: 0))
    _ = fusion.step(force, rotation: rotation, at: Instant(microseconds: 10_000))
    return fusion.clippedSamples
  }

  @Test(arguments: [250, 500, 1_000, 2_000] as [Int32])
  static func `a rotation of more than 511 of 512 parts of its range is clipped, on any axis`(_ range: Int32) {
    let fusion = Self.fusion { $0.rateRange = Q16(whole: range) }
    let end = range * 65_536 - range * 128
    for (size, count) in [(end, 0), (end + 1, 1), (range * 65_536, 1)] as [(Int32, UInt32)] {
      for sign in [1, -1] as [Int32] {
        for axis in 0..<3 {
          var rotation = Vector3.zero
          switch axis {
          case 0: rotation.x = Q16(raw: sign * size)
          case 1: rotation.y = Q16(raw: sign * size)
          default: rotation.z = Q16(raw: sign * size)
          }
          expect(Self.clipped(fusion, Self.upright, rotation), equals: count, "\(size) on \(axis)")
        }
      }
    }
  }

  @Test(arguments: [2, 4, 8, 16, 20] as [Int32])
  static func `a force of more than 511 of 512 parts of its range is clipped, and of 16 g never`(_ range: Int32) {
    let fusion = Self.fusion { $0.forceRange = Q16(whole: range) }
    let end = min(16 * 65_536, range * 65_536 - range * 128)
    for (size, count) in [(end, 0), (end + 1, range < 20 ? 1 : 0)] as [(Int32, UInt32)] {
      for sign in [1, -1] as [Int32] {
        let force = Vector3(x: .zero, y: .zero, z: Q16(raw: sign * size))
        expect(Self.clipped(fusion, force, .zero), equals: count, "\(size)")
      }
    }
  }

  @Test(arguments: [0, 1, 20_000, 500_000] as [Int64])
  static func `a pause of the longest gap continues, one of a microsecond more begins anew`(_ gap: Int64) {
    let fusion = Self.fusion { $0.longestGap = Microseconds(gap) }
    let left = Vector3(x: .one, y: .zero, z: .zero)
    for (pause, isNew) in [(gap, false), (gap + 1, true), (-1, true)] {
      var tried = fusion
      for number in 0..<20 as Range<Int64> where gap > 0 {
        _ = tried.step(Self.upright, rotation: .zero, at: Instant(microseconds: number * min(gap, 10_000)))
      }
      let last = gap > 0 ? 19 * min(gap, 10_000) : 0
      if gap == 0 { _ = tried.step(Self.upright, rotation: .zero, at: Instant(microseconds: 0)) }
      let gravity = tried.step(left, rotation: .zero, at: Instant(microseconds: last + pause))
      // A microsecond up to 16 ms is a usual step, whatever the gap.
      let isUsual = pause > 0 && pause <= 16_384
      expect(gravity == left, equals: isNew && !isUsual, "\(pause)")
    }
  }
}
