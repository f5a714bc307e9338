package import BoardFile
package import FixedPoint
package import FixedText
package import HAL
package import Monitor
package import Orientation
import PlumbViews
package import Sensors
import Text

/// `text` of an owner, fit to be shown.
package func printable<let size: Int>(_ text: ShortText<size>) -> String { printable(text.description) }

extension SensorError {
  /// What happened and what to look at, for people, of `sensor`.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorError? {
  /// The same of a fault that an owner has, which may be none of those known here.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorNotice? {
  /// What a user should know, for people, of `sensor`.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorNotice {
  /// The same.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension I2CFault {
  /// What happened and what to look at, for people, of a transaction with `address`.
  package func text(at address: I2CAddress) -> String { message(at: address).description }
}

extension I2CAddress {
  /// `0x53` and the like.
  package var text: String { hex(rawValue) }
}

/// `0x0A` and the like.
package func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }

extension Event {
  /// What happened, for people, of `sensor`; `detail` is what its owner says of it, where that is another process.
  package func text(of sensor: BoardDescription.Sensor, _ detail: String?) -> String {
    words(of: sensor.place, detail: detail.map { Message(cutting: $0) }).description
  }

  /// The same as a line by itself.
  package func line(of sensor: BoardDescription.Sensor, _ detail: String?) -> String {
    sentence(of: sensor.place, detail: detail.map { Message(cutting: $0) }).description
  }
}

extension Pose {
  /// All poses, in the order in which one turns a board through them.
  package static let round: [Pose] = [
    .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown,
  ]

  /// What the user is to do with the board.
  package var request: String {
    switch self {
    case .portrait: "hold it upright, the top edge up"
    case .portraitUpsideDown: "hold it upside down, the bottom edge up"
    case .landscapeLeft: "stand it on its left edge, the right edge up"
    case .landscapeRight: "stand it on its right edge, the left edge up"
    case .faceUp: "lay it on its back, face up"
    case .faceDown: "lay it on its face, back up"
    }
  }

  /// What of the board is up.
  package var sideUp: String { "\(isFace ? words : meaning)" }
}

extension SensorAxis {
  /// As in a board file: `+x` and so on.
  package var text: String { "\(name)" }

  /// The one that points the other way.
  var opposite: SensorAxis {
    switch self {
    case .plusX: .minusX
    case .minusX: .plusX
    case .plusY: .minusY
    case .minusY: .plusY
    case .plusZ: .minusZ
    case .minusZ: .plusZ
    }
  }
}

extension Mounting {
  /// As in a board file.
  package var text: String { "\(x.text) \(y.text) \(z.text)" }

  /// The pose in which the sensor's half-axis `axis` points up.
  package func pose(up axis: SensorAxis) -> Pose {
    switch axis {
    case y: .portrait
    case y.opposite: .portraitUpsideDown
    case x: .landscapeLeft
    case x.opposite: .landscapeRight
    case z: .faceUp
    default: .faceDown
    }
  }

  /// The sensor's half-axis that points up in `pose`.
  package func axis(upIn pose: Pose) -> SensorAxis {
    switch pose {
    case .portrait: y
    case .portraitUpsideDown: y.opposite
    case .landscapeLeft: x
    case .landscapeRight: x.opposite
    case .faceUp: z
    case .faceDown: z.opposite
    }
  }
}

extension BinaryAngle {
  /// Degrees to a tenth, always with the tenth, for tables.
  package var tableText: String {
    let text = degrees.text(places: 1)
    return (text.contains(".") ? text : text + ".0") + "°"
  }
}
