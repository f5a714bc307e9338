package import BoardFile
package import FixedPoint
package import FixedText
package import HAL
package import Monitor
package import Orientation
import PlumbViews
package import Sensors
import Text

/// An owner's `text`, safe to display.
package func printable<let size: Int>(_ text: ShortText<size>) -> String { printable(text.description) }

extension SensorError {
  /// What happened to `sensor` and what to check, for people.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorError? {
  /// The same for an owner's fault; nil stands for a fault unknown here.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorNotice? {
  /// What a user should know about `sensor`; nil stands for a notice unknown here.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension SensorNotice {
  /// What a user should know about `sensor`.
  package func text(of sensor: BoardDescription.Sensor) -> String { message(of: sensor.place).description }
}

extension I2CFault {
  /// What happened in a transaction with `address` and what to check, for people.
  package func text(at address: I2CAddress) -> String { message(at: address).description }
}

extension I2CAddress {
  /// The address as in `0x53`.
  package var text: String { hex(rawValue) }
}

/// A byte as in `0x0A`.
package func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }

extension Event {
  /// What happened to `sensor`, for people; `detail` is what its owner says about it, if that is another process.
  package func text(of sensor: BoardDescription.Sensor, _ detail: String?) -> String {
    words(of: sensor.place, detail: detail.map { Message(cutting: $0) }).description
  }

  /// The same as a line on its own.
  package func line(of sensor: BoardDescription.Sensor, _ detail: String?) -> String {
    sentence(of: sensor.place, detail: detail.map { Message(cutting: $0) }).description
  }
}

extension Pose {
  /// All poses, in the order in which a person turns a board through them.
  package static let round: [Pose] = [
    .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown,
  ]

  /// What the user should do with the board.
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

  /// Which side of the board is up.
  package var sideUp: String { "\(isFace ? words : meaning)" }
}

extension SensorAxis {
  /// The axis as in a board file: `+x` and so on.
  package var text: String { "\(name)" }

  /// The half-axis that points the other way.
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
  /// The mounting as in a board file.
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
  /// Degrees with exactly one decimal, for tables.
  package var tableText: String {
    let text = degrees.text(places: 1)
    return (text.contains(".") ? text : text + ".0") + "°"
  }
}
