internal import CConnect
package import Glibc

/// Starts programs, without a shell.
package enum ChildProcess {
  /// Where a program's standard stream leads.
  package enum Stream {
    /// To this program's stream.
    case inherited
    /// Nowhere.
    case null
    /// To one of this program's descriptors.
    case descriptor(Int32)
  }

  /// Starts `program`, a path or a name in `PATH`, with `arguments`, its own name first, and with this program's
  /// variables if `environment` is nil. Signals that this program handles or blocks have their default action there.
  ///
  /// A program in its own process group does not receive the terminal's Ctrl-C. Returns the system's code, 0 for
  /// success.
  package static func start(
    _ program: String, _ arguments: [String], environment: [String]? = nil, input: Stream, output: Stream,
    errors: Stream, inOwnGroup: Bool = false
  ) -> (process: pid_t, code: Int32) {
    let ends = [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)]
    let streams = ends.map { (stream, own) -> Int32 in
      switch stream {
      case .inherited: return own
      case .null: return -1
      case .descriptor(let descriptor): return descriptor
      }
    }
    let words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    let variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
    defer {
      unsafe words.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    let result =
      environment == nil
      ? unsafe csupport_spawn(program, words, nil, streams, inOwnGroup)
      : unsafe csupport_spawn(program, words, variables, streams, inOwnGroup)
    return result < 0 ? (0, -result) : (result, 0)
  }
}
