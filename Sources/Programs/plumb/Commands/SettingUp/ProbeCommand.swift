import ArgumentParser
import BoardFile
import Diagnosis
import Emulation
import FixedPoint
import HAL
import IIO
import JSON
import PlumbStream
import PlumbViews
import Sensors
import Text
import ToolInputs
import ToolOutput

/// `plumb probe`: finds the sensors on a bus.
struct ProbeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Lists the known sensors on a bus, with their addresses, and those that the kernel drives.",
    usage: "plumb probe [--bus <path>] [--board <file>] [--format <format>]",
    discussion: """
      Reads the identity at the addresses that the sensors can have: \(places). Writes nothing, and does not disturb a \
      sensor that is running. Lists also the accelerometers of the kernel's industrial I/O, which no program reaches on \
      the bus, with the lines for a board file, and the boards \
      with Plumb's firmware on a USB port, with the address for --from.

      EXAMPLE: plumb probe --bus /dev/i2c-1

      EXIT CODES: 0 a usable sensor was found; 69 no usable sensor, or no bus; 77 no permission
      """)

  /// The addresses of each model, in words.
  private static var places: String {
    SensorModel.all.map { model in
      let (low, high) = model.traits.addresses
      let relatives = model.traits.hasRelatives ? " and its family" : ""
      return "\(low.text) and \(high.text) (\(model.properName)\(relatives))"
    }.joined(separator: ", ")
  }

  @OptionGroup var ownBus: OwnBusOptions

  @Option(
    help: ArgumentHelp("The bus, or its number, as with i2c-tools (default: the board's).", valueName: "path"),
    completion: .file())
  var bus: String?

  @Option(
    help: ArgumentHelp("Probe the bus of this board (see plumb --help).", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  func validate() throws {
    if bus != nil && board != nil { throw ValidationError("Give --bus or --board, not both.") }
  }

  func run() throws { try reportingError { () throws(ToolError) in try probe() } }

  private func probe() throws(ToolError) {
    if let bus { return try probe(path: Self.path(ofBus: bus)) }
    let description = try UsualBoard.hardware(board).description
    switch description.bus {
    case .linux(let path): try probe(path: path.description)
    case .iio: try report(nil, of: "iio")
    case .pico: throw ToolError(.configuration, "\(BoardDescription.picoWords)")
    case .emulated:
      let clock = VirtualClock()
      var emulated = EmulatedBoard(motion: .hold).bus(of: description) { clock.now }
      try report(emulated.probe(), of: "emulated")
    }
  }

  private func probe(path: String) throws(ToolError) {
    do throws(ToolError) {
      var linux = try openBus(path)
      try report(linux.probe(), of: printable(path))
    } catch {
      // A laptop has sensors of the kernel, but no bus for ours.
      guard bus == nil && board == nil, !KernelSensor.all().isEmpty || !StreamAddress.serialBoards.isEmpty else {
        throw error
      }
      try report(nil, of: printable(path))
    }
  }

  /// A number stands for the device with that number.
  private static func path(ofBus bus: String) -> String {
    !bus.isEmpty && bus.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? "/dev/i2c-\(bus)" : bus
  }

  /// `report` is nil if no bus was probed.
  private func report(_ report: Probe.Report?, of bus: String) throws(ToolError) {
    let findings = report.map { report in (0..<report.count).compactMap { report[$0] } } ?? []
    let devices = bus == "emulated" ? [] : KernelSensor.all()
    let boards = StreamAddress.serialBoards
    var output = Output(isLive: false)
    let known = Self.hardwareBoards()
    for finding in findings {
      let boards = finding.boards(among: known)
      try output.line(format == .json ? finding.json(boards) : finding.text(boards))
    }
    for device in devices { try output.line(format == .json ? device.json : device.text) }
    for board in boards { try output.line(format == .json ? board.json : board.text) }
    let usable = findings.count { $0.isUsable } + devices.count + boards.count
    if format == .json {
      let summary = JSONText.object("summary") { writer in
        writer.field("bus", bus)
        writer.field("found", findings.count + devices.count + boards.count)
        writer.field("usable", usable)
      }
      try output.line(summary)
    }
    try output.flush()
    guard usable == 0 else { return }
    if let refused = findings.first(where: { $0.answer == .fault(.notPermitted) }) {
      let advice = Diagnosis.advice(onBus: bus) ?? I2CFault.notPermitted.message(at: refused.address).description
      throw ToolError(.noPermission, advice)
    }
    throw ToolError(
      .unavailable,
      report == nil
        ? "the kernel drives no accelerometer: load the driver of the part (docs/iio.md)"
        : findings.isEmpty
          ? "\(bus): no response at \(Self.allPlaces). Fix: \(Diagnosis.wireFix)"
          : "\(bus): no usable sensor")
  }
}

extension ProbeCommand {
  fileprivate typealias HardwareBoard = (name: String, sensor: BoardDescription.Sensor)

  /// The board files that come with plumb for sensors on a real bus. One that cannot be read is left out.
  fileprivate static func hardwareBoards() -> [HardwareBoard] {
    BoardCatalogue().files.compactMap { entry in
      do throws(ToolError) {
        let board = try readBoard(entry.path)
        guard case .linux = board.bus else { return nil }
        return (entry.name, board.sensor)
      } catch {
        return nil
      }
    }
  }

  /// All addresses, in words.
  fileprivate static var allPlaces: String {
    var places = Probe.Places()
    var texts: [String] = []
    while let place = places.next() { texts.append(place.text) }
    return texts.dropLast().joined(separator: ", ") + " or " + (texts.last ?? "")
  }
}

extension Probe.Finding {
  /// Whether plumb can use the part.
  fileprivate var isUsable: Bool {
    if case .usable = answer { return true }
    return false
  }

  /// The names of the boards with such a part: those with its address, or else those with another one.
  fileprivate func boards(among known: [ProbeCommand.HardwareBoard]) -> [String] {
    let alike = known.filter { $0.sensor.model == model }
    let same = alike.filter { $0.sensor.address == address }
    return (same.isEmpty ? alike : same).map(\.name)
  }

  /// Some lines for people.
  fileprivate func text(_ boards: [String]) -> String {
    let files = boards.isEmpty ? "" : "; board file: \(boards.joined(separator: " or "))"
    return wrapped(detail + files, behind: "\(address.text)  ")
  }

  /// One object for scripts.
  fileprivate func json(_ boards: [String]) -> String {
    JSONText.object("finding") { writer in
      writer.field("address", Int(address.rawValue))
      writer.field("usable", isUsable)
      writer.field("model", model?.name)
      writer.field("boards", boards)
      writer.field("detail", detail)
    }
  }

  /// The value of `model` in a board file for this part.
  private var model: SensorModel? {
    guard case .usable(let part) = answer else { return nil }
    return part.model
  }

  private var detail: String {
    let words =
      switch answer {
      case .usable(let part): "\(part.text): model = \(part.model.name)\(part.admission.text)"
      case .refused(let part): "\(part.text), \(part.remark): not supported"
      case .unknown(let identity): "an unknown part: its identity register reads \(hex(identity))"
      case .noIdentity(let reading):
        "the identity register reads \(hex(reading)): check power, ground, SDA and SCL"
      case .fault(let fault): fault.text(at: address)
      }
    return words + (mayBeClock ? "; it may be a real-time clock (DS1307, DS3231), which has the same address" : "")
  }
}

extension SensorPart {
  /// Without the identity if that is not what the part was known by.
  fileprivate var text: String {
    model.part(identity: identity) == nil ? "\(name)" : "\(name) (identity \(hex(identity)))"
  }
}

extension SensorPart.Admission {
  fileprivate var text: String {
    switch self {
    case .accepted, .refused: ""
    case .acceptedWithNotice: "; known only from the Linux driver"
    case .onlyIfAsked: " and unverified-parts = yes"
    }
  }
}

/// A board with Plumb's firmware on a USB port. It is not opened, because a program may be using it.
extension StreamAddress {
  /// Some lines for people.
  fileprivate var text: String {
    wrapped("a board with Plumb's firmware: plumb watch --from \(shellWord("\(self)"))", behind: "serial  ")
  }

  /// One object for scripts.
  fileprivate var json: String {
    JSONText.object("serial") { writer in
      writer.field("address", "\(self)")
      writer.field("usable", true)
    }
  }
}

/// An accelerometer that the kernel drives.
private struct KernelSensor {
  let entry: IIODevice.Listed
  /// What a board file calls it.
  let name: String

  /// All that there are. Each is called by its name, or by its label or number if others have the same.
  static func all() -> [KernelSensor] {
    let entries = (0..<IIOTree.most).compactMap { IIODevice.listed($0) }
    return entries.map { entry in
      let name = entry.name.description
      let label = entry.label.description
      let isAlone = entries.count { $0.name.description == name } == 1
      let isLabelled = !label.isEmpty && entries.count { $0.label.description == label } == 1
      return KernelSensor(entry: entry, name: isAlone ? name : isLabelled ? label : "iio:device\(entry.number)")
    }
  }

  private var detail: String {
    "\(printable(entry.name.description))\(entry.hasGyroscope ? " with a gyroscope" : ""), run by the kernel: "
      + "part = iio and device = \(printable(name))"
  }

  /// Some lines for people.
  var text: String { wrapped(detail, behind: "iio:device\(entry.number)  ") }

  /// One object for scripts.
  var json: String {
    JSONText.object("device") { writer in
      writer.field("device", name)
      writer.field("number", Int(entry.number))
      writer.field("usable", true)
      writer.field("gyroscope", entry.hasGyroscope)
      writer.field("detail", detail)
    }
  }
}
