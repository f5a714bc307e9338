package import BoardFile
package import FixedPoint
package import JSON
import Orientation

/// How far a vehicle is from level: in degrees, and by how much to raise each wheel.
package struct VehicleLevel: Equatable, Sendable {
  /// How far the nose is above the tail.
  package var noseUp: BinaryAngle
  /// How far the right side is above the left one.
  package var rightUp: BinaryAngle
  /// By how much to raise each wheel, if known: the highest one stays; a jockey wheel may have to be lowered.
  package var wheels: [Wheel]
  private let kind: BoardDescription.Vehicle.Kind

  /// A wheel, and how to move it.
  package struct Wheel: Equatable, Sendable {
    /// Its name, such as `front_left`.
    package var name: StaticString
    /// In mm; negative to lower it.
    package var raise: Double

    package static func == (a: Wheel, b: Wheel) -> Bool { "\(a.name)" == "\(b.name)" && a.raise == b.raise }

    /// Its name, for people.
    fileprivate var words: String { "\(name)".replacing("_", with: " ") }
    fileprivate var millimetres: Int { Int(raise.rounded()) }
  }

  /// The level of a vehicle whose tare frame has `tilted` up: X to the right, Y to the front. `tilted` may have any
  /// length but 0.
  package init(_ tilted: Vector3, of vehicle: BoardDescription.Vehicle) {
    noseUp = tilted.pitch
    // The same formula for X: asin(x / |tilted|).
    rightUp = Vector3(x: tilted.y, y: tilted.x, z: tilted.z).pitch
    kind = vehicle.kind
    let (x, y, z) = (Double(tilted.x.raw), Double(tilted.y.raw), Double(tilted.z.raw))
    let length = max(1, (x * x + y * y + z * z).squareRoot())
    // How far the right wheel is above the left one, and the front above the rear.
    let side = vehicle.track.map { Double($0) * x / length }
    let nose = vehicle.wheelbase.map { Double($0) * y / length }
    wheels = Self.wheels(of: vehicle.kind, side, nose)
  }

  private static func wheels(of kind: BoardDescription.Vehicle.Kind, _ side: Double?, _ nose: Double?) -> [Wheel] {
    switch (kind, side, nose) {
    case (_, nil, nil): return []
    case (.caravan, _, _):
      let across =
        side.map { [Wheel(name: "left", raise: max(0, $0)), Wheel(name: "right", raise: max(0, -$0))] } ?? []
      // Raising the low wheel raises the middle of the axle by half as much.
      let along = nose.map { [Wheel(name: "jockey", raise: abs(side ?? 0) / 2 - $0)] } ?? []
      return across + along
    case (.car, let side?, nil): return highest([("left", -side / 2), ("right", side / 2)])
    case (.car, nil, let nose?): return highest([("front", nose / 2), ("rear", -nose / 2)])
    case (.car, let side?, let nose?):
      return highest([
        ("front_left", (nose - side) / 2), ("front_right", (nose + side) / 2), ("rear_left", (-nose - side) / 2),
        ("rear_right", (side - nose) / 2),
      ])
    }
  }

  /// Raises all wheels to the height of the highest.
  private static func highest(_ heights: [(name: StaticString, height: Double)]) -> [Wheel] {
    let highest = heights.map(\.height).max() ?? 0
    return heights.map { Wheel(name: $0.name, raise: highest - $0.height) }
  }
}

// Text.
extension VehicleLevel {
  /// The sentences for people.
  package var sentences: [String] {
    let angles = [
      Self.words("the nose", noseUp), Self.words("the right side", rightUp),
    ]
    let first: String
    switch (angles[0], angles[1]) {
    case (nil, nil): first = "Level, to 0.05°."
    case (let nose?, let right?): first = "The vehicle is not level: \(nose), \(right)."
    case (let nose?, nil): first = "The vehicle is not level: \(nose)."
    case (nil, let right?): first = "The vehicle is not level: \(right)."
    }
    return [first] + (angles[0] == nil && angles[1] == nil ? [] : deeds)
  }

  /// What to do, wheel by wheel.
  private var deeds: [String] {
    let moved = wheels.filter { $0.millimetres != 0 }
    return moved.map { wheel in
      switch (kind, "\(wheel.name)") {
      case (.caravan, "jockey"):
        "\(wheel.raise < 0 ? "Lower" : "Raise") the jockey wheel by \(abs(wheel.millimetres)) mm."
      case (.car, "left"), (.car, "right"): "Raise both \(wheel.words) wheels by \(wheel.millimetres) mm."
      case (.car, "front"), (.car, "rear"): "Raise both \(wheel.words) wheels by \(wheel.millimetres) mm."
      default: "Raise the \(wheel.words) wheel by \(wheel.millimetres) mm."
      }
    }
  }

  /// How far `what` is up or down; nil if it is level.
  private static func words(_ what: String, _ angle: BinaryAngle) -> String? {
    let tenths = angle.tenths
    guard tenths != 0 else { return nil }
    return "\(what) is \(tenths.magnitude / 10).\(tenths.magnitude % 10)° \(tenths > 0 ? "up" : "down")"
  }

  /// The same in one line of at most 70 characters, for a live view.
  package var line: String {
    let degrees = figure(Double(noseUp.tenths) / 10, places: 1, width: 5)
    let side = figure(Double(rightUp.tenths) / 10, places: 1, width: 5)
    let marks = wheels.map { "\(Self.mark(of: $0)) \(figure(Double($0.millimetres), places: 0, width: 5))" }
    return "nose \(degrees)°  right \(side)°" + (marks.isEmpty ? "" : "  mm: " + marks.joined(separator: " "))
  }

  /// A short name: FL for front left.
  private static func mark(of wheel: Wheel) -> String {
    let parts = wheel.words.split(separator: " ")
    return parts.count == 2 ? parts.map { $0.prefix(1).uppercased() }.joined() : wheel.words
  }

  /// Writes the fields of the object.
  package func write(to writer: inout JSONWriter) {
    writer.field("nose_up_deg", degrees: noseUp)
    writer.field("right_up_deg", degrees: rightUp)
    writer.field("vehicle", kind.name)
    writer.beginObject("raise_mm")
    for wheel in wheels { writer.field(wheel.name, wheel.raise, places: 1) }
    writer.endObject()
  }
}
