package import BoardFile
import PlumbViews
package import ToolOutput

/// The board of a command without `--board` and `--from`.
///
/// This is the owner that `PLUMB_STREAM` names, the board file that `PLUMB_BOARD` names, this computer's service, or
/// that service's board file. On a computer with none of these it is an emulated board, or, for a command about wires
/// and buses, a Raspberry Pi with an ADXL345.
package enum UsualBoard {
  /// The rule, for help texts.
  package static let words = """
    Without --board and --from, a command uses the board of this computer: its
    service, or without a service /etc/plumb/board.ini. With neither, it uses an
    emulated board, or, for doctor, wiring and probe, a Raspberry Pi with an
    ADXL345. PLUMB_STREAM and PLUMB_BOARD name another owner or board file.
    """

  /// The board file of the service, plumbd's default.
  private static let systemFile = "/etc/plumb/board.ini"

  /// The board file that the user names in the environment; `none` for none.
  package static var named: String? { TextStyle.variable("PLUMB_BOARD") }

  /// This computer's board file; nil if it has none.
  package static var file: String? {
    switch named {
    case "none": nil
    case let name?: name
    case nil: isFile(systemFile) ? systemFile : nil
    }
  }

  /// What messages call this computer's board, or the emulated one.
  package static var name: String { file.map { printable($0) } ?? "the emulated board" }

  /// The board of a command about wires and buses.
  package struct Hardware {
    package var description: BoardDescription
    /// What messages call it.
    package var name: String
    /// The value of `--board` that names it.
    package var option: String
  }

  /// The board that `chosen` names; if nil, this computer's.
  package static func hardware(_ chosen: String?) throws(ToolError) -> Hardware {
    if let file = chosen ?? file {
      return Hardware(description: try readBoard(file), name: printable(file), option: shellWord(file))
    }
    do {
      return Hardware(
        description: try BoardDescription.parse(raspberryPi), name: "a Raspberry Pi with an ADXL345",
        option: "raspberry-pi-adxl345")
    } catch {
      throw ToolError(.internal, "the built-in board cannot be read: \(error)")
    }
  }

  /// The board of boards/raspberry-pi-adxl345.ini, for users without a board file.
  private static let raspberryPi: StaticString = """
    [i2c]
    bus = /dev/i2c-1
    [sensor]
    model = adxl345
    address = 0x53
    [lines]
    chip = raspberry-pi
    portrait = 17
    portraitUpsideDown = 27
    landscapeLeft = 22
    landscapeRight = 23
    faceUp = 24
    faceDown = 25
    """
}
