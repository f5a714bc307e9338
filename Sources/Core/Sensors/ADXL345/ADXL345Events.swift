public import FixedPoint

extension ADXL345 {
  /// A set of events and conditions, as in INT_SOURCE, INT_ENABLE and INT_MAP.
  ///
  /// - Datasheet: Rev. E, registers 0x2E to 0x30.
  public struct Events: Equatable, Sendable {
    /// One bit each.
    public var rawValue: UInt8

    /// Events from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No events.
    public static var none: Events { Events(rawValue: 0x00) }
    /// An unread sample is available. A condition: it ends by itself when all samples are read.
    public static var dataReady: Events { Events(rawValue: 0x80) }
    /// A tap.
    public static var singleTap: Events { Events(rawValue: 0x40) }
    /// A double tap.
    public static var doubleTap: Events { Events(rawValue: 0x20) }
    /// Force above the activity threshold.
    public static var activity: Events { Events(rawValue: 0x10) }
    /// Force below the inactivity threshold, for its time.
    public static var inactivity: Events { Events(rawValue: 0x08) }
    /// Almost no force on any axis, for the configured time.
    public static var freeFall: Events { Events(rawValue: 0x04) }
    /// As many samples wait as the watermark. A condition.
    public static var watermark: Events { Events(rawValue: 0x02) }
    /// An unread sample was replaced, or the FIFO is full. A condition.
    public static var overrun: Events { Events(rawValue: 0x01) }

    /// The three conditions: they end when samples are read, not when events are read.
    public static var conditions: Events { Events(rawValue: 0x83) }

    /// Whether the set is empty.
    public var isEmpty: Bool { rawValue == 0 }
    /// Whether the set contains all of `other`.
    public func contains(_ other: Events) -> Bool { rawValue & other.rawValue == other.rawValue }
    /// The events in either set.
    public func union(_ other: Events) -> Events { Events(rawValue: rawValue | other.rawValue) }
    /// The events in both sets.
    public func intersection(_ other: Events) -> Events { Events(rawValue: rawValue & other.rawValue) }
  }

  /// A set of axes.
  public struct Axes: Equatable, Sendable {
    /// Whether the set contains X.
    public var x: Bool
    /// Whether the set contains Y.
    public var y: Bool
    /// Whether the set contains Z.
    public var z: Bool

    /// Axes; by default none.
    public init(x: Bool = false, y: Bool = false, z: Bool = false) {
      self.x = x
      self.y = y
      self.z = z
    }

    /// All three.
    public static var all: Axes { Axes(x: true, y: true, z: true) }
    /// Whether the set is empty.
    public var isEmpty: Bool { !x && !y && !z }

    /// X is bit 2, Y bit 1, Z bit 0, in every register with three axes.
    var bits: UInt8 { (x ? 4 : 0) | (y ? 2 : 0) | (z ? 1 : 0) }

    init(bits: UInt8) { self.init(x: bits & 4 != 0, y: bits & 2 != 0, z: bits & 1 != 0) }
  }

  /// ACT_TAP_STATUS.
  package struct TapStatusField: Equatable {
    package var activityAxes: Axes
    package var isAsleep: Bool
    package var tapAxes: Axes

    package var encoded: UInt8 { activityAxes.bits &<< 4 | (isAsleep ? 0x08 : 0) | tapAxes.bits }

    /// Nil if bit 7 is set, which always reads 0.
    package init?(decoding byte: UInt8) {
      guard byte & 0x80 == 0 else { return nil }
      activityAxes = Axes(bits: byte &>> 4)
      isAsleep = byte & 0x08 != 0
      tapAxes = Axes(bits: byte)
    }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// The taps and falls in the registers ACT_TAP_STATUS to INT_SOURCE.
  private func findings(_ bytes: InlineArray<6, UInt8>) throws(SensorError) -> Findings {
    guard bytes[1] == configuration.rateField.encoded, bytes[2] == ADXL345.Power.measure,
      bytes[3] == configuration.enabledInterrupts.rawValue,
      bytes[4] == configuration.interrupts.onInterrupt2.rawValue,
      let axes = ADXL345.TapStatusField(decoding: bytes[0])
    else { throw .configurationLost }
    return Findings(ADXL345.Events(rawValue: bytes[5]), axes.tapAxes)
  }

  /// The latest sample, with the taps and falls detected since the last one, if detection is configured.
  ///
  ///     S | addr+W | 2B | Sr | addr+R | ACT_TAP_STATUS … INT_SOURCE DATA_FORMAT X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// A single burst, so the part's findings cost no extra transaction: 13 bytes instead of 7. The axes come before
  /// INT_SOURCE: reading INT_SOURCE allows them to be overwritten. Without such detection it is ``sample()``.
  ///
  /// - Throws: as ``sample()``. Findings cleared by a failed read are lost.
  /// - Datasheet: Rev. E, registers 0x2B to 0x37.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard reportsFindings else { return Measurement(force: try sample()) }
    guard !isUnsettled else { throw .configurationLost }
    var bytes = InlineArray<13, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.tapStatus, into: &bytes)
    let format = configuration.dataFormat
    guard bytes[6] == format.encoded else { throw .configurationLost }
    return Measurement(
      force: format.specificForce((bytes[7], bytes[8]), (bytes[9], bytes[10]), (bytes[11], bytes[12])),
      findings: try findings([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]]))
  }

  /// Adds the part's findings up to now to the last of `samples`; if there is none, they stay in the part.
  ///
  ///     S | addr+W | 2B | Sr | addr+R | ACT_TAP_STATUS BW_RATE POWER_CTL INT_ENABLE INT_MAP INT_SOURCE | P
  mutating func mark(_ samples: inout SampleBatch) throws(SensorError) {
    guard reportsFindings, samples.count > 0 else { return }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.tapStatus, into: &bytes)
    _ = samples.mark(try findings(bytes))
  }
}

