internal import FixedPoint
public import FixedText
package import JSON
public import Orientation

/// The sensor's mounting and calibration, as the owner's board file has them now.
public struct StreamBoard: Equatable, Sendable {
  /// The owner's board file, or its name for the board.
  public var name: ShortText<128>
  /// How the sensor is mounted on the board.
  public var mounting: Mounting
  /// The calibration of the force, in the sensor frame. Scales are exact to 5e-7.
  public var calibration: Calibration
  /// The calibration of the rotation, in °/s, in the sensor frame; nil if no gyroscope is used.
  public var rotationCalibration: Calibration?

  /// A sensor on the board `name`.
  package init(
    name: ShortText<128>, mounting: Mounting, calibration: Calibration, rotationCalibration: Calibration?
  ) {
    (self.name, self.mounting) = (name, mounting)
    (self.calibration, self.rotationCalibration) = (calibration, rotationCalibration)
  }
}

extension JSONWriter {
  /// Writes the sensor's mounting and calibration. Cuts the name to `length` bytes.
  package mutating func fields(of board: StreamBoard, name length: Int) {
    let (x, y, z) = (board.mounting.x.name, board.mounting.y.name, board.mounting.z.name)
    field("board", board.name, atMost: length)
    field("mounting", "\(x) \(y) \(z)" as ShortText<16>)
    field("offset_g", board.calibration.offset)
    field("scale", board.calibration.scale)
    if let rotation = board.rotationCalibration {
      field("gyroscope_bias_dps", rotation.offset)
      field("gyroscope_scale", rotation.scale)
    } else {
      nullField("gyroscope_bias_dps")
      nullField("gyroscope_scale")
    }
  }

  /// Writes a calibration's factors with at most six places, as an array.
  package mutating func field(_ key: StaticString, _ scale: Calibration.Scale) {
    field(key, scale.x, scale.y, scale.z, over: 1 &<< 30, places: 6)
  }

  /// Writes text cut to `length` bytes, never within a character.
  package mutating func field<let capacity: Int>(_ key: StaticString, _ text: ShortText<capacity>, atMost length: Int) {
    text.withSpan { bytes in
      var end = min(length, bytes.count)
      while end > 0 && end < bytes.count && bytes[end] & 0xC0 == 0x80 { end &-= 1 }
      field(key, bytes.extracting(first: end))
    }
  }
}

extension StreamBoard {
  /// The board in `object`; nil if something is missing or invalid.
  init?(_ object: JSONObject) {
    guard let text = object["mounting"], let mounting = Mounting(text),
      let calibration = Calibration(offset: object["offset_g"]?.vector, scale: object["scale"])
    else { return nil }
    self.init(
      name: ShortText(object["board"]), mounting: mounting, calibration: calibration,
      rotationCalibration: Calibration(
        offset: object["gyroscope_bias_dps"]?.vector, scale: object["gyroscope_scale"]))
  }
}

extension ShortText {
  /// The text of a string, without control characters, cut if it does not fit; empty for anything else.
  package init(_ value: JSONValue?) {
    self.init()
    guard let value else { return }
    var text = self
    value.forEachTextByte { byte in text.append(byte: byte) }
    self = text
  }
}

extension Calibration {
  /// A calibration with `offset` and the three factors in `scale`; nil if one is missing or invalid.
  fileprivate init?(offset: Vector3?, scale: JSONValue?) {
    guard let offset, let scale, let x = scale[0]?.unit, let y = scale[1]?.unit, let z = scale[2]?.unit else {
      return nil
    }
    do throws(CalibrationError) {
      self = try Calibration(offset: offset, scale: Scale(x: x, y: y, z: z))
    } catch {
      return nil
    }
  }
}

extension Mounting {
  /// The mounting of three axes, as in a board file: `-y +x +z`.
  fileprivate init?(_ value: JSONValue) {
    let text = ShortText<16>(value)
    var axes = InlineArray<3, SensorAxis>(repeating: .plusX)
    guard text.count == 8 && text[2] == 0x20 && text[5] == 0x20 else { return nil }
    for index in 0..<3 {
      guard let axis = SensorAxis(text[index &* 3], text[index &* 3 &+ 1]) else { return nil }
      axes[index] = axis
    }
    do throws(MountingError) { self = try Mounting(x: axes[0], y: axes[1], z: axes[2]) } catch { return nil }
  }
}

extension SensorAxis {
  /// The axis with this two-character name.
  fileprivate init?(_ sign: UInt8, _ letter: UInt8) {
    var raw: UInt8 = 0
    while let axis = SensorAxis(rawValue: raw) {
      let name = ShortText<4>(axis.name)
      if name[0] == sign && name[1] == letter {
        self = axis
        return
      }
      raw &+= 1
    }
    return nil
  }
}
