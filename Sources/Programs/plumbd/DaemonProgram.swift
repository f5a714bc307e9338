internal import Service

/// The program, which C's `main` calls. Returns the exit code.
@c(plumbd_main)
public func plumbdMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  unsafe DaemonProgram().main(count, arguments)
}

private struct DaemonProgram: ServiceProgram {
  var syntax: ServiceCommand.Syntax {
    var syntax = ServiceCommand.Syntax(
      "plumbd", path: "/etc/plumb/board.ini", summary: "shows a board's pose on its LEDs until it is stopped.",
      check: "check board file, bus, sensor and lines, and report errors; change nothing",
      unavailable: "bus, sensor or lines not available")
    (syntax.option, syntax.file, syntax.configuration) = ("--board", "board file", "board file")
    syntax.signals = "TERM and INT stop it; HUP rereads the board file; USR1 reports the counters"
    return syntax
  }

  func run(_ path: ServiceCommand.Path) throws(ProgramError) { try Daemon(path: path).run() }

  func check(_ path: ServiceCommand.Path) throws(ProgramError) -> Int32 { try Check(path: path).run() }
}
