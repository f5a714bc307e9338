import BoardFile
import FixedPoint
import HAL
import Indication
import JSON
import Orientation
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

/// A board file in words.
struct BoardSummary {
  var name: String
  var path: String
  var board: BoardDescription
  /// The first sentence of the file's first comment.
  var about: String

  private var sensor: BoardDescription.Sensor { board.sensor }

  private var bus: String { board.busName.description }

  /// The sensor, with `addition` to its name, and where it is.
  private func place(_ addition: String = "") -> String {
    if sensor.device != nil { return printable("\(sensor.place.words)") + ", run by the kernel" }
    let place = board.bus == .emulated ? "emulated" : "on \(bus)"
    return "\(sensor.model.properName)\(addition) at \(sensor.address.text), \(place)"
  }

  private var rate: String { decimalText(1_000_000, over: sensor.period.count, places: 3) }

  /// The lowest of the three usual bus clocks that is fast enough, in Hz.
  private var busNeeded: UInt32 {
    for hertz in [100_000, 200_000] as [UInt32] {
      do throws(SensorError) {
        try sensor.configuration.check(against: hertz)
        return hertz
      } catch { continue }
    }
    return 400_000
  }

  /// Two or three lines, for the list.
  var brief: [String] {
    let lines =
      board.lines.isEmulated || board.lines.isMatrix ? chip : "\(gpios) of \(printable(board.lines.chip.description))"
    return wrapped(about, to: 76)
      + wrapped(
        "\(place()), \(rate) Hz; lines \(lines)", to: 76)
  }

  private var wires: [(key: BoardKey, gpio: UInt32)] {
    (0..<(board.lines.isMatrix ? 0 : board.lines.count)).map { (board.lines.key(of: $0), board.lines.offsets[$0]) }
  }

  private var gpios: String { wires.map { "\($0.gpio)" }.joined(separator: " ") }

  private func gpioName(_ gpio: UInt32) -> String { "\(board.picoBus == nil ? "GPIO" : "GP")\(gpio)" }

  /// The full explanation of one file.
  func explanation(_ style: TextStyle) -> [String] {
    let isCoded = board.lines.code != .leds
    let ends = board.lines.idle == .off ? "all off" : isCoded ? "all on but valid" : "all on"
    var lines = [style.coloured(printable(path), 1)] + (about.isEmpty ? [] : wrapped(about)) + [""]
    let model = sensor.model.traits.hasRelatives ? " or a compatible part" : ""
    var rows = [
      ("sensor", place(model)),
      ("rate", "\(rate) samples a second"),
      ("range", sensor.device == nil ? "up to \(sensor.configuration.rangeInG) g" : "as the kernel has set it"),
      ("mounting", sensor.mounting == .aligned ? "aligned with the board" : "turned: see mounting in the file"),
      ("lines", chip),
    ]
    rows += wires.map { key, gpio in
      let pin = Header(of: board).pin(gpio: Int(gpio)).map { "header pin \($0.number)".padded(to: 14) } ?? ""
      return ("  \(key.name)", "\(gpioName(gpio))  \(pin)  \(key.meaning)")
    }
    if let ready = sensor.dataReady {
      let pin = Header(of: board).pin(gpio: Int(ready)).map { "header pin \($0.number)".padded(to: 14) } ?? ""
      rows.append(("data-ready", "\(gpioName(ready))  \(pin)  a sample is ready"))
    }
    if isCoded { rows.append(("code", "\(board.lines.code.name): for another controller, see docs/coded-pins.md")) }
    if board.lines.isMatrix {
      rows += [("brightness", "\(board.lines.brightness) of 31"), ("at the end", "dark")]
    } else {
      rows += [
        (isCoded ? "on" : "lit", board.lines.isActiveLow ? "when the line is low" : "when the line is high"),
        ("at the end", ends),
      ]
    }
    lines += rows.map { "\($0.padded(to: 20)) \($1)" }
    return lines + needs
  }

  private var chip: String {
    if board.lines.isMatrix { return "matrix of a Sense HAT" + (board.lines.isEmulated ? ", emulated" : "") }
    if board.lines.isEmulated { return "emulated" }
    if board.picoBus != nil { return "GPIOs of the Pico" }
    if board.lines.chip == "raspberry-pi" { return "header of any Raspberry Pi" }
    return "GPIO chip labelled \(printable(board.lines.chip.description))"
  }

  /// What to set up on a Raspberry Pi.
  private var needs: [String] {
    guard board.bus != .emulated || !board.lines.isEmulated else {
      return ["", "No hardware is needed: sensor and lines are emulated."]
    }
    if board.bus == .iio {
      return ["", "The kernel runs the sensor: plumb probe lists its devices. See docs/iio.md."]
    }
    if board.picoBus != nil {
      return ["", "To build the firmware of the Pico:", "    make pico BOARD=\(printable(path))"]
    }
    var lines = ["", "Set up a Raspberry Pi once:", "    sudo raspi-config nonint do_i2c 0"]
    if busNeeded > 100_000 {
      lines.append("    and in /boot/firmware/config.txt  dtparam=i2c_arm_baudrate=\(busNeeded)  for this rate")
    }
    return lines + [
      "    sudo usermod -aG i2c,\(board.lines.isMatrix ? "video $USER " : "gpio $USER  ")      then log in again",
      "To check the set-up, run plumb doctor --board with this file.",
    ]
  }

  /// One object for scripts.
  var json: String {
    JSONText.object("board") { writer in
      writer.field("name", name)
      writer.field("path", path)
      writer.field("usable", true)
      writer.field("detail", about)
      writer.field("sensor", sensor.modelName)
      writer.field("address", Int(sensor.address.rawValue))
      writer.field("bus", bus)
      writer.field("rate_hz", decimal: 1_000_000, over: sensor.period.count, places: 3)
      writer.field("data_ready", sensor.dataReady.map(Int.init))
      writer.field("range_g", sensor.configuration.rangeInG)
      writer.field("bus_hz_needed", busNeeded)
      writer.field("code", board.lines.code.name)
      writer.field("chip", board.lines.chip.description)
      writer.beginObject("lines")
      for (key, gpio) in wires { writer.field(key.name, gpio) }
      writer.endObject()
      writer.field("active_low", board.lines.isActiveLow)
      if board.lines.isMatrix { writer.field("brightness", Int(board.lines.brightness)) }
    }
  }
}
