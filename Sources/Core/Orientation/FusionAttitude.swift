public import FixedPoint

extension Fusion {
  /// How far an attitude can be trusted.
  public enum Certainty: UInt8, Equatable, Sendable {
    /// The gyroscope's bias is not known yet: the accelerometer has more weight, so a push tilts the result.
    case starting
    /// The board is at rest.
    case still
    /// The board moves.
    case moving
    /// The gyroscope was clipped recently: the result may be off by some degrees until it has settled.
    case clipped

    /// The name in JSON.
    public var name: StaticString {
      switch self {
      case .starting: "starting"
      case .still: "still"
      case .moving: "moving"
      case .clipped: "clipped"
      }
    }
  }

  /// The result of fusing accelerometer and gyroscope after a sample.
  public struct Attitude: Equatable, Sendable {
    /// The direction of up in the board's frame.
    public let up: UnitVector
    /// The turn about the vertical since the start, counter-clockwise as seen from above; nil within 5° of face down,
    /// where it has no meaning.
    ///
    /// Relative: it has no reference to north, and it drifts with the remaining error of the gyroscope's bias, about
    /// 0.01 °/s after a rest.
    public let heading: BinaryAngle?
    /// The rate of rotation without the bias, °/s.
    public let rate: Vector3
    /// The current estimate of the gyroscope's bias, °/s.
    public let bias: Vector3
    /// Whether the board is at rest.
    public let isStill: Bool
    /// How far the other properties can be trusted.
    public let certainty: Certainty

    /// An attitude computed by a fusion, here or in another process.
    package init(
      up: UnitVector, heading: BinaryAngle?, rate: Vector3, bias: Vector3, isStill: Bool, certainty: Certainty
    ) {
      (self.up, self.heading, self.rate, self.bias) = (up, heading, rate, bias)
      (self.isStill, self.certainty) = (isStill, certainty)
    }
  }
}
