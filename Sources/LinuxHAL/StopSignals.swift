internal import CSupport
internal import Glibc

/// A signal that asks the program to stop.
public enum StopSignal: Equatable, Sendable {
  /// `SIGINT`, Ctrl-C.
  case interrupt
  /// `SIGTERM`, what `kill` and systemd send.
  case terminate
  /// `SIGHUP`: the terminal is gone.
  case hangUp
  /// `SIGPIPE`: the reader of the output is gone.
  case brokenPipe

  /// The system's number.
  public var number: Int32 {
    switch self {
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .hangUp: SIGHUP
    case .brokenPipe: SIGPIPE
    }
  }

  init?(number: Int32) {
    switch number {
    case SIGINT: self = .interrupt
    case SIGTERM: self = .terminate
    case SIGHUP: self = .hangUp
    case SIGPIPE: self = .brokenPipe
    default: return nil
    }
  }
}

/// Signals that end the program in good order: remembered instead of deadly, and they end every sleep of ``LinuxClock``.
///
/// A program that drives LEDs needs it, because Raspberry Pi OS goes on driving lines whose program has died.
public enum StopSignals {
  /// What happens when the program writes to a pipe whose reader has gone.
  public enum BrokenPipe: Sendable {
    /// The program dies at once: the system's default.
    case kills
    /// The write fails.
    case ignored
    /// The write fails, and the program is asked to stop.
    case stops
  }

  /// The signals could not be taken over: the system's `errno`.
  public struct InstallError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system's code.
    public let code: Int32

    /// What is wrong, in plain words.
    public var description: String { "Stop signals cannot be caught: \(systemText(code)) (errno \(code))." }
  }

  /// Takes over `SIGINT`, `SIGTERM`, `SIGHUP` (unless `nohup` had it ignored) and, as told, `SIGPIPE`.
  ///
  /// A second call does nothing.
  public static func install(brokenPipe: BrokenPipe = .stops) throws(InstallError) {
    let policy =
      switch brokenPipe {
      case .kills: CSUPPORT_BROKEN_PIPE_KILLS
      case .ignored: CSUPPORT_BROKEN_PIPE_IGNORED
      case .stops: CSUPPORT_BROKEN_PIPE_STOPS
      }
    let code = csupport_signals_install(policy)
    guard code == 0 else { throw InstallError(code: -code) }
  }

  /// The first stop signal that came; nil while none did.
  public static var received: StopSignal? { StopSignal(number: csupport_signals_received()) }

  /// Waits until `descriptor` takes up to 4096 bytes without blocking, or only looks whether it does.
  ///
  /// Returns false when it does not, or a stop signal has come: a write that blocked would not hear of one.
  public static func canWrite(to descriptor: Int32, waiting: Bool) -> Bool {
    csupport_signals_wait_writable(descriptor, waiting ? -1 : 0) == 1
  }

  /// Gives the signals back to the actions they had, and forgets one that came.
  public static func uninstall() { csupport_signals_uninstall() }
}
