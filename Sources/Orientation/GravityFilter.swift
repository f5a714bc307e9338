public import FixedPoint

/// Gravity from specific force, by the filter of one's choice.
public struct GravityFilter: Equatable, Sendable {
  /// Which filter yields gravity, and how it is set.
  public enum Configuration: Equatable, Sendable {
    /// ``LowPass``: always equally fast.
    case lowPass(LowPass.Configuration)
    /// ``AdaptiveLowPass``: slower at rest, where gravity has less noise for it.
    case adaptive(AdaptiveFilterConfiguration)
    case fusion(Fusion.Configuration)

    /// The low-pass with its defaults.
    public static var standard: Configuration { .lowPass(LowPass.Configuration()) }

    /// The same where a pause of up to `pause` is no gap.
    package func allowing(pause: Microseconds) -> Configuration {
      switch self {
      case .lowPass(let filter): .lowPass(filter.allowing(pause: pause))
      case .adaptive(let filter): .adaptive(filter.allowing(pause: pause))
      case .fusion: self
      }
    }
  }

  private var lowPass: LowPass
  /// The adaptive filter where that is the choice; the low-pass rests then. Beside it rather than in an enumeration with
  /// it, so that no step copies a filter.
  private var adaptive: AdaptiveLowPass?

  /// A filter that has seen nothing; the first sample passes unchanged.
  public init(_ configuration: Configuration = .standard) {
    switch configuration {
    case .lowPass(let filter):
      lowPass = LowPass(filter)
      adaptive = nil
    case .adaptive(let filter):
      lowPass = LowPass(filter.filter)
      adaptive = AdaptiveLowPass(filter)
    case .fusion:
      lowPass = LowPass(LowPass.Configuration())
      adaptive = nil
    }
  }

  /// Takes the sample of instant `now` in and returns gravity, g.
  public mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    if let gravity = adaptive?.step(force, at: now) { return gravity }
    return lowPass.step(force, at: now)
  }

  /// The steering angle of gravity, from all the bits that the filter has; see `LowPass.steeringAngle`. 0 before any sample.
  package var steeringAngle: BinaryAngle { adaptive?.steeringAngle ?? lowPass.steeringAngle }
}
