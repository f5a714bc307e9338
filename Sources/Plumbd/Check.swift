internal import BoardFile
internal import Diagnosis
internal import Messages

/// `--check`: looks at everything that the program would use, and changes nothing.
///
/// Of the sensor only the identity is read, and lines are not requested, so a program at work is not disturbed.
struct Check {
  /// The board file.
  let path: Command.Path

  /// Prints what came of each aspect, and how to fix what is wrong; returns the exit code.
  func run() throws(DaemonError) -> Int32 {
    let board = try Daemon(path: path).read()
    guard board.bus != .emulated else { throw .emulatedBus }
    LogLine("board file: well").print()
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
  /// A line on `aspect`; of a problem, a second one with its cure.
  fileprivate func print(_ aspect: Aspect) {
    var line = LogLine(aspect.title)
    switch self[aspect] {
    case .passed: line.append(": well")
    case .emulated: line.append(": emulated, nothing to look at")
    case .unknown: line.append(": not known")
    case .skipped(let cause):
      line.append(": not looked at, because of ")
      line.append(cause.title)
    case .found(let problem): return print(problem, of: line)
    }
    line.print()
  }

  private func print(_ problem: Problem, of title: LogLine) {
    var line = title
    switch problem.severity {
    case .note: line.append(": ")
    case .warning: line.append(": warning: ")
    case .error: line.append(": error: ")
    }
    line.append(message(of: problem))
    line.print()
    line = LogLine("  cure: ")
    line.append(cure(of: problem))
    line.print()
  }
}
