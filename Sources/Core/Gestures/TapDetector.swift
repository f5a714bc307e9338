public import FixedPoint

/// Finds taps and double taps in samples, by the rule of the ADXL345, for sensors without tap detection.
///
/// A tap begins with the first sample in which a relevant axis exceeds the threshold, in either direction, and ends
/// with the first in which none does; it lasts no longer than `duration`. A second tap that begins in the `window`,
/// which opens `latency` after the end of the first, makes it a double tap, and the first is not reported separately. A
/// force above the threshold within the latency is ringing and does not count. One that is still above when the window
/// opens, or for too long, invalidates the second tap, and everything is ignored until it ends.
///
/// The force is used as measured, including gravity. A tap lasts 5 to 20 ms: if it exceeds the threshold for at least a
/// sample period it is always detected, otherwise by chance. Use at least 200 samples a second.
///
/// - Datasheet: ADXL345 Rev. E, "Tap detection".
public struct TapDetector: Equatable, Sendable {
  /// What counts as a tap; it cannot change while the detector has state.
  public let configuration: Configuration

  /// What a sample completes.
  public enum Finding: Equatable, Sendable {
    /// A tap.
    case tap(Tap)
    /// Two taps; the axis and sign are those of the first.
    case doubleTap(Tap)
  }

  private enum Phase: Equatable, Sendable { case quiet, first, latency, window, second, spent }

  private var phase = Phase.quiet
  /// When the phase began.
  private var since = Instant(microseconds: 0)
  private var lastSample = Instant(microseconds: 0)
  /// The first tap.
  private var tap = Tap(.x, sign: 0)

  /// A detector without samples.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Processes the specific force at `now`, g, and returns the tap that it completes.
  ///
  /// A pause of more than 100 ms, or time that runs backwards, ends the tap in progress: of two taps only the first
  /// counts.
  public mutating func step(_ force: Vector3, at now: Instant) -> Finding? {
    // Unsigned, so that one comparison finds time running backwards, too.
    let pause = UInt64(bitPattern: (now - lastSample).count)
    lastSample = now
    if phase != .quiet && pause > 100_000 { return interrupt() }
    let above = configuration.axesAbove(force)
    let (isAbove, elapsed) = (!above.isEmpty, now - since)
    switch phase {
    case .quiet:
      guard isAbove else { return nil }
      let axis = above.longest(of: force)
      tap = Tap(axis, sign: axis.component(of: force))
      enter(.first, at: now)
    case .first:
      guard elapsed <= configuration.duration else { return end(isAbove, nil) }
      guard !isAbove else { return nil }
      guard configuration.findsDoubleTaps else { return end(false, .tap(tap)) }
      enter(.latency, at: now)
    case .latency:
      guard elapsed >= configuration.latency else { return nil }
      guard !isAbove else { return end(true, .tap(tap)) }
      enter(.window, at: since + configuration.latency)
    case .window:
      if isAbove {
        enter(.second, at: now)
      } else if elapsed >= configuration.window {
        return end(false, .tap(tap))
      }
    case .second:
      guard elapsed <= configuration.duration else { return end(isAbove, .tap(tap)) }
      guard isAbove else { return end(false, .doubleTap(tap)) }
    case .spent: if !isAbove { phase = .quiet }
    }
    return nil
  }

  private mutating func enter(_ next: Phase, at now: Instant) { (phase, since) = (next, now) }

  /// Ends the tap in progress with `finding`; a force still above the threshold must end before another tap begins.
  private mutating func end(_ isAbove: Bool, _ finding: Finding?) -> Finding? {
    phase = isAbove ? .spent : .quiet
    return finding
  }

  private mutating func interrupt() -> Finding? {
    let hasTap = phase == .latency || phase == .window || phase == .second
    phase = .quiet
    return hasTap ? .tap(tap) : nil
  }
}

/// Why a configuration is invalid.
public enum TapConfigurationError: Error, Equatable, Sendable {
  /// The threshold must be 0.0625…15.9375 g.
  case threshold
  /// The duration must be 0.625…159.375 ms.
  case duration
  /// The latency must be 1.25…318.75 ms.
  case latency
  /// The window must be 1.25…318.75 ms.
  case window
  /// There must be at least one axis.
  case axes
}

