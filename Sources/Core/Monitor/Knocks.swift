internal import FixedPoint
public import Gestures
internal import Indication
internal import Orientation
internal import Sensors

/// Taps on a board and its falls, found by the sensor or in its samples.
///
/// Pure, like the monitor that it belongs to.
public struct Knocks: Equatable, Sendable {
  /// What to look for, and who looks.
  public struct Configuration: Equatable, Sendable {
    /// What counts as a tap; nil to report none.
    public var taps: TapDetector.Configuration?
    /// What counts as a fall; nil to report none.
    public var fall: FallDetector.Configuration?
    /// Whether the sensor finds them itself; samples then provide only the direction and the duration.
    public var areFoundBySensor: Bool

    /// A configuration; nil if there is nothing to look for.
    public init?(taps: TapDetector.Configuration?, fall: FallDetector.Configuration?, areFoundBySensor: Bool) {
      guard taps != nil || fall != nil else { return nil }
      self.taps = taps
      self.fall = fall
      self.areFoundBySensor = areFoundBySensor
    }
  }

  /// The LEDs' flashes.
  var flash = Flash()
  // Fields rather than one enumeration, so that no step copies them.
  /// Finds taps in samples; nil if the sensor finds them, or if they are ignored.
  private var tapsInSamples: TapDetector?
  /// Counts the taps that the sensor finds; nil if it finds none.
  private var tapsOfSensor: FoundTaps?
  private var fall: FallDetector?
  private let areFoundBySensor: Bool
  /// Whether LEDs flash: not if lines are a code for another controller.
  private let flashes: Bool

  /// The initial state for a board whose samples are at most `pause` apart.
  init(_ configuration: Configuration, pause: Microseconds, flashes: Bool) {
    self.flashes = flashes
    areFoundBySensor = configuration.areFoundBySensor
    fall = configuration.fall.map { FallDetector($0.allowing(pause: pause)) }
    guard let wanted = configuration.taps else { return }
    if areFoundBySensor {
      tapsOfSensor = FoundTaps(wanted, pause: .milliseconds(100) + pause)
    } else {
      tapsInSamples = TapDetector(wanted)
    }
  }

  /// Takes in a sample, and the sensor's findings in the board's frame; LEDs flash from `now` on.
  mutating func step(_ reading: Reading, _ findings: Findings, shownAt now: Instant, _ events: inout Events) {
    let instant = reading.instant
    switch tap(in: reading, findings) {
    case .tap(let tap):
      events.append(.tap(tap), at: instant)
      if flashes { flash.begin(1, at: now) }
    case .doubleTap(let tap):
      events.append(.doubleTap(tap), at: instant)
      if flashes { flash.begin(2, at: now) }
    case nil: break
    }
    let finding = areFoundBySensor ? findings.freeFall : nil
    if let time = fall?.step(reading.force, finding: finding, at: instant) {
      events.append(.freeFall(time), at: instant)
    }
  }
}

extension Knocks {
  /// The tap that a sample completes, or that the sensor has found.
  private mutating func tap(in reading: Reading, _ findings: Findings) -> TapDetector.Finding? {
    tapsInSamples?.step(reading.force, at: reading.instant)
      ?? tapsOfSensor?.step(
        motion: reading.motion, single: findings.singleTap, double: findings.doubleTap,
        on: Tap.Axes(bits: findings.tapAxes), at: reading.instant)
  }
}

extension Alignment {
  /// Converts a sensor's findings from its own frame to the board's.
  func applied(to findings: Findings) -> Findings {
    guard findings.tapAxes != 0 else { return findings }
    return findings.withTap(onAxes: axes(ofSensor: findings.tapAxes))
  }
}
