public import FixedPoint

/// Tells when a machine begins to vibrate and when it has come to rest: a washing machine that is done.
///
/// It is busy once the vibration has been at least a threshold for a time, and quiet once it has been below another one
/// for a time; what lies between the two changes nothing, and begins the times anew. It starts as quiet, and says
/// nothing about that: `quiet` always comes after `busy`. A pause between reports, longer than 2 s and than a fifth of
/// the shorter time, begins the times anew.
///
/// It takes 73 bytes, 40 of them the configuration.
public struct BusyDetector: Equatable, Sendable {
  /// What happened.
  public enum Change: Equatable, Sendable {
    /// The machine vibrates, since `since`.
    case busy(since: Instant)
    /// It is at rest after it was busy, since `since`.
    case quiet(since: Instant)
  }

  /// What counts as busy; it cannot change while the detector has state.
  public let configuration: Configuration
  /// Whether the machine is busy.
  public private(set) var isBusy = false
  /// Since when it has been as it must be for a change.
  private var since: Instant?
  /// When the last report ended.
  private var last: Instant?

  /// A detector of a machine at rest.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Processes the root mean square of the vibration from `start` to `end`. Returns a change, once each.
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

  /// The same for a report.
  public mutating func step(_ report: VibrationReport) -> Change? {
    step(rms: report.level.total, from: report.start, to: report.end)
  }
}

extension BusyDetector {
  /// What counts as busy.
  public struct Configuration: Equatable, Sendable {
    /// From this vibration on a machine is busy, g. Default 0.05 g.
    public let busyThreshold: Q16
    /// For how long, 0…24 h. Default 10 s.
    public let busyTime: Microseconds
    /// Below this vibration a machine is quiet, g. Default 0.03 g.
    public let quietThreshold: Q16
    /// For how long, 0…24 h. Default 120 s: a washing machine rests between two turns of its drum, but not so long.
    public let quietTime: Microseconds
    /// After a longer pause between two reports the times begin anew. 2 s, or a fifth of the shorter time if that is
    /// more.
    let longestGap: Microseconds

    /// A checked configuration. Without a threshold for quiet it is three fifths of the other one.
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
