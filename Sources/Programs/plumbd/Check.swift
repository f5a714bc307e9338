internal import BoardFile
internal import Diagnosis
internal import Service
internal import Text

/// `--check`: looks at everything that the program would use, and changes nothing.
///
/// Of the sensor only the identity is read, and lines are not requested, so a program at work is not disturbed.
struct Check {
  /// The board file.
  let path: ServiceCommand.Path

  /// Prints what came of each aspect, and how to fix what is wrong; returns the exit code.
  func run() throws(DaemonError) -> Int32 {
    let board = try Daemon(path: path).read()
    guard board.bus != .emulated else { throw .emulatedBus }
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
  /// A line on `aspect`; for a finding, a second one with its fix.
  fileprivate func print(_ aspect: Aspect) {
    var line = LogLine(aspect.title)
    switch self[aspect] {
    case .passed: line.append(": OK")
    case .emulated: line.append(": emulated, nothing to check")
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
