public import FixedPoint

/// Finds free fall in samples and reports its duration when the board lands.
///
/// A board falls while the force on all three axes is below the threshold for at least the minimum time. The duration
/// runs from the first such sample to the first heavier one, accurate to one sample period. If the sensor detects falls
/// itself, it decides whether there was a fall, and the samples give the duration; a fall between two samples is
/// reported with the minimum time.
///
/// - Datasheet: ADXL345 Rev. E, "Interrupts", FREE_FALL, and registers 0x28 and 0x29.
public struct FallDetector: Equatable, Sendable {
  /// What counts as a fall; it cannot change while the detector has state.
  public let configuration: Configuration

  /// Since when every axis has been below the threshold; nil if one is not.
  private var since: Instant?
  /// Whether a fall is in progress.
  private var isFalling = false
  /// The duration of the last weightless period that was not reported.
  private var unreported: Microseconds?
  private var lastSample: Instant?
  private var lastReport: Instant?

  /// A detector without samples.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Processes the specific force at `now`, g; returns the duration of a fall with the sample that ends it.
  ///
  /// `finding` is whether the sensor has detected a fall since the last sample; nil for a sensor without fall
  /// detection. A pause over the longest gap, or time that runs backwards, ends a fall without a report.
  public mutating func step(_ force: Vector3, finding: Bool? = nil, at now: Instant) -> Microseconds? {
    if let lastSample, UInt64(bitPattern: (now - lastSample).count) > UInt64(bitPattern: configuration.longestGap.count)
    {
      (since, isFalling, unreported) = (nil, false, nil)
    }
    lastSample = now
    guard configuration.isLight(force) else { return land(finding, at: now) }
    if since == nil { (since, isFalling, unreported) = (now, false, nil) }
    let span = now - (since ?? now)
    isFalling = isFalling || isFall(finding, span, at: now)
    return nil
  }

  /// Whether the sensor's finding, or the weightless time if the sensor has no fall detection, amounts to a fall.
  ///
  /// A sensor keeps reporting a fall that lasts: a finding within a second after a landing belongs to that fall, unless
  /// the samples show another one, longer than a bounce.
  private func isFall(_ finding: Bool?, _ span: Microseconds?, at now: Instant) -> Bool {
    let isLong = span.map { $0 >= configuration.time } ?? false
    guard let finding else { return isLong }
    let isRecent = lastReport.map { now - $0 < .seconds(1) } ?? false
    return finding && (isLong || !isRecent)
  }

  /// Handles a sample with weight: the end of a fall, or no fall.
  private mutating func land(_ finding: Bool?, at now: Instant) -> Microseconds? {
    let span = since.map { now - $0 }
    since = nil
    // The sample that ends a fall proves its duration, even if no earlier sample did.
    let isFall = isFalling || isFall(finding, span, at: now)
    isFalling = false
    guard isFall else {
      if let span { unreported = span }
      return nil
    }
    let time = max(span ?? unreported ?? .zero, configuration.time)
    unreported = nil
    lastReport = now
    return time
  }
}

/// Why a configuration is invalid.
public enum FallConfigurationError: Error, Equatable, Sendable {
  /// The threshold must be 0.0625…0.9375 g.
  case threshold
  /// The time must be 5…1275 ms.
  case time
  /// The longest gap between samples must be 1 µs…1 h.
  case longestGap
}

extension FallDetector {
  /// What counts as a fall. The limits are those of the ADXL345, so that one configuration works for all sensors.
  public struct Configuration: Equatable, Sendable {
    /// No axis reaches this in a fall, g, 0.0625…0.9375. Default 0.375 g; at rest at least one axis has 0.577 g or
    /// more.
    public let threshold: Q16
    /// The shortest fall, 5 ms…1.275 s. Default 100 ms: 5 cm.
    public let time: Microseconds
    /// A longer pause between samples ends a fall, 1 µs…1 h. Default 250 ms.
    public private(set) var longestGap: Microseconds

    /// A checked configuration. The error names the first value that is out of range.
    public init(
      threshold: Q16 = Q16(3, over: 8), time: Microseconds = .milliseconds(100),
      longestGap: Microseconds = .milliseconds(250)
    ) throws(FallConfigurationError) {
      guard threshold >= Q16(1, over: 16) && threshold <= Q16(15, over: 16) else { throw .threshold }
      guard time >= .milliseconds(5) && time <= .milliseconds(1_275) else { throw .time }
      guard longestGap > .zero && longestGap <= .seconds(3_600) else { throw .longestGap }
      self.init(checked: threshold, time, longestGap)
    }

    /// The defaults.
    public static var standard: Configuration {
      Configuration(checked: Q16(3, over: 8), .milliseconds(100), .milliseconds(250))
    }

    /// The same configuration, with a pause of up to `pause`, at most 1 h, not counting as a gap.
    package func allowing(pause: Microseconds) -> Configuration {
      var copy = self
      copy.longestGap = max(longestGap, min(pause, .seconds(3_600)))
      return copy
    }

    private init(checked threshold: Q16, _ time: Microseconds, _ longestGap: Microseconds) {
      self.threshold = threshold
      self.time = time
      self.longestGap = longestGap
    }

    /// Whether no axis of `force` reaches the threshold.
    func isLight(_ force: Vector3) -> Bool {
      let limit = threshold.raw.magnitude
      return force.x.raw.magnitude < limit && force.y.raw.magnitude < limit && force.z.raw.magnitude < limit
    }
  }
}

extension FallDetector {
  /// How far a board falls in `time`, at most 60 s: half of g times the time squared, in millimetres, rounded to
  /// nearest.
  ///
  /// - Source: standard gravity, 9.80665 m/s² (ISO 80000-3).
  public static func millimetres(in time: Microseconds) -> Int32 {
    let tenths = (max(0, min(60_000_000, time.count)) &+ 50) / 100
    // In tenths of a millisecond: 4903.325 mm/s² are 4 903 325 of 10^11.
    return saturated((tenths &* tenths &* 4_903_325 &+ 50_000_000_000) / 100_000_000_000)
  }
}