extension TapDetector {
  /// What counts as a tap. The limits are those of the ADXL345, so that one configuration works for all sensors.
  public struct Configuration: Equatable, Sendable {
    /// The force that a tap exceeds, g, 0.0625…15.9375. Default 3 g.
    public let threshold: Q16
    /// The longest tap, 0.625…159.375 ms. Default 20 ms.
    public let duration: Microseconds
    /// How long after a tap a second one is ignored, 1.25…318.75 ms. Default 80 ms, during which a board rings.
    public let latency: Microseconds
    /// How long after that the second tap may begin, 1.25…318.75 ms. Default 300 ms.
    public let window: Microseconds
    /// The axes of the board on which taps count. Default all.
    public let axes: Tap.Axes
    /// Whether two taps can be a double tap. A single tap is then reported only once no second can follow: after
    /// latency and window. Default yes.
    public let findsDoubleTaps: Bool

    /// A checked configuration. The error names the first value that is out of range.
    public init(
      threshold: Q16 = Q16(whole: 3), duration: Microseconds = .milliseconds(20),
      latency: Microseconds = .milliseconds(80), window: Microseconds = .milliseconds(300), axes: Tap.Axes = .all,
      findsDoubleTaps: Bool = true
    ) throws(TapConfigurationError) {
      guard threshold >= Q16(1, over: 16) && threshold <= Q16(255, over: 16) else { throw .threshold }
      guard duration >= Microseconds(625) && duration <= Microseconds(159_375) else { throw .duration }
      guard latency >= Microseconds(1_250) && latency <= Microseconds(318_750) else { throw .latency }
      guard window >= Microseconds(1_250) && window <= Microseconds(318_750) else { throw .window }
      guard !axes.isEmpty else { throw .axes }
      self.init(checked: threshold, duration, latency, window, axes, findsDoubleTaps)
    }

    /// The defaults.
    public static var standard: Configuration {
      Configuration(
        checked: Q16(whole: 3), .milliseconds(20), .milliseconds(80), .milliseconds(300), .all, true)
    }

    private init(
      checked threshold: Q16, _ duration: Microseconds, _ latency: Microseconds, _ window: Microseconds,
      _ axes: Tap.Axes, _ findsDoubleTaps: Bool
    ) {
      self.threshold = threshold
      self.duration = duration
      self.latency = latency
      self.window = window
      self.axes = axes
      self.findsDoubleTaps = findsDoubleTaps
    }

    /// How long after its beginning a tap may still be reported, including the wait for a second one.
    package var longestWait: Microseconds { duration + (findsDoubleTaps ? latency + window + duration : .zero) }

    /// The relevant axes on which `force` exceeds the threshold, in either direction.
    func axesAbove(_ force: Vector3) -> Tap.Axes {
      let limit = threshold.raw.magnitude
      let above: UInt8 =
        (force.x.raw.magnitude > limit ? 1 : 0) | (force.y.raw.magnitude > limit ? 2 : 0)
        | (force.z.raw.magnitude > limit ? 4 : 0)
      return Tap.Axes(bits: above & axes.bits)
    }
  }
}

/// Converts the findings of a sensor with tap detection, which are axes without a sign, to taps.
public struct FoundTaps: Equatable, Sendable {
  /// The least motion that indicates a direction.
  private let least: Q16
  private let memory: Microseconds
  private var side = TapSide()

  /// For a sensor with this configuration whose samples are reported at most `pause` after they were taken.
  public init(_ configuration: TapDetector.Configuration, pause: Microseconds) {
    least = Q16(raw: configuration.threshold.raw / 4)
    memory = configuration.longestWait + pause
  }

  /// Takes in the motion of the sample at `now`, g without gravity, and what the sensor has found since the last
  /// sample.
  ///
  /// The sign is that of the strongest recent sample; 0 if none reached a quarter of the threshold.
  public mutating func step(
    motion: Vector3, single: Bool, double: Bool, on axes: Tap.Axes, at now: Instant
  ) -> TapDetector.Finding? {
    side.step(motion, at: now, memory: memory)
    guard single || double else { return nil }
    let tap = side.tap(on: axes, least: least)
    return double ? .doubleTap(tap) : .tap(tap)
  }
}
