import ArgumentParser
import BoardFile
import Diagnosis
import Glibc
import HAL
import JSON
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

/// `plumb doctor`: finds what is wrong with a set-up, and how to fix it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks the set-up from the kernel to the pins, and shows how to fix each error.",
    usage: "plumb doctor [--board <file>] [--format <format>]",
    discussion: """
      Fix the first error first: later checks depend on earlier ones, and a check that depends on a failed one is \
      skipped. plumb doctor changes nothing, and does not disturb a running sensor or another plumb.

      A gyroscope that the board uses is checked if the sensor is running: for a second it must have noise and read \
      less than 20 °/s, on a board that lies still.

      If plumbd shares its sensor, or a board with Plumb's firmware is on a USB port, plumb doctor says so, and shows \
      how to listen to it.

      EXAMPLE: plumb doctor --board raspberry-pi-mpu6050

      EXIT CODES: 0 no error; 69 something is missing or in use; 77 no permission; 78 the board file does not match \
      the hardware; of several, the greatest
      """)

  @OptionGroup var ownBus: OwnBusOptions

  @Option(
    help: ArgumentHelp("The board file, or a name that plumb boards lists (see plumb --help).", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  func run() throws {
    try reportingError { () throws(ToolError) in try examine() }
  }

  private func examine() throws(ToolError) {
    let board = try UsualBoard.hardware(self.board)
    let (description, name) = (board.description, board.name)
    guard description.picoBus == nil else { throw ToolError(.configuration, "\(BoardDescription.picoWords)") }
    var system = LinuxSystem()
    let diagnosis = Diagnosis(of: description, in: &system)
    let gyroscope = try DoctorGyroscope(after: diagnosis)
    let notes = [DoctorOwner(beside: description)?.note].compactMap(\.self) + DoctorNote.serialBoards
    var output = Output(isLive: false)
    let option = " --board " + board.option
    let lines =
      format == .json
      ? diagnosis.json(name, gyroscope, notes, option: option)
      : diagnosis.text(name, gyroscope, notes, .ofStandardOutput, option: option)
    for line in lines { try output.line(line) }
    try output.flush()
    if let error = diagnosis.error { throw error }
  }
}

extension Diagnosis {
  /// The error that ends the command if something is wrong; the report has the rest.
  fileprivate var error: ToolError? {
    guard exitCode != 0, let first = firstError else { return nil }
    let count = Self.aspects.count { self[$0].finding?.severity == .error }
    let rest = count > 1 ? "first of \(count) errors; the report lists the fixes" : "the report has the fix"
    return ToolError(
      ToolError.Code(rawValue: exitCode) ?? .unavailable, printable("\(message(of: first)) (\(rest))"))
  }

  private static let aspects = (0..<UInt8(Aspect.count)).compactMap { Aspect(rawValue: $0) }

  /// Every aspect with a mark, each finding below it, and a last line with the first fix. `option` selects the board on
  /// a command line.
  fileprivate func text(
    _ name: String, _ gyroscope: DoctorGyroscope?, _ notes: [DoctorNote], _ style: TextStyle, option: String
  ) -> [String] {
    var lines = [style.coloured("Checking \(name)", 1), ""]
    let emulated = Self.aspects.filter { self[$0] == .emulated }
    for aspect in Self.aspects {
      // It needs the sensor, and nothing needs it.
      if aspect == .linesAccess, let gyroscope {
        lines += gyroscope.text(of: board, style, option: option) { Self.lines(ofFix: $0, behind: $1) }
      }
      if self[aspect] == .emulated || self[aspect] == .absent { continue }
      lines.append("  " + mark(self[aspect], style) + " " + row(aspect))
      guard let problem = self[aspect].finding else { continue }
      lines += wrapped(message(of: problem).description.capitalisedFirst + ".", to: 74).map { "      " + $0 }
      let arrow = "      " + style.mark("→ ", "-> ")
      lines += Self.lines(ofFix: fix(of: problem).description, behind: arrow).map { style.coloured($0, 96) }
    }
    if !emulated.isEmpty {
      let isAll = emulated.count == Self.aspects.count { self[$0] != .absent }
      let parts = isAll ? ["bus, sensor and lines"] : emulated.map { "\($0.title)" }
      let mark = "  " + self.mark(.emulated, style) + " "
      lines += wrapped("emulated: " + parts.joined(separator: ", "), to: 74).enumerated().map { index, part in
        index == 0 ? mark + part : "      " + part
      }
    }
    lines += notes.flatMap { $0.text(style) }
    lines.append("")
    if let first = firstError {
      let words = "Do this first: "
      let parts = Self.lines(ofFix: fix(of: first).description, behind: words)
      lines.append(style.coloured(words, 1) + parts[0].dropFirst(words.count))
      lines += parts.dropFirst()
    } else if board.bus == .emulated && board.lines.isEmulated {
      lines.append("No errors: sensor and lines are emulated, so no hardware is needed.")
    } else {
      lines.append("No errors." + (board.bus == .emulated ? " The sensor is emulated." : ""))
      let sensor = board.sensor.configuration.usesGyroscope ? "the sensor and its gyroscope" : "the sensor itself"
      if case .linux = board.bus { lines.append("To test \(sensor): plumb selftest" + option) }
    }
    return lines
  }

  /// A fix after `beginning`, within 80 columns if possible: a command stays on one line, so that it can be copied, but
  /// its comment may be wrapped.
  private static func lines(ofFix fix: String, behind beginning: String) -> [String] {
    guard beginning.count + fix.count > 80 else { return [beginning + fix] }
    let isCommand = !["write", "use", "switch", "remove", "log", "no", "unbind"].contains(fix.prefix { $0 != " " })
    if !isCommand { return wrapped(fix, behind: beginning).split(separator: "\n").map(String.init) }
    guard let mark = fix.firstRange(of: "  # ") else { return [beginning + fix] }
    let comment = wrapped(
      String(fix[mark.upperBound...]), behind: String(repeating: " ", count: beginning.count) + "# ")
    return [beginning + fix[..<mark.lowerBound]]
      + comment.split(separator: "\n").enumerated().map { (index: Int, line: Substring) -> String in
        index == 0 ? String(line) : "\(line.prefix(beginning.count))# \(line.dropFirst(beginning.count + 2))"
      }
  }

  private func mark(_ outcome: Outcome, _ style: TextStyle) -> String {
    switch outcome {
    case .passed, .emulated: return style.coloured(style.mark("✓", "ok  "), 32)
    case .absent, .skipped, .unknown: return style.coloured(style.mark("·", "-   "), 90)
    case .found(let problem):
      switch problem.severity {
      case .error: return style.coloured(style.mark("✗", "FAIL"), 31)
      case .warning: return style.coloured(style.mark("!", "warn"), 33)
      case .note: return style.coloured(style.mark("i", "note"), 96)
      }
    }
  }

  private func row(_ aspect: Aspect) -> String {
    let title = "\(aspect.title)"
    switch self[aspect] {
    case .skipped(let cause): return "\(title): not checked: needs \(cause.title)"
    case .unknown: return "\(title): unknown"
    case .passed, .emulated, .absent, .found: return detail(of: aspect).map { "\(title): \($0)" } ?? title
    }
  }

  /// What to show about an aspect that is OK.
  private func detail(of aspect: Aspect) -> String? {
    switch aspect {
    case .machine: machine.count > 0 ? printable(machine.description) : nil
    case .bus:
      switch board.bus {
      case .linux(let path): path.description
      case .pico(let pico): pico.name.description
      case .emulated, .iio: nil
      }
    case .busSpeed: busHertz > 0 ? decimalText(Int64(busHertz), over: 1_000, places: 1) + " kHz" : nil
    case .address: board.sensor.address.text
    case .identity: "\(board.sensor.model.properName)"
    case .chip: chipNumber >= 0 ? "\(printable(chipLabel.description)), /dev/gpiochip\(chipNumber)" : nil
    case .lines: (0..<board.lines.count).map { "\(board.lines.offsets[$0])" }.joined(separator: " ")
    case .matrix: frameNumber >= 0 ? "/dev/fb\(frameNumber)" : "at 0x46"
    case .device: deviceNumber >= 0 ? printable("\(board.sensor.place.words)") + ", iio:device\(deviceNumber)" : nil
    case .busAccess, .linesAccess, .pins: nil
    }
  }

  /// One object for each aspect, and a summary.
  fileprivate func json(
    _ name: String, _ gyroscope: DoctorGyroscope?, _ notes: [DoctorNote], option: String
  ) -> [String] {
    let aspects = Self.aspects.filter { self[$0] != .absent }
    var checks = aspects.map { aspect in
      JSONText.object("check") { writer in
        writer.field("check", aspect.identifier)
        writer.field("title", aspect.title)
        write(self[aspect], to: &writer)
      }
    }
    if let gyroscope {
      checks.insert(
        gyroscope.json(of: board, option: option),
        at: aspects.firstIndex { $0.rawValue >= Aspect.linesAccess.rawValue } ?? checks.count)
    }
    let summary = JSONText.object("summary") { writer in
      writer.field("board", name)
      writer.field("machine", machine.description)
      writer.field("well", exitCode == 0)
      writer.field("first_problem", firstError?.identifier)
      writer.field("exit_code", Int(exitCode))
    }
    return checks + notes.map(\.json) + [summary]
  }

  private func write(_ outcome: Outcome, to writer: inout JSONWriter) {
    switch outcome {
    case .passed: writer.field("outcome", "passed")
    case .emulated: writer.field("outcome", "emulated")
    case .absent: writer.field("outcome", "absent")
    case .unknown: writer.field("outcome", "unknown")
    case .skipped(let cause):
      writer.field("outcome", "skipped")
      writer.field("because", cause.identifier)
    case .found(let problem):
      writer.field("outcome", problem.severity.name)
      writer.field("problem", problem.identifier)
      writer.field("detail", message(of: problem).description)
      writer.field("fix", fix(of: problem).description)
    }
  }
}

extension Finding.Severity {
  /// The name in JSON.
  fileprivate var name: StaticString {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "failed"
    }
  }
}