extension ADXL345.Events {
  /// The events that measurements report.
  static var findings: ADXL345.Events { ADXL345.Events(rawValue: 0x64) }
}

extension ADXL345.Detection {
  /// Whether it includes events that measurements report.
  var hasFindings: Bool { !events.intersection(.findings).isEmpty }
}

extension Findings {
  /// The taps and falls in `events`; `axes` are those of the last tap.
  fileprivate init(_ events: ADXL345.Events, _ axes: ADXL345.Axes) {
    let tapBits: UInt8 = (events.contains(.singleTap) ? 0x10 : 0) | (events.contains(.doubleTap) ? 0x20 : 0)
    let axisBits: UInt8 = (axes.x ? 1 : 0) | (axes.y ? 2 : 0) | (axes.z ? 4 : 0)
    self.init(rawValue: tapBits | (tapBits != 0 ? axisBits : 0) | (events.contains(.freeFall) ? 0x40 : 0))
  }
}

extension ADXL345 {
  /// The events that the part detects itself, using data at up to 3200 Hz, whatever the output data rate.
  ///
  /// Thresholds are rounded to the nearest 62.5 mg, times to the nearest step of their registers. Values that would
  /// round to 0 or do not fit are rejected, because the part behaves oddly with a threshold of 0.
  ///
  /// - Datasheet: Rev. E, "Interrupts", "Tap detection" and "Threshold".
  public struct Detection: Equatable, Sendable {
    /// The taps to detect; nil for none.
    public var tap: Tap?
    /// The free fall to detect; nil for none.
    public var freeFall: FreeFall?

    /// Events to detect; by default none.
    public init(tap: Tap? = nil, freeFall: FreeFall? = nil) {
      self.tap = tap
      self.freeFall = freeFall
    }

    /// The events to detect: the bits of INT_ENABLE that switch the detectors on.
    public var events: Events {
      var events = tap?.events ?? .none
      if freeFall != nil { events = events.union(.freeFall) }
      return events
    }
  }

  /// A force below a threshold on all three axes, for a time.
  public struct FreeFall: Equatable, Sendable {
    var thresholdSteps: Steps
    var timeSteps: Steps

    /// Free fall: less than `threshold` g (0.0625 to 15.9375) for `time` (5 ms to 1.275 s), or nil outside these
    /// limits.
    ///
    /// The data sheet recommends 0.3 to 0.6 g and 100 to 350 ms.
    ///
    /// - Datasheet: Rev. E, registers 0x28 and 0x29.
    public init?(threshold: Q16, time: Microseconds) {
      guard let steps = Steps(force: threshold), let timeSteps = Steps(time: time, unit: 5_000) else { return nil }
      thresholdSteps = steps
      self.timeSteps = timeSteps
    }

    /// The threshold in g, as rounded for the part.
    public var threshold: Q16 { thresholdSteps.force }
    /// The time, as rounded for the part.
    public var time: Microseconds { timeSteps.time(unit: 5_000) }
  }

  /// ACT_INACT_CTL.
  package struct ActivityField: Equatable {
    /// Four bits: one such group each for activity and inactivity.
    package struct Side: Equatable, Sendable {
      package var axes = Axes()
      package var isRelative = false

      package var bits: UInt8 { (isRelative ? 0x08 : 0) | axes.bits }
    }

    package var activity: Side
    package var inactivity: Side

    package var encoded: UInt8 { activity.bits &<< 4 | inactivity.bits }

    package init(decoding byte: UInt8) {
      activity = Side(axes: Axes(bits: byte &>> 4), isRelative: byte & 0x80 != 0)
      inactivity = Side(axes: Axes(bits: byte), isRelative: byte & 0x08 != 0)
    }

    package init(activity: Side, inactivity: Side) {
      self.activity = activity
      self.inactivity = inactivity
    }
  }

