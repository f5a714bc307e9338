import FixedPoint
import Gestures
import TestSupport
import Testing

/// Pauses and counts of gestures, exactly at their limits and one unit beyond.
struct GestureLimitTests {
  @Test static func `a pause is no gap up to an hour, and a longer gap is kept`() throws {
    let hour: Int64 = 3_600_000_000
    for gap in [1, 1_000_000, hour] as [Int64] {
      let shake = try ShakeDetector.Configuration(longestGap: Microseconds(gap))
      let fall = try FallDetector.Configuration(longestGap: Microseconds(gap))
      let scroll = try TiltScroll.Configuration(longestGap: Microseconds(gap))
      for pause in [0, gap - 1, gap, gap + 1, 3_500_000_000, hour - 1, hour, hour + 1, 5_000_000_000] as [Int64] {
        let expected = max(gap, min(pause, hour))
        expect(shake.allowing(pause: Microseconds(pause)).longestGap.count, equals: expected, "\(gap), \(pause)")
        expect(fall.allowing(pause: Microseconds(pause)).longestGap.count, equals: expected, "\(gap), \(pause)")
        expect(scroll.allowing(pause: Microseconds(pause)).longestGap.count, equals: expected, "\(gap), \(pause)")
      }
    }
  }

  @Test static func `a height is half of the acceleration of gravity times the square of the time, rounded`() {
    for milliseconds in 0...60_001 as ClosedRange<Int64> {
      let seconds = Double(min(60_000, milliseconds)) / 1_000
      let height = 9_806.65 / 2 * seconds * seconds
      let found = FallDetector.millimetres(in: .milliseconds(milliseconds))
      guard abs(Double(found) - height) <= 0.5 + 1e-6 else {
        Issue.record("\(milliseconds) ms: \(found)")
        return
      }
    }
    expect(FallDetector.millimetres(in: Microseconds(-1)), equals: 0)
    // To tenths of a millisecond.
    for time in [100_049, 100_050, 99_950, 99_949] as [Int64] {
      let tenths = (Double(time) / 100).rounded()
      let height = 9_806.65 / 2 * tenths * tenths / 1e8
      expect(Double(FallDetector.millimetres(in: Microseconds(time))), equals: height.rounded(), "\(time)")
    }
  }

  @Test static func `a rest pose is a force of half to one and a half g`() {
    for (size, isTaken) in [(32_767, false), (32_768, true), (98_304, true), (98_305, false)] as [(Int32, Bool)] {
      for force in [
        Vector3(x: Q16(raw: size), y: .zero, z: .zero), Vector3(x: .zero, y: Q16(raw: size), z: .zero),
        Vector3(x: .zero, y: .zero, z: Q16(raw: size)),
      ] {
        var rest: TiltScroll.Rest?
        do throws(TiltScrollError) { rest = try TiltScroll.Rest(force) } catch {
          expect(error, equals: .restMagnitude)
        }
        expect(rest != nil, equals: isTaken, "\(size)")
      }
    }
  }

  @Test static func `axes of taps are three bits`() {
    for bits in UInt8.min...UInt8.max {
      let axes = Tap.Axes(bits: bits)
      expect(axes.bits, equals: bits & 7)
      expect(axes.isEmpty, equals: (bits & 7 == 0))
      expect([Tap.Axis.x, .y, .z].map { axes.contains($0) }, equals: [1, 2, 4].map { bits & $0 != 0 })
    }
    expect(Tap.Axes.all, equals: Tap.Axes(bits: 7))
    for sign in [Int32.min, -2, -1, 0, 1, 2, Int32.max] { expect(Tap(.y, sign: sign).sign, equals: sign.signum()) }
  }
}
