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
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (stream, end) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      switch stream {
      case .inherited: break
      case .null: unsafe posix_spawn_file_actions_addopen(&actions, end, "/dev/null", O_RDWR, 0)
      case .descriptor(let descriptor): unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, end)
      }
    }
    // This program may ignore writes to a closed pipe, or beyond the file size limit.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe sigaddset(&signals, SIGXFSZ)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if inOwnGroup { flags |= POSIX_SPAWN_SETPGROUP }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
    defer {
      unsafe words.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    var process: pid_t = 0
    let code =
      environment == nil
      ? unsafe posix_spawnp(&process, program, &actions, &attributes, &words, environ)
      : unsafe posix_spawnp(&process, program, &actions, &attributes, &words, &variables)
    return (process, code)
  }
}
