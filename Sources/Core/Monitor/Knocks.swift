internal import FixedPoint
public import Gestures
internal import Indication
internal import Orientation
internal import Sensors

/// Taps on a board and its falls, as the sensor finds them or as its samples show.
///
/// Pure, as the monitor that it belongs to.
public struct Knocks: Equatable, Sendable {
  /// What is looked for, and by whom.
  public struct Configuration: Equatable, Sendable {
    /// What counts as a tap; nil where none is reported.
    public var taps: TapDetector.Configuration?
    /// What counts as a fall; nil where none is reported.
    public var fall: FallDetector.Configuration?
    /// Whether the sensor finds them by itself, so that the samples say only to which side and for how long.
    public var areFoundBySensor: Bool

    /// A configuration; nil where there is nothing to look for.
    public init?(taps: TapDetector.Configuration?, fall: FallDetector.Configuration?, areFoundBySensor: Bool) {
      guard taps != nil || fall != nil else { return nil }
      self.taps = taps
      self.fall = fall
      self.areFoundBySensor = areFoundBySensor
    }
  }

  /// The LEDs' flashes.
  var flash = Flash()
  private var taps = Taps.ignored
  private var fall: FallDetector?
  private let areFoundBySensor: Bool
  /// Whether LEDs flash: not where lines are a code for another controller.
  private let flashes: Bool

  /// Who finds taps.
  private enum Taps: Equatable, Sendable {
    case ignored, inSamples(TapDetector), bySensor(FoundTaps)
  }

  /// Nothing found yet, of a board whose samples come at most `pause` apart.
  init(_ configuration: Configuration, pause: Microseconds, flashes: Bool) {
    self.flashes = flashes
    areFoundBySensor = configuration.areFoundBySensor
    fall = configuration.fall.map { FallDetector($0.allowing(pause: pause)) }
    guard let wanted = configuration.taps else { return }
    taps =
      areFoundBySensor
      ? .bySensor(FoundTaps(wanted, pause: .milliseconds(100) + pause)) : .inSamples(TapDetector(wanted))
  }

  /// Takes in a sample, and what the sensor has found in the board's frame; LEDs flash from `now` on.
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
    switch taps {
    case .ignored: return nil
    case .inSamples(var detector):
      let found = detector.step(reading.force, at: reading.instant)
      taps = .inSamples(detector)
      return found
    case .bySensor(var sides):
      let found = sides.step(
        motion: reading.motion, single: findings.singleTap, double: findings.doubleTap,
        on: Tap.Axes(bits: findings.tapAxes), at: reading.instant)
      taps = .bySensor(sides)
      return found
    }
  }
}

extension Alignment {
  /// What a sensor found in its own frame, in the board's.
  func applied(to findings: Findings) -> Findings {
    guard findings.tapAxes != 0 else { return findings }
    return findings.withTap(onAxes: axes(ofSensor: findings.tapAxes))
  }
}
