import ArgumentParser
import BoardFile
import Diagnosis
import Emulation
import Sensors
import ToolInputs
import ToolOutput

/// `plumb selftest`: runs the sensor's own self-test.
struct SelfTestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract: "Runs the sensor's self-test, and reports which axes work.",
    usage: "plumb selftest [<options>]",
    discussion: """
      The sensor deflects its own mass on each axis, and plumb compares the change with the limits of the data sheet. \
      A gyroscope is tested too if the board uses it ([filter] gravity = fusion). Lay the board down \
      in any position, and do not touch it for two seconds. Afterwards plumb restores and checks the settings of the \
      sensor. The LEDs do not change.

      First stop every other plumb that uses this sensor (the service: sudo systemctl stop plumbd). It would report \
      the deflection as a movement, or set the sensor up again during the test. A plumb that uses the lines of the \
      board is detected; plumb record, plumb read and other programs are not.

      EXAMPLES:
        plumb selftest --board raspberry-pi-adxl345
        plumb selftest --defect dead-z            emulate a defective sensor

      EXIT CODES: 0 passed, or there are no limits for this part; 65 the board was moved; 69 failed, or no bus, no \
      sensor, or in use by another plumb; 77 no permission; 78 bad board file
      """)

  @OptionGroup var source: BoardOptions
  @OptionGroup var ownBus: OwnBusOptions

  @Option(
    help: ArgumentHelp(
      "The supply voltage of an ADXL345, 2.0 to 3.6 (default: 3.3); the limits depend on it.", valueName: "volts"),
    transform: ADXL345.SupplyVoltage.parsed)
  var supply: ADXL345.SupplyVoltage?

  @Option(
    help: ArgumentHelp(
      "The defect of the emulated sensor: \(SensorDefect.names.joined(separator: ", ")).", valueName: "name"),
    completion: .list(SensorDefect.names), transform: SensorDefect.named)
  var defect: SensorDefect?

  @Option(
    help: ArgumentHelp("The numbers of emulated transactions that fail, such as 12 or 12-.", visibility: .private))
  var faults: String?

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  func run() throws {
    let description = try source.description(for: Self.self, misuse: misuse)
    try reportingError { () throws(ToolError) in
      try refuseCompany(description)
      let answer = try answer(of: description)
      var output = Output(isLive: false)
      for line in answer.lines(format, .ofStandardOutput) { try output.line(line) }
      try output.flush()
      if let error = answer.error { throw error }
    }
  }

  /// Runs the self-test.
  private func answer(of board: BoardDescription) throws(ToolError) -> SelfTestAnswer {
    try takeOverStopSignals()
    let emulated = EmulatedBoard(
      motion: source.motion ?? .hold, seed: source.seed, isFast: true, faults: defect?.faults ?? Self.faults(faults),
      defect: defect)
    let clock = BoardClock(of: board, isFast: true)
    let supply = supply ?? .volts3_3
    var session = SelfTestSession(
      sensor: try BoardSensor(of: board, emulated, clock), clock: clock, period: board.sensor.period, supply: supply)
    var progress = Progress()
    if board.bus != .emulated { progress.show("Testing: do not touch the board for two seconds …") }
    let ending = session.run()
    progress.clear()
    switch ending {
    case .findings(let findings, let isMoved):
      return SelfTestAnswer(
        board: board, supply: supply, findings: findings, isMoved: isMoved, notice: session.sensor.notice)
    case .stopped(let isRestored):
      throw ToolError(.unavailable, Self.explained("stopped before the self-test was over", isRestored))
    case .failed(let error, let isRestored):
      let error = ToolError(error, of: board.sensor)
      throw ToolError(error.code, Self.explained(error.message, isRestored))
    }
  }

  /// What happened, and how the sensor was left; `isRestored` is nil if it was not touched.
  private static func explained(_ words: String, _ isRestored: Bool?) -> String {
    guard let isRestored else { return words }
    return words
      + (isRestored
        ? "; the settings of the sensor are restored"
        : "; the sensor may still be in self-test: switch it off and on again, or start it with plumb run")
  }

  private func misuse(of board: BoardDescription) -> String? {
    if source.batch != nil { return "--batch is for commands that run on; the self-test reads sample by sample." }
    if board.sensor.device != nil {
      return
        "The self-test needs the registers of the sensor, which a driver of the kernel runs: \(board.sensor.place.words)."
    }
    let (model, traits) = (board.sensor.model, board.sensor.model.traits)
    let name = "\(model.article) \(model.properName)"
    if traits.selfTest == .none { return "The sensor cannot test itself: \(name) has no self-test." }
    if supply != nil && traits.selfTest != .dependsOnSupply {
      return "--supply is not for \(name), whose limits do not depend on it."
    }
    let lack: String? =
      switch defect {
      case .deadGyroscope where !traits.hasGyroscope: "a gyroscope"
      case .noCodes where traits.selfTest != .coded: "self-test codes of the factory"
      default: nil
      }
    if let defect, let lack {
      return "--defect \(defect.rawValue) is for a sensor with \(lack), which \(name) does not have."
    }
    guard board.bus != .emulated else { return nil }
    return defect == nil && faults == nil ? nil : "--defect needs a board whose bus is emulated."
  }

  /// The faults for `12` or `12-`.
  private static func faults(_ text: String?) -> FaultPlan {
    guard let text, let first = Int(text.prefix { $0 != "-" }), first >= 0 else { return .none }
    return text.hasSuffix("-")
      ? [.init(.noAcknowledge, .transactions(first..<Int.max))] : [.init(.noAcknowledge, .transaction(first))]
  }

  /// Throws if another plumb uses the lines of the board.
  private func refuseCompany(_ board: BoardDescription) throws(ToolError) {
    guard board.bus != .emulated, !board.lines.isEmulated else { return }
    var system = LinuxSystem()
    guard case .found(.lineHeld(let offset, let holder, _)) = Diagnosis(of: board, in: &system)[.lines],
      holder.description.hasPrefix("plumb")
    else { return }
    throw ToolError(
      .unavailable,
      "this board is in use by another plumb (it uses GPIO\(offset)), which would disturb the test: stop it first; "
        + "to stop the service: sudo systemctl stop plumbd")
  }
}

extension ADXL345.SupplyVoltage {
  /// The voltage in a command line.
  static func parsed(_ text: String) throws -> ADXL345.SupplyVoltage {
    guard let volts = Double(text), (2...3.6).contains(volts),
      let supply = ADXL345.SupplyVoltage(millivolts: Int32((volts * 1_000).rounded()))
    else { throw ValidationError("--supply takes a number of volts from 2.0 to 3.6, not '\(text)'.") }
    return supply
  }
}
