import FixedPoint
import Gestures
import Orientation
import TestSupport

/// A high-pass and a shake detector, and the seconds at which the detector fired.
struct ShakenBoard {
  var detector = ShakeDetector()
  var hertz = 50.0
  var noise = 0.03
  /// The sensor's range in g.
  var range = 16.0
  /// The largest deviation of a sample's time, as a fraction of the period.
  var jitter = 0.0
  var generator: SplitMix64
  var events: [Double] = []
  /// The monotonic clock's instant at time 0, so that no test depends on a clock that begins at 0.
  let origin: Int64 = 0x7_FFF0_0000

  private var highPass = HighPass()

  init(_ configuration: ShakeDetector.Configuration = .standard, hertz: Double = 50, seed: UInt64 = 1) {
    detector = ShakeDetector(configuration)
    self.hertz = hertz
    generator = SplitMix64(seed: seed)
  }

  /// Plays `force` from `start` to `end`.
  mutating func play(from start: Double = -1, to end: Double, _ force: (Double) -> ForceInG) {
    let first = Int((start * hertz).rounded())
    for index in first..<Int((end * hertz).rounded()) {
      let uneven = jitter == 0 ? 0 : Double.random(in: -jitter...jitter, using: &generator)
      let time = (Double(index) + uneven) / hertz
      sample(force(time).clipped(range).noisy(noise, &generator), at: time)
    }
  }

  /// The instant of `time`.
  func now(_ time: Double) -> Instant { Instant(microseconds: origin + Int64((time * 1e6).rounded())) }

  mutating func sample(_ force: ForceInG, at time: Double) {
    let now = now(time)
    let motion = highPass.step(force.vector, at: now, LowPass.Configuration())
    if detector.step(force.vector, motion: motion, at: now) { events.append(time) }
  }
}

extension ForceInG {
  var vector: Vector3 {
    func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
    return Vector3(x: q16(x), y: q16(y), z: q16(z))
  }
}
