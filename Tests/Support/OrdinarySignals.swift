import Glibc

/// Signals as a user's shell gives them to a program, whatever started the tests: `nohup` ignores hang-ups, and a shell the
/// Ctrl-C of what it runs in its background.
public enum OrdinarySignals {
  /// Read once: from then on none of these is ignored. What a program starts inherits what is ignored, and no handler; the
  /// tests themselves go on as before.
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
