internal import CSupport
public import Text

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
    case .interrupt: Int32(truncatingIfNeeded: CSUPPORT_SIGINT)
    case .terminate: Int32(truncatingIfNeeded: CSUPPORT_SIGTERM)
    case .hangUp: Int32(truncatingIfNeeded: CSUPPORT_SIGHUP)
    case .brokenPipe: Int32(truncatingIfNeeded: CSUPPORT_SIGPIPE)
    }
  }

  init?(number: Int32) {
    switch number {
    case StopSignal.interrupt.number: self = .interrupt
    case StopSignal.terminate.number: self = .terminate
    case StopSignal.hangUp.number: self = .hangUp
    case StopSignal.brokenPipe.number: self = .brokenPipe
    default: return nil
    }
  }
}

/// Signals that end the program in good order: remembered instead of deadly, and they end every wait of this module.
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
  public struct InstallError: Error, Equatable, Sendable {
    /// The system's code.
    public let code: Int32

    /// What is wrong, in plain words.
    public var message: ShortText<384> {
      var text = ShortText<384>("Signals cannot be caught: ")
      text.append(system: code)
      text.append(".")
      return text
    }
  }

  /// Takes over `SIGINT`, `SIGTERM`, `SIGHUP` (unless `nohup` had it ignored) and, as asked, `SIGPIPE`.
  ///
  /// A second call does nothing.
  public static func install(brokenPipe: BrokenPipe = .stops) throws(InstallError) {
    let policy =
      switch brokenPipe {
      case .kills: CSUPPORT_BROKEN_PIPE_KILLS
      case .ignored: CSUPPORT_BROKEN_PIPE_IGNORED
      case .stops: CSUPPORT_BROKEN_PIPE_STOPS
      }
    let code = csupport_signals_install(CSUPPORT_SIGNALS_OF_TOOL, policy)
    guard code == 0 else { throw InstallError(code: 0 &- code) }
  }

  /// The first stop signal that came; nil while none did.
  public static var received: StopSignal? { StopSignal(number: csupport_signals_received()) }

  /// A descriptor that is readable as soon as a stop signal has come, to wait for beside others; not to be read or closed.
  public static var descriptor: Int32 { csupport_signals_descriptor() }

  /// Waits until `descriptor` takes up to 4096 bytes without blocking, or only looks whether it does.
  ///
  /// Returns false when it does not, or a stop signal has come: a write that blocked would not hear of one.
  public static func canWrite(to descriptor: Int32, waiting: Bool) -> Bool {
    csupport_signals_wait_writable(descriptor, waiting ? -1 : 0) == 1
  }

  /// Gives the signals back to the actions they had, and forgets one that came.
  public static func uninstall() { csupport_signals_uninstall() }
}

/// The signals of a program that runs without a terminal, as requests; they end every wait of this module.
///
/// Not together with ``StopSignals``. A write to a pipe whose reader has gone fails.
public enum ServiceSignals {
  /// What signals have asked of the program.
  public struct Requests: Equatable, Sendable {
    private let bits: UInt32

    fileprivate init(bits: UInt32) { self.bits = bits }

    /// `SIGTERM`, `SIGINT`: end in good order.
    public var stop: Bool { has(CSUPPORT_STOP) }
    /// `SIGHUP`: read the board file again.
    public var reload: Bool { has(CSUPPORT_RELOAD) }
    /// `SIGUSR1`: report the counters.
    public var counters: Bool { has(CSUPPORT_COUNTERS) }

    private func has(_ request: Int) -> Bool { bits & UInt32(truncatingIfNeeded: request) != 0 }
  }

  /// Takes over `SIGTERM`, `SIGINT`, `SIGHUP`, `SIGUSR1` and `SIGPIPE`.
  public static func install() throws(StopSignals.InstallError) {
    let code = csupport_signals_install(CSUPPORT_SIGNALS_OF_SERVICE, CSUPPORT_BROKEN_PIPE_IGNORED)
    guard code == 0 else { throw StopSignals.InstallError(code: 0 &- code) }
  }

  /// What has been asked and was not taken before; a stop stays.
  public static func take() -> Requests { Requests(bits: csupport_signals_requests()) }
}

#if !hasFeature(Embedded)
  extension StopSignals.InstallError: CustomStringConvertible {
    /// What is wrong, in plain words.
    public var description: String { message.description }
  }
#endif
