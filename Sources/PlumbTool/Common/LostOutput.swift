import Glibc
import LinuxHAL

/// What was printed and never arrived: help and the like, which ArgumentParser prints without looking.
enum LostOutput {
  /// Has the end of the program tell it, with the code of an output that cannot be written; `Output` looks by itself.
  static func isToldAtExit() {
    atexit {
      guard fflush(nil) != 0 else { return }
      let code = errno
      // A reader that has gone away has had enough.
      guard code != EPIPE else { return }
      writeToStandardError("plumb: standard output cannot be written: \(systemText(code))\n")
      _exit(ToolError.Code.cannotCreate.rawValue)
    }
  }
}
