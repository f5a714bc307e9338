internal import BoardFile
internal import Diagnosis
internal import Text

/// `--check`: looks at everything that the program would use, and changes nothing.
///
/// Of the sensor only the identity is read, and lines are not requested, so a program at work is not disturbed.
struct Check {
  /// The board file.
  let path: Command.Path

  /// Tells what came of each aspect, and what cures what is wrong; returns the exit code.
  func run() throws(Trouble) -> Int32 {
    let board = try Daemon(path: path).read()
    guard board.bus != .emulated else { throw .emulatedBus }
    Line("board file: well").say()
    var system = LinuxSystem()
    let diagnosis = Diagnosis(of: board, in: &system)
    for index in 0..<Aspect.count {
      guard let aspect = Aspect(rawValue: UInt8(truncatingIfNeeded: index)) else { continue }
      diagnosis.tell(aspect)
    }
    return diagnosis.exitCode
  }
}

extension Diagnosis {
  /// A line on `aspect`; of a problem, a second one with its cure.
  fileprivate func tell(_ aspect: Aspect) {
    var line = Line(aspect.title)
    switch self[aspect] {
    case .passed: line.append(": well")
    case .emulated: line.append(": emulated, nothing to look at")
    case .unknown: line.append(": not known")
    case .skipped(let cause):
      line.append(": not looked at, because of ")
      line.append(cause.title)
    case .found(let problem): return tell(problem, of: line)
    }
    line.say()
  }

  private func tell(_ problem: Problem, of title: Line) {
    var line = title
    switch problem.severity {
    case .note: line.append(": ")
    case .warning: line.append(": warning: ")
    case .error: line.append(": error: ")
    }
    line.append(message(of: problem))
    line.say()
    line = Line("  cure: ")
    line.append(cure(of: problem))
    line.say()
  }
}
