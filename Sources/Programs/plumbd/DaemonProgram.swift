internal import Service
internal import Text

/// The program, which C's `main` calls. Returns the exit code.
@c(plumbd_main)
public func plumbdMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  let syntax = ServiceCommand.Syntax(
    program: "plumbd", option: "--board", file: "board file", path: "/etc/plumb/board.ini")
  do throws(ServiceCommand.UsageError) {
    return try unsafe ServiceCommand(Int(truncatingIfNeeded: count), arguments, syntax).perform()
  } catch {
    return error.printError(syntax)
  }
}

extension ServiceCommand {
  /// Does what the command line asks for, and returns the exit code.
  fileprivate func perform() -> Int32 {
    do throws(ProgramError) {
      switch action {
      case .help: Self.printUsage()
      case .version:
        var line = LogLine("plumbd ")
        line.append(Release.version)
        line.print()
      case .check: return try Check(path: path).run()
      case .run, .forget: try Daemon(path: path).run()
      }
      return 0
    } catch {
      error.print()
      return error.code.rawValue
    }
  }

  private static func printUsage() {
    LogLine(
      """
      plumbd shows a board's pose on its LEDs until it is stopped.

      Usage: plumbd [--board FILE] [--check]

        --board FILE  the board file (default: /etc/plumb/board.ini)
        --check       check board file, bus, sensor and lines, and report errors; change nothing
        --version     print the version
        --help        print this help

      Signals: TERM and INT stop it; HUP rereads the board file; USR1 reports the counters.
      Exit codes: 0 stopped; 64 wrong usage; 69 bus, sensor or lines not available; 77 no permission; 78 bad board file
      """
    ).print()
  }
}
