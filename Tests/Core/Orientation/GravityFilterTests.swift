import FixedPoint
import Orientation
import OrientationModels
import TestSupport
import Testing

/// The choice of the gravity filter.
struct GravityFilterTests {
  static let filter = LowPass.Configuration(timeConstant: .milliseconds(350))

  /// A minute of rest, turns and shaking, with a pause and a force of zero.
  static let samples: [(force: Vector3, at: Instant)] = {
    var generator = SplitMix64(seed: 71)
    var now = Instant(microseconds: 0)
    return (0..<6_000).map { step in
      now = now + (step % 1_500 == 1_499 ? .seconds(3) : .milliseconds(10))
      let force = Force.varied(step, Double(step) / 100, &generator)
      return (step == 2_000 ? .zero : force, now)
    }
  }()

  @Test static func `the chosen low-pass equals LowPass to the last bit`() {
    var (chosen, alone) = (GravityFilter(.lowPass(Self.filter)), LowPass())
    for (force, now) in Self.samples {
      let (gravity, wanted) = (chosen.step(force, at: now), alone.step(force, at: now, Self.filter))
      expect(gravity, equals: wanted)
    }
  }

  @Test static func `the chosen adaptive filter equals AdaptiveLowPass to the last bit`() throws {
    let settings = try AdaptiveFilterConfiguration(Self.filter, smallestStepMilliG: 30, attenuation: 5)
    var (chosen, alone) = (GravityFilter(.adaptive(settings)), AdaptiveLowPass(settings))
    for (force, now) in Self.samples {
      let (gravity, wanted) = (chosen.step(force, at: now), alone.step(force, at: now))
      expect(gravity, equals: wanted)
    }
  }

  @Test static func `the default is the low-pass with its defaults`() {
    var (chosen, alone) = (GravityFilter(), LowPass())
    for (force, now) in Self.samples {
      let (gravity, wanted) = (chosen.step(force, at: now), alone.step(force, at: now, LowPass.Configuration()))
      expect(gravity, equals: wanted)
    }
  }

  @Test static func `at rest the adaptive filter leaves at most half of the noise`() {
    var generator = SplitMix64(seed: 72)
    var (plain, adaptive) = (GravityFilter(), GravityFilter(.adaptive(AdaptiveFilterConfiguration())))
    var (plainSquares, adaptiveSquares) = (0.0, 0.0)
    for step in 0..<5_000 {
      let force = Force(y: 1).noisy(0.004, &generator).vector
      let now = Instant(microseconds: Int64(step) * 10_000)
      let values = (plain.step(force, at: now).x.raw, adaptive.step(force, at: now).x.raw)
      guard step >= 1_000 else { continue }
      plainSquares += Double(values.0) * Double(values.0)
      adaptiveSquares += Double(values.1) * Double(values.1)
    }
    expect(adaptiveSquares, isBelow: plainSquares / 2)
  }
}
