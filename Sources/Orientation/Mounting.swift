public import FixedPoint

/// A half-axis of the sensor.
public enum SensorAxis: UInt8, Equatable, Sendable {
  /// Along the axis that the part's data sheet calls +X, -X, and so on.
  case plusX, minusX, plusY, minusY, plusZ, minusZ

  /// 0 for X, 1 for Y, 2 for Z.
  var index: UInt8 { rawValue &>> 1 }
  /// Whether it points along the negative axis.
  var isNegative: Bool { rawValue & 1 == 1 }
}

/// Why a mounting is impossible.
public enum MountingError: Error, Equatable, Sendable {
  /// One sensor axis is named for two board axes.
  case axisTwice
  /// The three axes make a left-handed frame (determinant -1): the mirror image of a sensor, which no sensor is.
  case leftHanded
}

/// How the sensor sits on the board: which half-axis of the sensor each axis of the board is.
///
/// A signed permutation with determinant +1: 24 are possible, and no other can be made.
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
    // The permutation is even when y follows x in the cycle X → Y → Z → X; each minus sign mirrors once more.
    let isEven = y.index == (x.index &+ 1) % 3
    let isMirrored = (x.isNegative != y.isNegative) != z.isNegative
    guard isEven != isMirrored else { throw .leftHanded }
    self.x = x
    self.y = y
    self.z = z
  }

  /// `vector` of the sensor's frame in the board's frame. Exact, but that -32768 becomes the greatest number.
  public func applied(to vector: Vector3) -> Vector3 {
    Vector3(x: component(x, of: vector), y: component(y, of: vector), z: component(z, of: vector))
  }

  /// `vector` of the board's frame in the sensor's frame: what ``applied(to:)`` undoes.
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