  /// A short force above a threshold.
  ///
  /// - Datasheet: Rev. E, "Tap detection", and registers 0x1D, 0x21 to 0x23 and 0x2A.
  public struct Tap: Equatable, Sendable {
    /// Which taps are events.
    public enum Kind: Equatable, Sendable {
      /// Every tap.
      case single
      /// Two successive taps.
      case double(SecondTap)
      /// Both; a single tap is then reported once it is clear that no second one follows.
      case singleAndDouble(SecondTap)
    }

    /// Which taps are events.
    public let kind: Kind
    /// The axes on which taps are detected.
    public let axes: Axes
    var thresholdSteps: Steps
    var durationSteps: Steps

    /// A tap: more than `threshold` g (0.0625 to 15.9375) for less than `duration` (0.625 to 159.375 ms) on one of
    /// `axes`, or nil outside these limits or without an axis.
    ///
    /// The data sheet recommends starting with more than 3 g and more than 10 ms.
    public init?(threshold: Q16, duration: Microseconds, axes: Axes = .all, kind: Kind = .single) {
      guard let steps = Steps(force: threshold), let durationSteps = Steps(time: duration, unit: 625), !axes.isEmpty
      else { return nil }
      thresholdSteps = steps
      self.durationSteps = durationSteps
      self.axes = axes
      self.kind = kind
    }

    /// The threshold in g, as rounded for the part.
    public var threshold: Q16 { thresholdSteps.force }
    /// The longest tap, as rounded for the part.
    public var duration: Microseconds { durationSteps.time(unit: 625) }

    var events: Events {
      switch kind {
      case .single: .singleTap
      case .double: .doubleTap
      case .singleAndDouble: Events.singleTap.union(.doubleTap)
      }
    }

    var second: SecondTap? {
      switch kind {
      case .single: nil
      case .double(let second), .singleAndDouble(let second): second
      }
    }

    var axesField: TapAxesField { TapAxesField(axes: axes, isSuppressed: second?.rejectsUnrest ?? false) }
  }

  /// What makes two taps a double tap.
  public struct SecondTap: Equatable, Sendable {
    /// Whether a force above the threshold between the taps makes them two single taps (Suppress).
    public let rejectsUnrest: Bool
    var latencySteps: Steps
    var windowSteps: Steps

    /// The second tap must begin `latency` after the end of the first, and within `window` after that (both 1.25 to
    /// 318.75 ms); nil outside these limits.
    ///
    /// The data sheet recommends starting with more than 20 ms and more than 80 ms.
    public init?(latency: Microseconds, window: Microseconds, rejectsUnrest: Bool = false) {
      guard let latencySteps = Steps(time: latency, unit: 1_250), let windowSteps = Steps(time: window, unit: 1_250)
      else { return nil }
      self.latencySteps = latencySteps
      self.windowSteps = windowSteps
      self.rejectsUnrest = rejectsUnrest
    }

    /// The latency, as rounded for the part.
    public var latency: Microseconds { latencySteps.time(unit: 1_250) }
    /// The window, as rounded for the part.
    public var window: Microseconds { windowSteps.time(unit: 1_250) }
  }

  /// TAP_AXES.
  package struct TapAxesField: Equatable {
    package var axes: Axes
    package var isSuppressed: Bool

    package var encoded: UInt8 { (isSuppressed ? 0x08 : 0) | axes.bits }

    /// Nil if any of bits 7 to 4 is set, which the data sheet requires to be 0.
    package init?(decoding byte: UInt8) {
      guard byte & 0xF0 == 0 else { return nil }
      self.init(axes: Axes(bits: byte), isSuppressed: byte & 0x08 != 0)
    }

    package init(axes: Axes, isSuppressed: Bool) {
      self.axes = axes
      self.isSuppressed = isSuppressed
    }
  }
}

/// The content of a detector register: a number of steps of 62.5 mg or of some time.
struct Steps: Equatable, Sendable {
  var rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `force` g in steps of 62.5 mg, rounded to nearest (ties up); nil if the result is not in 1…255.
  init?(force: Q16) { self.init(widened(force.raw), of: 4_096) }

  /// `time` in steps of `unit` microseconds, rounded to nearest (ties up); nil if the result is not in 1…255.
  init?(time: Microseconds, unit: Int64) { self.init(time.count, of: unit) }

  private init?(_ value: Int64, of unit: Int64) {
    guard value >= 0 && value < unit &* 256 else { return nil }
    let steps = saturated((value &+ unit / 2) / unit)
    guard steps >= 1 && steps <= 255 else { return nil }
    rawValue = UInt8(truncatingIfNeeded: steps)
  }

  /// The force in g, in steps of 62.5 mg: exact.
  var force: Q16 { Q16(raw: Int32(rawValue) &* 4_096) }

  /// The time, in steps of `unit` microseconds.
  func time(unit: Int64) -> Microseconds { Microseconds(widened(Int32(rawValue)) &* unit) }
}
