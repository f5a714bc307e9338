package import FixedPoint
import Glibc
package import Orientation
import Testing

/// A part at a rate.
package struct RestPart: CustomTestStringConvertible, Sendable {
  package var name: String
  package var rate: Double
  /// Noise of each axis before the filter, in mg.
  package var noise: SIMD3<Double>
  /// The filter's pole behind that noise, in Hz; nil for no filter.
  package var filter: Double?
  /// One count, in mg.
  package var count: Double

  package init(name: String, rate: Double, noise: SIMD3<Double>, filter: Double?, count: Double) {
    (self.name, self.rate, self.noise, self.filter, self.count) = (name, rate, noise, filter, count)
  }

  package var testDescription: String { "\(name) at \(rate) Hz" }
}

/// A part sampled at its rate, and the detector.
package struct RestBench {
  package let part: RestPart
  package var generator: SplitMix64
  package var detector = RestDetector()
  package var time = 0.0
  package var force = SIMD3<Double>(0.02, -0.03, 1.01)
  private var filtered = SIMD3<Double>.zero
  /// When it became still or moving, in s.
  package private(set) var changes: [(time: Double, isStill: Bool)] = []

  package init(_ part: RestPart, seed: UInt64 = 1) { (self.part, generator) = (part, SplitMix64(seed: seed)) }

  private mutating func gaussian() -> Double {
    let (a, b) = (Double.random(in: 1e-12...1, using: &generator), Double.random(in: 0...1, using: &generator))
    return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
  }

  /// Samples for that many seconds, with `push` added to the force: in g, as a function of the seconds since this
  /// call.
  package mutating func run(_ seconds: Double, push: (Double) -> SIMD3<Double> = { _ in .zero }) {
    let start = time
    while time < start + seconds {
      time += 1 / part.rate
      let noise = SIMD3(gaussian(), gaussian(), gaussian()) * part.noise
      if let pole = part.filter {
        filtered += (noise - filtered) * (1 - exp(-2 * .pi * pole / part.rate))
      } else {
        filtered = noise
      }
      let exact = (force + push(time - start)) * 1_000 + filtered
      step(SIMD3((exact / part.count).rounded(.toNearestOrEven)) * part.count / 1_000)
    }
  }

  package mutating func step(_ force: SIMD3<Double>) {
    func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
    let before = detector.isStill
    let now = Instant(microseconds: Int64((time * 1e6).rounded()))
    detector.step(Vector3(x: q16(force.x), y: q16(force.y), z: q16(force.z)), at: now)
    if let isStill = detector.isStill, isStill != before { changes.append((time, isStill)) }
  }
}
