import FixedPoint
import Orientation
import TestSupport
import Testing

/// Lengths of forces and of pauses, exactly at their limits and one unit beyond.
struct AllowedPauseTests {
  @Test static func `a pause is no gap up to an hour, and a longer gap is kept`() throws {
    let hour: Int64 = 3_600_000_000
    for gap in [1, 1_000_000, hour] as [Int64] {
      let tracker = try PoseTracker.Configuration(longestGap: Microseconds(gap))
      let filter = LowPass.Configuration(longestGap: Microseconds(gap))
      for pause in [0, gap - 1, gap, gap + 1, 3_500_000_000, hour - 1, hour, hour + 1, 5_000_000_000] as [Int64] {
        let allowed = tracker.allowing(pause: Microseconds(pause))
        expect(allowed.longestGap.count, equals: max(gap, min(pause, hour)), "\(gap), \(pause)")
        expect(allowed.patience.count, equals: max(1_000_000, min(pause, hour)))
        expect(allowed.dwell, equals: tracker.dwell)
        expect(filter.allowing(pause: Microseconds(pause)).longestGap.count, equals: max(gap, pause))
        let adaptive = AdaptiveFilterConfiguration(filter).allowing(pause: Microseconds(pause))
        expect(adaptive.filter.longestGap.count, equals: max(gap, pause))
        expect(adaptive.smallestStepMilliG, equals: 20)
        expect(adaptive.attenuation, equals: 3)
      }
    }
  }

  @Test static func `a tare is a force of half to one and a half g`() {
    for (size, isTaken) in [(32_767, false), (32_768, true), (98_304, true), (98_305, false)] as [(Int32, Bool)] {
      for axis in 0..<3 {
        for sign in [1, -1] as [Int32] {
          var parts: [Int32] = [0, 0, 0]
          parts[axis] = sign * size
          var up: UnitVector?
          do throws(TareError) {
            up = try Tare(Vector3(x: Q16(raw: parts[0]), y: Q16(raw: parts[1]), z: Q16(raw: parts[2]))).up
          } catch {}
          expect(up != nil, equals: isTaken, "\(parts)")
          guard let up else { continue }
          let found = [up.x, up.y, up.z].map { Double($0) / 0x1p30 }
          for (index, part) in found.enumerated() {
            expect(abs(part - (index == axis ? Double(sign) : 0)), isBelow: 1e-8, "\(parts)")
          }
        }
      }
    }
  }

  @Test(
    arguments: [(0, 3_500), (10, 3_600), (60_000, 603_500), (60_001, 603_500), (90_000, 603_500)] as [(Int64, Int64)])
  static func `a capture waits 3_5 s and ten samples for a board that moves, at most ten minutes more`(
    _ period: Int64, _ most: Int64
  ) {
    var capture = TareCapture(at: Instant(microseconds: 7), period: .milliseconds(period))
    let deadline = 7 + most * 1_000
    expect(capture.step(nil, at: Instant(microseconds: 7)), equals: .measuring)
    expect(capture.step(nil, at: Instant(microseconds: deadline)), equals: .measuring)
    expect(capture.step(nil, at: Instant(microseconds: deadline + 1)), equals: .moved)
  }

  @Test static func `a direction in millionths has a length within a hundredth of 1`() {
    for (size, isTaken) in [
      (989_999, false), (990_000, true), (1_000_000, true), (1_010_000, true), (1_010_001, false),
    ] as [(Int32, Bool)] {
      expect((Tare(millionths: size, 0, 0) != nil), equals: isTaken)
      expect((Tare(millionths: 0, 0 - size, 0) != nil), equals: isTaken)
      expect((Tare(millionths: 0, 0, size) != nil), equals: isTaken, "\(size)")
    }
  }
}
