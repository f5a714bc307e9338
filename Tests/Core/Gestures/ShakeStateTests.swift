import FixedPoint
import Gestures
import Testing

/// What a shake detector remembers.
@Suite struct ShakeStateTests {
  /// A detector that is fed every 10 ms from `start` on, moved by 1.5 g for 80 ms to one side and to the other in turn.
  private func shaken(_ detector: inout ShakeDetector, _ swings: Int, from start: Int64) -> Int {
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

  @Test func `reversals that lie 71 minutes apart make no shake together`() {
    // Times of reversals are kept by their low 32 bits: 4295 s.
    let wrap: Int64 = 1 << 32
    var once = ShakeDetector()
    #expect(shaken(&once, 5, from: 0) == 1)
    for first in 2...4 {
      var detector = ShakeDetector()
      #expect(shaken(&detector, first, from: 0) == 0)
      // Quiet, but without a pause that starts the detector anew.
      for rest in stride(from: 500_000, to: wrap, by: 500_000) {
        _ = detector.step(Vector3(x: .zero, y: .zero, z: .one), motion: .zero, at: Instant(microseconds: rest))
      }
      #expect(shaken(&detector, 6 - first, from: wrap) == 0, "\(first)")
    }
  }

  @Test func `a reversal that came a moment later is remembered, whichever it is`() {
    // A sample every 60 ms, each on the other side; the one of a number is 1 ms late.
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
    #expect(whole == detector(late: nil))
    for sample in 1..<9 { #expect(whole != detector(late: sample), "\(sample)") }
  }

  @Test func `detectors are equal exactly where they have seen the same`() {
    var (a, b) = (ShakeDetector(), ShakeDetector())
    #expect(shaken(&a, 4, from: 0) == shaken(&b, 4, from: 0))
    #expect(a == b)
    // The same number of reversals at other times.
    var c = ShakeDetector()
    _ = shaken(&c, 2, from: 0)
    _ = shaken(&c, 2, from: 170_000)
    #expect(a != c)
  }
}
