public import FixedPoint

/// Gravity from specific force, by the filter of one's choice.
public struct GravityFilter: Equatable, Sendable {
  /// Which filter yields gravity, and how it is set.
  public enum Configuration: Equatable, Sendable {
    /// ``LowPass``: always equally fast.
    case lowPass(LowPass.Configuration)
    /// ``AdaptiveLowPass``: slower at rest, where gravity has less noise for it.
    case adaptive(AdaptiveFilterConfiguration)
    /// ``Fusion`` with the rate of rotation: right while the board moves. Samples without a rate pass a low-pass.
    case fusion(Fusion.Configuration)

    /// The low-pass with its defaults.
    public static var standard: Configuration { .lowPass(LowPass.Configuration()) }

    /// The same where a pause of up to `pause` is no gap.
    package func allowing(pause: Microseconds) -> Configuration {
      switch self {
      case .lowPass(let filter): .lowPass(filter.allowing(pause: pause))
      case .adaptive(let filter): .adaptive(filter.allowing(pause: pause))
      case .fusion(let filter): .fusion(filter.allowing(pause: pause))
      }
    }
  }

  private var lowPass: LowPass
  /// The adaptive filter where that is the choice; the low-pass rests then. Beside it rather than in an enumeration
  /// with it, so that no step copies a filter.
  private var adaptive: AdaptiveLowPass?
  /// The fusion where that is the choice.
  package private(set) var fusion: Fusion?

  /// A filter that has seen nothing; the first sample passes unchanged.
  public init(_ configuration: Configuration = .standard) {
    switch configuration {
    case .lowPass(let filter):
      lowPass = LowPass(filter)
      adaptive = nil
    case .adaptive(let filter):
      lowPass = LowPass(filter.filter)
      adaptive = AdaptiveLowPass(filter)
    case .fusion(let filter):
      lowPass = LowPass(LowPass.Configuration())
      adaptive = nil
      fusion = Fusion(filter)
    }
  }

  /// Begins anew with the next sample; what is known of the gyroscope stays.
  package mutating func interrupt() {
    lowPass.interrupt()
    adaptive?.interrupt()
    fusion?.interrupt()
  }

  /// Takes the sample of instant `now` in and returns gravity, g.
  public mutating func step(_ force: Vector3, at now: Instant) -> Vector3 {
    if let gravity = adaptive?.step(force, at: now) { return gravity }
    return lowPass.step(force, at: now)
  }

  /// Takes the sample of instant `now` in, with its rate of rotation, and returns gravity, g; nil without fusion.
  @inline(__always)
  package mutating func step(_ force: Vector3, rotation: Vector3, at now: Instant) -> Vector3? {
    fusion?.step(force, rotation: rotation, at: now)
  }

  /// The direction of up as a force of 1 g; zero without fusion.
  package var up: Vector3 { fusion?.up.vector ?? .zero }

  /// The steering angle of gravity, from all the bits that the filter has; see `LowPass.steeringAngle`. 0 before any
  /// sample.
  package var steeringAngle: BinaryAngle {
    if let up = fusion?.up { return steering(sineY: up.y, sineZ: up.z) }
    return adaptive?.steeringAngle ?? lowPass.steeringAngle
  }
}
