public import FixedPoint

/// A half-axis of the sensor.
public enum SensorAxis: UInt8, Equatable, Sendable {
  /// Along the axis that the part's data sheet calls +X, -X, and so on.
  case plusX, minusX, plusY, minusY, plusZ, minusZ

  /// The name, as in a board file: `+x` and so on.
  public var name: StaticString {
    switch self {
    case .plusX: "+x"
    case .minusX: "-x"
    case .plusY: "+y"
    case .minusY: "-y"
    case .plusZ: "+z"
    case .minusZ: "-z"
    }
  }

  /// 0 for X, 1 for Y, 2 for Z.
  package var index: UInt8 { rawValue &>> 1 }
  /// Whether it points along the negative axis.
  var isNegative: Bool { rawValue & 1 == 1 }
}

/// Why a mounting is invalid.
public enum MountingError: Error, Equatable, Sendable {
  /// One sensor axis is used for two board axes.
  case axisTwice
  /// The three axes form a left-handed frame (determinant -1): a mirror image, which no sensor can be.
  case leftHanded
}

/// How the sensor sits on the board: the half-axis of the sensor along each axis of the board.
///
/// A signed permutation with determinant +1: there are 24, and nothing else can be created.
public struct Mounting: Equatable, Sendable {
  /// The half-axis of the sensor that points to the right of the board.
  public let x: SensorAxis
  /// The half-axis of the sensor that points to the top of the board.
  public let y: SensorAxis
  /// The half-axis of the sensor that points out of the face of the board.
  public let z: SensorAxis

  /// Sensor and board axes are the same.
  public static var aligned: Mounting { Mounting() }

  private init() {
    x = .plusX
    y = .plusY
    z = .plusZ
  }

  /// A mounting from the sensor's half-axes along the board's X, Y and Z.
  public init(x: SensorAxis, y: SensorAxis, z: SensorAxis) throws(MountingError) {
    guard x.index != y.index && y.index != z.index && z.index != x.index else { throw .axisTwice }
    // The permutation is even when y follows x in the cycle X → Y → Z → X; each minus sign adds a reflection.
    let isEven = y.index == (x.index &+ 1) % 3
    let isMirrored = (x.isNegative != y.isNegative) != z.isNegative
    guard isEven != isMirrored else { throw .leftHanded }
    self.x = x
    self.y = y
    self.z = z
  }

  /// Converts `vector` from the sensor's frame to the board's frame. Exact, except that -32768 becomes the largest
  /// number.
  public func applied(to vector: Vector3) -> Vector3 {
    Vector3(x: component(x, of: vector), y: component(y, of: vector), z: component(z, of: vector))
  }

  /// Converts `vector` from the board's frame to the sensor's frame: the inverse of ``applied(to:)``.
  public func undone(on vector: Vector3) -> Vector3 {
    var result = Vector3.zero
    place(vector.x, along: x, in: &result)
    place(vector.y, along: y, in: &result)
    place(vector.z, along: z, in: &result)
    return result
  }

  private func place(_ value: Q16, along axis: SensorAxis, in vector: inout Vector3) {
    switch axis {
    case .plusX: vector.x = value
    case .minusX: vector.x = value.negatedSaturating
    case .plusY: vector.y = value
    case .minusY: vector.y = value.negatedSaturating
    case .plusZ: vector.z = value
    case .minusZ: vector.z = value.negatedSaturating
    }
  }

  private func component(_ axis: SensorAxis, of vector: Vector3) -> Q16 {
    switch axis {
    case .plusX: vector.x
    case .minusX: vector.x.negatedSaturating
    case .plusY: vector.y
    case .minusY: vector.y.negatedSaturating
    case .plusZ: vector.z
    case .minusZ: vector.z.negatedSaturating
    }
  }
}

/// Why the mounting cannot be derived from two poses.
public enum MountingFinderError: Error, Equatable, Sendable {
  /// The force in this pose is not gravity: its length is outside 0.5…1.5 g.
  case notGravity(MountingFinder.Step)
  /// The board was too slanted in this pose: no axis of the sensor exceeds 1.5 times each of the others.
  case slanted(MountingFinder.Step)
  /// Both poses have the same half-axis of the sensor up: the board was not turned.
  case notTurned
  /// The poses have opposite half-axes of the sensor up: the board was turned over, not laid on its back.
  case turnedOver

  /// The error and what to do about it, in words.
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
/// Held upright, the half-axis of the sensor that points up is the board's Y; face up, it is Z; and X is Y × Z, so only
/// the 24 mountings with determinant +1 can result. A half-axis counts as up when it exceeds 1.5 times each of the
/// others: at most 33.7° slanted towards another axis, 11.3° from the diagonal where no axis stands out. An
/// uncalibrated sensor is good enough: at 25° of slant there is room for 0.1 g of offset.
public enum MountingFinder {
  /// The two poses.
  public enum Step: UInt8, Equatable, Sendable {
    /// Held upright, the top edge up.
    case upright
    /// Laid on its back, the face up.
    case faceUp
  }

  /// The mounting for which the still forces `upright` and `faceUp`, in the sensor's own frame (``StillForce``), match
  /// their names.
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
  /// The only mounting with these half-axes along the board's Y and Z; nil if both lie on one axis.
  init?(y: SensorAxis, z: SensorAxis) {
    guard y.index != z.index else { return nil }
    // X is Y × Z: positive when z follows y in the cycle X → Y → Z → X; each minus sign reverses it.
    let isOdd = z.index != (y.index &+ 1) % 3
    let isNegative = (y.isNegative != z.isNegative) != isOdd
    guard let x = SensorAxis(rawValue: (3 &- y.index &- z.index) &<< 1 | (isNegative ? 1 : 0)) else { return nil }
    self.x = x
    self.y = y
    self.z = z
  }
}
