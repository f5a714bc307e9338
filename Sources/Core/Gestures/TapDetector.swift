public import FixedPoint

/// Finds taps and double taps in samples, by the rule of the ADXL345, for sensors that cannot do so themselves.
///
/// A tap begins with the first sample of which an axis that counts exceeds the threshold, either way, and ends with the
/// first of which none does; it lasts no longer than `duration`. A second one that begins in the `window`, which opens
/// `latency` after the end of the first, makes it a double tap, and the first is not reported by itself. What exceeds
/// the threshold within the latency is ringing and does not count; what does so when the window opens, or for too long,
/// spoils the second tap, and all is ignored until it is over.
///
/// The force counts as it is measured, with gravity in it. A tap lasts 5 to 20 ms: one that exceeds the threshold for
/// at least a sample's period is always seen, a shorter one by chance. 200 samples a second are the least that makes
/// sense.
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
  /// A pause of more than 100 ms, or time that runs backwards, ends what is under way: of two taps only the first
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

  /// Ends what is under way with `finding`; what is above the threshold now has to end before anything else begins.
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
  /// There must be an axis.
  case axes
}

extension TapDetector {
  /// What counts as a tap. The limits are those of the ADXL345, so that one configuration is good for all sensors.
  public struct Configuration: Equatable, Sendable {
    /// The force that a tap exceeds, g, 0.0625…15.9375. Default 3 g.
    public let threshold: Q16
    /// The longest tap, 0.625…159.375 ms. Default 20 ms.
    public let duration: Microseconds
    /// After a tap the second is not looked for so long, 1.25…318.75 ms. Default 80 ms, in which a board rings.
    public let latency: Microseconds
    /// The second tap begins within so long after that, 1.25…318.75 ms. Default 300 ms.
    public let window: Microseconds
    /// The axes of the board on which taps count. Default all.
    public let axes: Tap.Axes
    /// Whether two taps can be a double tap; a single one is then reported when it is clear that no second follows:
    /// after latency and window. Default yes.
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

    /// How long after the beginning of a tap it can still be reported, where a second is waited for.
    package var longestWait: Microseconds { duration + (findsDoubleTaps ? latency + window + duration : .zero) }

    /// The axes that count of which `force` exceeds the threshold, either way.
    func axesAbove(_ force: Vector3) -> Tap.Axes {
      let limit = threshold.raw.magnitude
      let above: UInt8 =
        (force.x.raw.magnitude > limit ? 1 : 0) | (force.y.raw.magnitude > limit ? 2 : 0)
        | (force.z.raw.magnitude > limit ? 4 : 0)
      return Tap.Axes(bits: above & axes.bits)
    }
  }
}

/// Makes taps of what a sensor finds by itself, which are axes without a sign.
public struct FoundTaps: Equatable, Sendable {
  /// The least motion that shows a side.
  private let least: Q16
  private let memory: Microseconds
  private var side = TapSide()

  /// For a sensor with this configuration, whose samples are reported at most `pause` after they were made.
  public init(_ configuration: TapDetector.Configuration, pause: Microseconds) {
    least = Q16(raw: configuration.threshold.raw / 4)
    memory = configuration.longestWait + pause
  }

  /// Takes in the motion of the sample at `now`, g without gravity, and what the sensor has found since the last one.
  ///
  /// The sign is that of the strongest sample of the last moments; 0 where none reached a quarter of the threshold.
  public mutating func step(
    motion: Vector3, single: Bool, double: Bool, on axes: Tap.Axes, at now: Instant
  ) -> TapDetector.Finding? {
    side.step(motion, at: now, memory: memory)
    guard single || double else { return nil }
    let tap = side.tap(on: axes, least: least)
    return double ? .doubleTap(tap) : .tap(tap)
  }
}
