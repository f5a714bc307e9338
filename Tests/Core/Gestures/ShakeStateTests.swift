import FixedPoint
import Gestures
import TestSupport
import Testing

/// What a shake detector remembers.
struct ShakeStateTests {
  /// Feeds a detector every 10 ms from `start` on, with 1.5 g for 80 ms to either side in turn. Returns the shakes.
  private static func shaken(_ detector: inout ShakeDetector, _ swings: Int, from start: Int64) -> Int {
    var shakes = 0
    for swing in 0..<swings {
      for sample in 0..<8 {
        let push = Q16(raw: swing % 2 == 0 ? 98_304 : -98_304)
        let now = Instant(microseconds: start + Int64(swing * 8 + sample) * 10_000)
        shakes +=
          detector.step(Vector3(x: push, y: .zero, z: .one), motion: Vector3(x: push, y: .zero, z: .zero), at: now)
          ? 1 : 0
      }
    }
    return shakes
  }

  @Test static func `reversals 71 minutes apart make no shake together`() {
    // Reversals keep the low 32 bits of their time, which wrap at 4295 s.
    let wrap: Int64 = 1 << 32
    var once = ShakeDetector()
    expect(shaken(&once, 5, from: 0), equals: 1)
    for first in 2...4 {
      var detector = ShakeDetector()
      expect(shaken(&detector, first, from: 0), equals: 0)
      // Quiet, but without a gap that would restart the detector.
      for rest in stride(from: 500_000, to: wrap, by: 500_000) {
        _ = detector.step(Vector3(x: .zero, y: .zero, z: .one), motion: .zero, at: Instant(microseconds: rest))
      }
      expect(shaken(&detector, 6 - first, from: wrap), equals: 0, "\(first)")
    }
  }

  @Test static func `each reversal keeps its exact time, even when it comes 1 ms late`() {
    // A sample every 60 ms, on alternating sides; sample `late` comes 1 ms late.
    func detector(late: Int?) -> ShakeDetector {
      var detector = ShakeDetector()
      for sample in 0..<9 {
        let push = Q16(raw: sample % 2 == 0 ? 98_304 : -98_304)
        _ = detector.step(
          Vector3(x: push, y: .zero, z: .one), motion: Vector3(x: push, y: .zero, z: .zero),
          at: Instant(microseconds: Int64(sample) * 60_000 + (sample == late ? 1_000 : 0)))
      }
      return detector
    }
    let whole = detector(late: nil)
    expect(whole, equals: detector(late: nil))
    for sample in 1..<9 { expect(whole, isNot: detector(late: sample), "\(sample)") }
  }

  @Test static func `detectors are equal only if they have seen the same`() {
    var (a, b) = (ShakeDetector(), ShakeDetector())
    expect(shaken(&a, 4, from: 0), equals: shaken(&b, 4, from: 0))
    expect(a, equals: b)
    // As many reversals, at other times.
    var c = ShakeDetector()
    _ = shaken(&c, 2, from: 0)
    _ = shaken(&c, 2, from: 170_000)
    expect(a, isNot: c)
  }
}
