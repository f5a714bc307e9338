public import FixedPoint

/// The result of a self-test, for any sensor; all values in g, or °/s for the gyroscope.
public struct SelfTestFindings: Sendable {
  /// X, Y and Z of the accelerometer; nil if the part has no self-test.
  public var force: InlineArray<3, Axis>?
  /// X, Y and Z of the gyroscope; nil if it was not tested.
  public var rotation: InlineArray<3, Axis>?

  /// Findings; none if there is no self-test.
  package init(force: InlineArray<3, Axis>? = nil, rotation: InlineArray<3, Axis>? = nil) {
    (self.force, self.rotation) = (force, rotation)
  }

  /// One axis.
  public struct Axis: Sendable {
    /// The change of the reading caused by the test.
    public var change: Q16
    /// The expected change, from this part's factory calibration; nil if there is none.
    public var factory: Q16?
    /// The smallest and largest expected change, the one nearer to zero first; nil if unknown.
    public var limits: (weakest: Q16, strongest: Q16)?
    /// The result.
    public var outcome: Outcome

    /// An axis.
    package init(change: Q16, factory: Q16? = nil, limits: (weakest: Q16, strongest: Q16)? = nil, outcome: Outcome) {
      (self.change, self.factory, self.limits, self.outcome) = (change, factory, limits, outcome)
    }
  }

  /// The result for an axis, or for all together.
  public enum Outcome: Equatable, Sendable {
    /// Within the limits.
    case passed
    /// Beyond the upper limit, which the data sheet counts as passed.
    case strong
    /// In the wrong direction, too small, or too large where that counts.
    case failed
    /// As expected of such parts, as far as is known outside the factory: the data sheet gives no limits.
    case plausible
    /// Not as expected of such parts, as far as is known.
    case doubtful
    /// There is no criterion.
    case unjudged

    /// The name, as in the output for scripts.
    public var name: StaticString {
      switch self {
      case .passed: "passed"
      case .strong: "strong"
      case .failed: "failed"
      case .plausible: "plausible"
      case .doubtful: "doubtful"
      case .unjudged: "unjudged"
      }
    }
  }
}
