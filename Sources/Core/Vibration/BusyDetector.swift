public import FixedPoint

/// Detects when a machine starts to vibrate and when it has come to rest, such as a washing machine that has finished.
///
/// It is busy once the vibration has been at or above one threshold for a time, and quiet once it has been below
/// another for a time. Vibration between the two changes nothing and restarts the times. The initial state is quiet,
/// without a report: `quiet` always follows `busy`. A pause between reports of more than 2 s, or a fifth of the shorter
/// time if that is longer, restarts the times.
///
/// It takes 73 bytes, 40 of them the configuration.
public struct BusyDetector: Equatable, Sendable {
  /// A change of state.
  public enum Change: Equatable, Sendable {
    /// The machine has been vibrating since `since`.
    case busy(since: Instant)
    /// The machine was busy and has been at rest since `since`.
    case quiet(since: Instant)
  }

  /// What counts as busy; it cannot change while the detector has state.
  public let configuration: Configuration
  /// Whether the machine is busy.
  public private(set) var isBusy = false
  /// Since when the condition for a change has held.
  private var since: Instant?
  /// When the last report ended.
  private var last: Instant?

  /// A detector for a machine at rest.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Processes the root mean square of the vibration from `start` to `end`. Returns each change once.
  public mutating func step(rms: Q16, from start: Instant, to end: Instant) -> Change? {
    if let last, start - last > configuration.longestGap || start < last { since = nil }
    last = end
    guard isBusy ? rms < configuration.quietThreshold : rms >= configuration.busyThreshold else {
      since = nil
      return nil
    }
    let began = since ?? start
    since = began
    guard end - began >= (isBusy ? configuration.quietTime : configuration.busyTime) else { return nil }
    since = nil
    isBusy = !isBusy
    return isBusy ? .busy(since: began) : .quiet(since: began)
  }

  /// The same with a report.
  public mutating func step(_ report: VibrationReport) -> Change? {
    step(rms: report.level.total, from: report.start, to: report.end)
  }
}

extension BusyDetector {
  /// What counts as busy.
  public struct Configuration: Equatable, Sendable {
    /// A machine with at least this vibration is busy, g. Default 0.05 g.
    public let busyThreshold: Q16
    /// How long the vibration must last, 0…24 h. Default 10 s.
    public let busyTime: Microseconds
    /// A machine with less vibration than this is quiet, g. Default 0.03 g.
    public let quietThreshold: Q16
    /// How long that must last, 0…24 h. Default 120 s: a washing machine rests between two turns of its drum, but for
    /// less.
    public let quietTime: Microseconds
    /// A longer pause between two reports restarts the times. 2 s, or a fifth of the shorter time if that is more.
    let longestGap: Microseconds

    /// A checked configuration. The default threshold for quiet is three fifths of the other one.
    public init(
      busyThreshold: Q16 = Q16(raw: 3_277), busyTime: Microseconds = .seconds(10), quietThreshold: Q16? = nil,
      quietTime: Microseconds = .seconds(120)
    ) throws(VibrationError) {
      let quiet = quietThreshold ?? Q16(raw: (busyThreshold.raw / 5) &* 3)
      guard
        busyThreshold > .zero && busyThreshold <= Q16(whole: 16) && quiet > .zero && quiet <= busyThreshold
      else { throw .threshold }
      let day = Microseconds.seconds(86_400)
      guard busyTime >= .zero && busyTime <= day && quietTime >= .zero && quietTime <= day else { throw .time }
      self.init(checked: busyThreshold, busyTime, quiet, quietTime)
    }

    /// The defaults.
    public static var standard: Configuration {
      Configuration(checked: Q16(raw: 3_277), .seconds(10), Q16(raw: 1_965), .seconds(120))
    }

    private init(
      checked busyThreshold: Q16, _ busyTime: Microseconds, _ quietThreshold: Q16, _ quietTime: Microseconds
    ) {
      (self.busyThreshold, self.busyTime) = (busyThreshold, busyTime)
      (self.quietThreshold, self.quietTime) = (quietThreshold, quietTime)
      longestGap = max(.seconds(2), Microseconds(min(busyTime, quietTime).count / 5))
    }
  }
}
