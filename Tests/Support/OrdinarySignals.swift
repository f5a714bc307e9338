import Glibc

/// Signals as a user's shell gives them to a program, however the tests were started: `nohup` ignores hang-ups, and a
/// shell ignores Ctrl-C for its background jobs.
public enum OrdinarySignals {
  /// Read once: from then on none of these is ignored. A child process inherits ignored signals, but no handler; the
  /// tests themselves continue as before.
  public static let restored: Void = {
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
      let before = signal(number, SIG_DFL)
      let isIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
      if isIgnored {
        _ = signal(number) { _ in }
      } else {
        _ = signal(number, before)
      }
    }
  }()
}
