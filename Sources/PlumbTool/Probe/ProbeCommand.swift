import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import HAL
import Sensors

/// `plumb probe`: which sensor is where.
struct ProbeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Tells which known sensor is at which address of a bus.",
    discussion: """
      Reads the identity at the four addresses that the sensors can have: 0x1D and 0x53 (ADXL345), 0x68 and 0x69 \
      (MPU-6050 and its family). Writes nothing, and leaves a sensor that runs as it is. Looks at /dev/i2c-1, the bus of \
      a Raspberry Pi's header, unless told otherwise.

      EXAMPLE: plumb probe --bus /dev/i2c-1

      EXIT CODES: 0 a sensor was found that plumb can use, 69 none was found, or no bus, 77 no permission
      """)

  @Option(help: ArgumentHelp("The bus; /dev/i2c-1 when left out.", valueName: "path"), completion: .file())
  var bus: String?

  @Option(
    help: ArgumentHelp("A board file, whose bus is looked at.", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "How findings are written: text for people, json for scripts (one object a line).")
  var format: Format = .text

  func validate() throws {
    if bus != nil && board != nil { throw ValidationError("Give --bus or --board, not both.") }
  }

  func run() throws { try reportingFailure { () throws(Failure) in try probe() } }

  private func probe() throws(Failure) {
    guard let board else { return try probe(path: bus ?? "/dev/i2c-1") }
    let description = try readBoard(board)
    switch description.bus {
    case .linux(let path): try probe(path: path.description)
    case .emulated:
      let clock = VirtualClock()
      var emulated = description.emulatedBus(motion: NamedMotion.hold.motion, seed: nil, plan: .none) { clock.now }
      try tell(emulated.probe(), of: "emulated")
    }
  }

  private func probe(path: String) throws(Failure) {
    var linux = try openBus(path)
    try tell(linux.probe(), of: printable(path))
  }

  private func tell(_ report: Probe.Report, of bus: String) throws(Failure) {
    let findings = (0..<report.count).compactMap { report[$0] }
    var output = Output(isLive: false)
    for finding in findings { try output.line(format == .json ? finding.json : finding.text) }
    let usable = findings.count { $0.isUsable }
    if format == .json {
      try output.line(
        "{\"event\":\"summary\",\"bus\":\(bus.json),\"found\":\(findings.count),\"usable\":\(usable)}")
    }
    try output.flush()
    guard usable == 0 else { return }
    if findings.contains(where: { $0.answer == .fault(.notPermitted) }) {
      throw Failure(.noPermission, "no permission to use the bus \(bus): add yourself to the group i2c")
    }
    throw Failure(
      .unavailable,
      findings.isEmpty
        ? "\(bus): nobody answers at 0x1D, 0x53, 0x68 or 0x69: is the sensor powered, and are SDA and SCL right?"
        : "\(bus): no sensor that plumb can use")
  }
}
