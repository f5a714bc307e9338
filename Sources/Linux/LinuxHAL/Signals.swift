internal import CSupport
public import Text

/// A signal that asks the program to stop.
public enum StopSignal: Equatable, Sendable {
  /// `SIGINT`, Ctrl-C.
  case interrupt
  /// `SIGTERM`, which `kill` and systemd send.
  case terminate
  /// `SIGHUP`: the terminal was closed.
  case hangUp
  /// `SIGPIPE`: the reader of the output has closed it.
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

/// Signals that end the program in an orderly way: instead of killing it, they end every wait of this module.
///
/// A program that drives LEDs needs this, because Raspberry Pi OS keeps driving the lines of a killed program.
public enum StopSignals {
  /// What happens when the program writes to a pipe without a reader.
  public enum BrokenPipe: Sendable {
    /// The program is killed at once: the system's default.
    case kills
    /// The write fails.
    case ignored
    /// The write fails, and counts as a stop signal.
    case stops
  }

  /// The handlers could not be installed, with the system's `errno`.
  public struct InstallError: Error, Equatable, Sendable {
    /// The system's code.
    public let code: Int32

    /// What is wrong, in plain words.
    public var message: ShortText<384> { "Signals cannot be caught: \(system: code)." }
  }

  /// Installs handlers for `SIGINT`, `SIGTERM`, `SIGHUP` (unless `nohup` ignores it) and, if requested, `SIGPIPE`.
  ///
  /// A second call does nothing.
  public static func install(brokenPipe: BrokenPipe = .stops) throws(InstallError) {
    try install(brokenPipe: brokenPipe, takesRequests: false)
  }

  /// The same. `takesRequests`: `SIGUSR1` is a request, as in ``ServiceSignals``, and does not kill the program.
  package static func install(brokenPipe: BrokenPipe, takesRequests: Bool) throws(InstallError) {
    let policy =
      switch brokenPipe {
      case .kills: CSUPPORT_BROKEN_PIPE_KILLS
      case .ignored: CSUPPORT_BROKEN_PIPE_IGNORED
      case .stops: CSUPPORT_BROKEN_PIPE_STOPS
      }
    let code = csupport_signals_install(
      takesRequests ? CSUPPORT_SIGNALS_OF_TOOL_WITH_REQUESTS : CSUPPORT_SIGNALS_OF_TOOL, policy)
    guard code == 0 else { throw InstallError(code: 0 &- code) }
  }

  /// The first stop signal received; nil for none.
  public static var received: StopSignal? { StopSignal(number: csupport_signals_received()) }

  /// A descriptor that becomes readable after a stop signal, for waits on several descriptors. Do not read or close it.
  public static var descriptor: Int32 { csupport_signals_descriptor() }

  /// Waits until up to 4096 bytes can be written to `descriptor` without blocking; only checks this if not `waiting`.
  ///
  /// Returns false if they cannot be written, or after a stop signal, to which a blocked write would not react.
  public static func canWrite(to descriptor: Int32, waiting: Bool) -> Bool {
    csupport_signals_wait_writable(descriptor, waiting ? -1 : 0) == 1
  }

  /// Restores the previous actions of the signals, and discards a recorded signal.
  public static func uninstall() { csupport_signals_uninstall() }
}

/// The signals of a program without a terminal, as requests. They end every wait of this module.
///
/// Do not use it together with ``StopSignals``. Writing to a pipe without a reader fails.
public enum ServiceSignals {
  /// What signals have requested.
  public struct Requests: Equatable, Sendable {
    private let bits: UInt32

    fileprivate init(bits: UInt32) { self.bits = bits }

    /// `SIGTERM`, `SIGINT`: end in an orderly way.
    public var stop: Bool { has(CSUPPORT_STOP) }
    /// `SIGHUP`: read the board file again.
    public var reload: Bool { has(CSUPPORT_RELOAD) }
    /// `SIGUSR1`: report the counters.
    public var counters: Bool { has(CSUPPORT_COUNTERS) }

    private func has(_ request: Int) -> Bool { bits & UInt32(truncatingIfNeeded: request) != 0 }
  }

  /// Installs handlers for `SIGTERM`, `SIGINT`, `SIGHUP`, `SIGUSR1` and `SIGPIPE`.
  public static func install() throws(StopSignals.InstallError) {
    let code = csupport_signals_install(CSUPPORT_SIGNALS_OF_SERVICE, CSUPPORT_BROKEN_PIPE_IGNORED)
    guard code == 0 else { throw StopSignals.InstallError(code: 0 &- code) }
  }

  /// The requests since the last call; a stop stays set.
  public static func take() -> Requests { Requests(bits: csupport_signals_requests()) }
}

#if !hasFeature(Embedded)
  extension StopSignals.InstallError: CustomStringConvertible {
    /// What is wrong, in plain words.
    public var description: String { message.description }
  }
#endif
