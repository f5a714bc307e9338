internal import BoardFile
internal import Text

/// The program: what C's `main` calls. Returns the exit code.
@c(plumbd_main)
public func plumbdMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  do throws(Command.Misuse) {
    let command = try unsafe Command(Int(truncatingIfNeeded: count), arguments)
    return command.perform()
  } catch {
    var line = Line("plumbd: ")
    switch error {
    case .unknown(let index):
      line.append("there is no option ")
      line.append(quoted: unsafe Command.Path(argument: arguments[index]))
    case .missingFile: line.append("--board takes the name of a board file")
    case .longName: line.append("the name of the board file is too long")
    }
    line.append("; plumbd --help lists the options")
    line.complain()
    return Trouble.Code.usage.rawValue
  }
}

extension Command {
  /// Does what the command line asks for, and returns the exit code.
  fileprivate func perform() -> Int32 {
    do throws(Trouble) {
      switch action {
      case .help: Self.tellUsage()
      case .version:
        var line = Line("plumbd ")
        line.append(Release.version)
        line.say()
      case .check: return try Check(path: path).run()
      case .run: try Daemon(path: path).run()
      }
      return 0
    } catch {
      error.complain()
      return error.code.rawValue
    }
  }

  private static func tellUsage() {
    Line(
      """
      plumbd shows a board's pose on its LEDs until it is stopped.

      Usage: plumbd [--board FILE] [--check]

        --board FILE  the board file; /etc/plumb/board.ini when left out
        --check       look at board file, bus, sensor and lines, change nothing, and say what is wrong
        --version     tell the version
        --help        tell this

      Signals: TERM and INT end it, HUP makes it read the board file again, USR1 makes it tell its counters.
      Exit codes: 0 ended, 64 wrong usage, 69 bus, sensor or lines not to be had, 77 no permission, 78 bad board file
      """
    ).say()
  }
}
