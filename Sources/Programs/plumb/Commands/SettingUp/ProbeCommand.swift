import ArgumentParser
import BoardFile
import Diagnosis
import Emulation
import FixedPoint
import HAL
import JSON
import PlumbViews
import Sensors
import Text
import ToolInputs
import ToolOutput

/// `plumb probe`: finds the sensors on a bus.
struct ProbeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Lists the known sensors on a bus, with their addresses.",
    usage: "plumb probe [--bus <path>] [--board <file>] [--format <format>]",
    discussion: """
      Reads the identity at the four addresses that the sensors can have: 0x1D and 0x53 (ADXL345), 0x68 and 0x69 \
      (MPU-6050 and its family). Writes nothing, and does not disturb a sensor that is running. The default bus is \
      /dev/i2c-1, the one on a Raspberry Pi's header.

      EXAMPLE: plumb probe --bus /dev/i2c-1

      EXIT CODES: 0 a usable sensor was found; 69 no usable sensor, or no bus; 77 no permission
      """)

  @OptionGroup var ownBus: OwnBusOptions

  @Option(help: ArgumentHelp("The bus (default: /dev/i2c-1).", valueName: "path"), completion: .file())
  var bus: String?

  @Option(
    help: ArgumentHelp("Probe the bus of this board file.", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  func validate() throws {
    if bus != nil && board != nil { throw ValidationError("Give --bus or --board, not both.") }
  }

  func run() throws { try reportingError { () throws(ToolError) in try probe() } }

  private func probe() throws(ToolError) {
    guard let board else { return try probe(path: bus ?? "/dev/i2c-1") }
    let description = try readBoard(board)
    switch description.bus {
    case .linux(let path): try probe(path: path.description)
    case .emulated:
      let clock = VirtualClock()
      var emulated = EmulatedBoard(motion: .hold).bus(of: description) { clock.now }
      try report(emulated.probe(), of: "emulated")
    }
  }

  private func probe(path: String) throws(ToolError) {
    var linux = try openBus(path)
    try report(linux.probe(), of: printable(path))
  }

  private func report(_ report: Probe.Report, of bus: String) throws(ToolError) {
    let findings = (0..<report.count).compactMap { report[$0] }
    var output = Output(isLive: false)
    for finding in findings { try output.line(format == .json ? finding.json : finding.text) }
    let usable = findings.count { $0.isUsable }
    if format == .json {
      let summary = JSONText.object("summary") { writer in
        writer.field("bus", bus)
        writer.field("found", findings.count)
        writer.field("usable", usable)
      }
      try output.line(summary)
    }
    try output.flush()
    guard usable == 0 else { return }
    if findings.contains(where: { $0.answer == .fault(.notPermitted) }) {
      let advice = Diagnosis.advice(onBus: bus) ?? I2CFault.notPermitted.message(at: ADXL345.address).description
      throw ToolError(.noPermission, advice)
    }
    throw ToolError(
      .unavailable,
      findings.isEmpty
        ? "\(bus): no response at 0x1D, 0x53, 0x68 or 0x69. Fix: \(Diagnosis.wireFix)"
        : "\(bus): no usable sensor")
  }
}

extension Probe.Finding {
  /// Whether plumb can use what was found.
  fileprivate var isUsable: Bool {
    if case .usable = answer { return true }
    return false
  }

  /// One or two lines for people.
  fileprivate var text: String { wrapped(detail, behind: "\(place.address.text)  ") }

  /// One object for scripts.
  fileprivate var json: String {
    JSONText.object("finding") { writer in
      writer.field("address", Int(place.rawValue))
      writer.field("usable", isUsable)
      writer.field("model", model?.name)
      writer.field("detail", detail)
    }
  }

  /// The value of `model` in a board file for this part.
  private var model: SensorModel? {
    guard case .usable(let sensor, _) = answer else { return nil }
    return sensor == .adxl345 ? .adxl345 : .mpu6050
  }

  private var detail: String {
    let words =
      switch answer {
      case .usable(let sensor, let admission):
        sensor.text + (model.map { ": model = \($0.name)" } ?? "") + admission.text
      case .refused(.adxl346): "an ADXL346 (identity 0xE6), which must not be powered from 3.3 V: not supported"
      case .refused(.defectiveMPU6050(let identity)):
        "a defective MPU-6050 or copy: only such parts are known to have the identity \(hex(identity))"
      case .unknown(let identity): "an unknown part: its identity register reads \(hex(identity))"
      case .noIdentity(let reading):
        "the identity register reads \(hex(reading)): check power, ground, SDA and SCL"
      case .fault(let fault): fault.text(at: place.address)
      }
    return words + (mayBeClock ? "; it may be a real-time clock (DS1307, DS3231), which has the same address" : "")
  }
}

extension Probe.Sensor {
  fileprivate var text: String {
    switch self {
    case .adxl345: "an ADXL345 or ADXL343 (identity \(hex(ADXL345.identity)))"
    case .mpu6050(let part): "\(part.name) (identity \(hex(part.rawValue)))"
    }
  }
}

extension MPU6050.Admission {
  fileprivate var text: String {
    switch self {
    case .accepted: ""
    case .acceptedWithNotice: "; known only from the Linux driver"
    case .onlyIfAsked: " and unverified-parts = yes"
    }
  }
}
