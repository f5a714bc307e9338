package import FixedPoint
package import JSON
package import Orientation

// Values that many objects share. Q16.16 has steps of 1.5e-5, so six decimals are exact.
extension JSONValue {
  /// The case with this name, of an enumeration whose raw values are 0, 1, 2 and so on; nil if there is none.
  package func named<Case: RawRepresentable>(_ name: (Case) -> StaticString) -> Case? where Case.RawValue == UInt8 {
    var raw: UInt8 = 0
    while let found = Case(rawValue: raw) {
      if isString(name(found)) { return found }
      guard raw < UInt8.max else { return nil }
      raw &+= 1
    }
    return nil
  }

  /// A time in seconds; nil beyond 30,000 years.
  package var time: Microseconds? {
    decimal(places: 6).flatMap { $0.magnitude < 1 &<< 60 ? Microseconds($0) : nil }
  }

  /// An angle in degrees.
  package var angle: BinaryAngle? { q16.map { BinaryAngle(degrees: $0) } }

  /// An unsigned 8-bit integer.
  var byte: UInt8? { count.flatMap { $0 <= 0xFF ? UInt8(truncatingIfNeeded: $0) : nil } }

  /// An unsigned 32-bit integer.
  var word: UInt32? { count.flatMap { $0 <= 0xFFFF_FFFF ? UInt32(truncatingIfNeeded: $0) : nil } }

  /// A signed 32-bit integer.
  var whole: Int32? {
    decimal(places: 0).flatMap { $0.magnitude < 1 &<< 32 && widened(saturated($0)) == $0 ? saturated($0) : nil }
  }

  /// A component of a unit vector, or a calibration factor, as Q2.30; nil beyond ±2.
  var unit: Int32? {
    guard let value = decimal(places: 6), value.magnitude < 2_000_000 else { return nil }
    let scaled = value &* 0x4000_0000
    return saturated((scaled &+ (scaled < 0 ? -500_000 : 500_000)) / 1_000_000)
  }

  /// A vector of three numbers.
  package var vector: Vector3? {
    guard let x = self[0]?.q16, let y = self[1]?.q16, let z = self[2]?.q16 else { return nil }
    return Vector3(x: x, y: y, z: z)
  }

  /// A unit vector with six places.
  var direction: UnitVector? {
    guard let x = self[0]?.unit, let y = self[1]?.unit, let z = self[2]?.unit else { return nil }
    return UnitVector(x: x, y: y, z: z)
  }
}

extension JSONObject {
  /// The fields `x`, `y` and `z`.
  package var force: Vector3? {
    guard let x = self["x"]?.q16, let y = self["y"]?.q16, let z = self["z"]?.q16 else { return nil }
    return Vector3(x: x, y: y, z: z)
  }

  /// The attitude in which angles are zero, from the field `tare`; `none` without it.
  package var tare: Tare { self["tare"]?.millionths.flatMap { Tare(millionths: $0.x, $0.y, $0.z) } ?? .none }

  /// The instant in `t`, with `start` as zero.
  func instant(from start: Instant) -> Instant? { self["t"]?.time.map { start + $0 } }
}

extension JSONWriter {
  /// Writes the fields `x`, `y` and `z`; null without a force.
  mutating func field(force: Vector3?) {
    guard let force else {
      nullField("x")
      nullField("y")
      return nullField("z")
    }
    field("x", force.x)
    field("y", force.y)
    field("z", force.z)
  }
}

extension PoseState {
  /// The name of the pose, or of the reason why it is unknown.
  var wireName: StaticString {
    switch self {
    case .known(let pose): pose.name
    case .unknown(let reason): reason.name
    }
  }

  /// The state whose ``wireName`` is `value`.
  package init?(_ value: JSONValue?) {
    if let pose = value?.named({ (pose: Pose) in pose.name }) {
      self = .known(pose)
    } else if let reason = value?.named({ (reason: UnknownReason) in reason.name }) {
      self = .unknown(reason)
    } else {
      return nil
    }
  }
}
