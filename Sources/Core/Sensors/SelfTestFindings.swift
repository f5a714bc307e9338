public import FixedPoint

/// What a self-test found, whatever the sensor; all in g, of the gyroscope in °/s.
public struct SelfTestFindings: Sendable {
  /// X, Y and Z of the accelerometer; nil where the part has no self-test.
  public var force: InlineArray<3, Axis>?
  /// X, Y and Z of the gyroscope; nil where it was not tested.
  public var rotation: InlineArray<3, Axis>?

  /// Findings; none where there is no self-test.
  package init(force: InlineArray<3, Axis>? = nil, rotation: InlineArray<3, Axis>? = nil) {
    (self.force, self.rotation) = (force, rotation)
  }

  /// One axis.
  public struct Axis: Sendable {
    /// What the test added to the reading.
    public var change: Q16
    /// What it should have added, by the factory's figure for this very part; nil where there is none.
    public var factory: Q16?
    /// The least and the most it should have added, the one nearer to zero first; nil where nothing is known of it.
    public var limits: (weakest: Q16, strongest: Q16)?
    /// What follows.
    public var outcome: Outcome

    /// An axis.
    package init(change: Q16, factory: Q16? = nil, limits: (weakest: Q16, strongest: Q16)? = nil, outcome: Outcome) {
      (self.change, self.factory, self.limits, self.outcome) = (change, factory, limits, outcome)
    }
  }

  /// What an axis, or all together, came to.
  public enum Outcome: Equatable, Sendable {
    /// Within the limits.
    case passed
    /// Further than the limit, which the data sheet counts as passed.
    case strong
    /// The wrong way, not far enough, or where that counts too far.
    case failed
    /// As such parts should do, as far as anyone outside the factory knows: no limits of a data sheet.
    case plausible
    /// Not as such parts should do, as far as anyone knows.
    case doubtful
    /// There is nothing to judge it by.
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
