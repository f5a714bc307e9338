public import FixedPoint

extension Fusion {
  /// How far an attitude can be trusted.
  public enum Certainty: UInt8, Equatable, Sendable {
    /// The gyroscope's bias is not known yet: the accelerometer has more weight, so that a push tilts the result.
    case starting
    /// The board is at rest.
    case still
    /// The board moves.
    case moving
    /// The gyroscope was at the end of its range a moment ago: the result may be some degrees off until it has settled.
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

  /// What the fusion of accelerometer and gyroscope says of a board after a sample.
  public struct Attitude: Equatable, Sendable {
    /// The direction of up in the board's frame.
    public let up: UnitVector
    /// The turn about the vertical since the start, counter-clockwise as seen from above; nil within 5° of face down,
    /// where it means nothing.
    ///
    /// Relative: nothing tells where north is, and it drifts by what is left of the gyroscope's bias, about 0.01 °/s
    /// after a rest.
    public let heading: BinaryAngle?
    /// The rate of rotation without the bias, °/s.
    public let rate: Vector3
    /// The gyroscope's bias as it is known, °/s.
    public let bias: Vector3
    /// Whether the board is at rest.
    public let isStill: Bool
    /// How far all of this can be trusted.
    public let certainty: Certainty

    /// What a fusion says, here or in another process.
    package init(
      up: UnitVector, heading: BinaryAngle?, rate: Vector3, bias: Vector3, isStill: Bool, certainty: Certainty
    ) {
      (self.up, self.heading, self.rate, self.bias) = (up, heading, rate, bias)
      (self.isStill, self.certainty) = (isStill, certainty)
    }
  }
}
