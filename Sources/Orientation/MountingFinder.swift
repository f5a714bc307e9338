public import FixedPoint

/// Why two poses do not tell the mounting.
public enum MountingFinderError: Error, Equatable, Sendable {
  /// The force in this pose is not gravity's: its length is outside 0.5…1.5 g.
  case notGravity(MountingFinder.Step)
  /// The board was too slanted in this pose: no axis of the sensor exceeds 1.5 times both others.
  case slanted(MountingFinder.Step)
  /// Both poses have the same half-axis of the sensor up: the board was not turned.
  case notTurned
  /// The poses have opposite half-axes of the sensor up: the board was turned over, not laid on its back.
  case turnedOver

  /// What went wrong and what to do, in words.
  public var message: StaticString {
    switch self {
    case .notGravity(.upright): "held upright the sensor does not feel 1 g: hold the board still, upright"
    case .notGravity(.faceUp): "laid face up the sensor does not feel 1 g: lay the board down, face up, and let go"
    case .slanted(.upright): "held upright the board was too slanted to tell its axes apart: hold it straight"
    case .slanted(.faceUp): "laid face up the board was too slanted to tell its axes apart: lay it flat"
    case .notTurned: "the same side of the sensor was up both times: hold the board upright, then lay it face up"
    case .turnedOver: "opposite sides of the sensor were up: from upright lay the board on its back, face up"
    }
  }
}

/// Finds how the sensor sits on the board from two poses: held upright (portrait), then laid face up.
///
/// Upright, the half-axis of the sensor that points up is the board's Y; face up, it is Z; and X is Y × Z, so that only the
/// 24 mountings with determinant +1 can come out. A half-axis counts as up when it exceeds 1.5 times both others: at most
/// 33.7° slanted towards another axis, 11.3° from the diagonal where nothing could be told. A sensor not calibrated is
/// good enough: 25° of slant leave room for 0.1 g of offset.
public enum MountingFinder {
  /// The two poses.
  public enum Step: UInt8, Equatable, Sendable {
    /// Held upright, the top edge up.
    case upright
    /// Laid on its back, the face up.
    case faceUp
  }

  /// The mounting under which `upright` and `faceUp`, still forces in the sensor's own frame (``StillForce``), are what
  /// their names say.
  public static func mounting(
    upright: Vector3, faceUp: Vector3
  ) throws(MountingFinderError) -> Mounting {
    let y = try axis(upright, .upright)
    let z = try axis(faceUp, .faceUp)
    guard y != z else { throw .notTurned }
    guard let mounting = Mounting(y: y, z: z) else { throw .turnedOver }
    return mounting
  }

  private static func axis(_ force: Vector3, _ step: Step) throws(MountingFinderError) -> SensorAxis {
    let length = force.magnitude
    guard length >= 32_768 && length <= 98_304 else { throw .notGravity(step) }
    guard let axis = SensorAxis(upIn: force) else { throw .slanted(step) }
    return axis
  }
}

extension Mounting {
  /// The one mounting with these half-axes along the board's Y and Z; nil where they are of one axis.
  init?(y: SensorAxis, z: SensorAxis) {
    guard y.index != z.index else { return nil }
    // X is Y × Z: positive when z follows y in the cycle X → Y → Z → X; each minus sign turns it round.
    let isOdd = z.index != (y.index &+ 1) % 3
    let isNegative = (y.isNegative != z.isNegative) != isOdd
    guard let x = SensorAxis(rawValue: (3 &- y.index &- z.index) &<< 1 | (isNegative ? 1 : 0)) else { return nil }
    self.x = x
    self.y = y
    self.z = z
  }
}
