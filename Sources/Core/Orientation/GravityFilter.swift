public import FixedPoint

/// Gravity from specific force, with a choice of filter.
public struct GravityFilter: Equatable, Sendable {
  /// Which filter yields gravity, and its settings.
  public enum Configuration: Equatable, Sendable {
    /// ``LowPass``: a constant time constant.
    case lowPass(LowPass.Configuration)
    /// ``AdaptiveLowPass``: slower at rest, which leaves less noise in gravity.
    case adaptive(AdaptiveFilterConfiguration)
    /// ``Fusion`` with the rate of rotation: correct even while the board moves. Samples without a rate go through a
    /// low-pass.
    case fusion(Fusion.Configuration)

    /// The low-pass with its defaults.
    public static var standard: Configuration { .lowPass(LowPass.Configuration()) }

    /// The same configuration, with a pause of up to `pause` not counting as a gap.
    package func allowing(pause: Microseconds) -> Configuration {
      switch self {
      case .lowPass(let filter): .lowPass(filter.allowing(pause: pause))
      case .adaptive(let filter): .adaptive(filter.allowing(pause: pause))
      case .fusion(let filter): .fusion(filter.allowing(pause: pause))
      }
    }
  }

  // Fields rather than one enumeration, so that no step copies a filter.
  private var lowPass: LowPass
  /// Used in place of the low-pass if `isAdaptive`. Not optional: to see whether it is nil, all of it would be loaded.
  private var adaptive = AdaptiveLowPass()
  private var isAdaptive = false
  /// The fusion, if chosen.
  package private(set) var fusion: Fusion?

  /// A filter without samples; it passes the first sample unchanged.
  public init(_ configuration: Configuration = .standard) {
    switch configuration {
    case .lowPass(let filter): lowPass = LowPass(filter)
    case .adaptive(let filter):
      lowPass = LowPass(filter.filter)
      (adaptive, isAdaptive) = (AdaptiveLowPass(filter), true)
    case .fusion(let filter):
      lowPass = LowPass(LowPass.Configuration())
      fusion = Fusion(filter)
    }
  }

  /// Restarts with the next sample; what is known of the gyroscope is kept.
  package mutating func interrupt() {
    lowPass.interrupt()
    adaptive.interrupt()
    fusion?.interrupt()
  }

  /// Takes in the sample of instant `now` and returns gravity, g.
  public mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    isAdaptive ? adaptive.step(force, at: now) : lowPass.step(force, at: now)
  }

  /// Takes in the sample of instant `now` with its rate of rotation, and returns gravity, g; nil without fusion.
  @inline(__always)
  package mutating func step(_ force: Vector3, rotation: Vector3, at now: Instant) -> Vector3? {
    fusion?.step(force, rotation: rotation, at: now)
  }

  /// The direction of up as a force of 1 g; zero without fusion.
  package var up: Vector3 { fusion?.up.vector ?? .zero }

  /// The steering angle of gravity, with the full precision of the filter; see `LowPass.steeringAngle`. 0 before the
  /// first sample.
  package var steeringAngle: BinaryAngle {
    if let up = fusion?.up { return steering(sineY: up.y, sineZ: up.z) }
    return isAdaptive ? adaptive.steeringAngle : lowPass.steeringAngle
  }
}
