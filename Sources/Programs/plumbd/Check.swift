internal import BoardFile
internal import Diagnosis
internal import Service
internal import Text

/// `--check`: checks everything that the program would use, and changes nothing.
///
/// It reads only the sensor's identity and requests no lines, so it does not disturb a running program.
struct Check {
  /// The board file.
  let path: ServiceCommand.Path

  /// Prints the outcome of each aspect, and how to fix what is wrong; returns the exit code.
  func run() throws(ProgramError) -> Int32 {
    let board = try Daemon(path: path).read()
    guard board.bus != .emulated else { throw .emulatedBus }
    guard board.picoBus == nil else { throw .pico }
    LogLine("board file: OK").print()
    var system = LinuxSystem()
    let diagnosis = Diagnosis(of: board, in: &system)
    for index in 0..<Aspect.count {
      guard let aspect = Aspect(rawValue: UInt8(truncatingIfNeeded: index)) else { continue }
      diagnosis.print(aspect)
    }
    return diagnosis.exitCode
  }
}

extension Diagnosis {
  /// Prints a line about `aspect`, and for a finding a second one with its fix.
  fileprivate func print(_ aspect: Aspect) {
    var line = LogLine(aspect.title)
    switch self[aspect] {
    case .passed: line.append(": OK")
    case .emulated: line.append(": emulated, nothing to check")
    case .absent: return
    case .unknown: line.append(": unknown")
    case .skipped(let cause):
      line.append(": not checked: needs ")
      line.append(cause.title)
    case .found(let finding): return print(finding, of: line)
    }
    line.print()
  }

  private func print(_ finding: Finding, of title: LogLine) {
    var line = title
    switch finding.severity {
    case .note: line.append(": ")
    case .warning: line.append(": warning: ")
    case .error: line.append(": error: ")
    }
    line.append(message(of: finding))
    line.print()
    line = LogLine("  fix: ")
    line.append(fix(of: finding))
    line.print()
  }
}
