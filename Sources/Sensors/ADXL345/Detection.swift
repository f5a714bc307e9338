public import FixedPoint

extension ADXL345 {
  /// The events that the part looks for by itself, on data up to 3200 Hz, whatever the output data rate (but inactivity,
  /// which it looks for in the samples).
  ///
  /// Thresholds are rounded to the nearest 62.5 mg, times to the nearest step of their registers; a description that
  /// would round to 0 or does not fit cannot be made, because the part behaves oddly with a threshold of 0.
  ///
  /// - Datasheet: Rev. E, "Interrupts", "Tap detection" and "Threshold".
  public struct Detection: Equatable, Sendable {
    /// Taps, or nil not to look for them.
    public var tap: Tap?
    /// Activity, or nil not to look for it.
    public var activity: Activity?
    /// Inactivity, or nil not to look for it.
    public var inactivity: Inactivity?
    /// Free fall, or nil not to look for it.
    public var freeFall: FreeFall?

    /// Events to look for; by default none.
    public init(
      tap: Tap? = nil, activity: Activity? = nil, inactivity: Inactivity? = nil, freeFall: FreeFall? = nil
    ) {
      self.tap = tap
      self.activity = activity
      self.inactivity = inactivity
      self.freeFall = freeFall
    }

    /// The events looked for: the bits of INT_ENABLE that switch the detectors on.
    public var events: Events {
      var events = tap?.events ?? .none
      if activity != nil { events = events.union(.activity) }
      if inactivity != nil { events = events.union(.inactivity) }
      if freeFall != nil { events = events.union(.freeFall) }
      return events
    }
  }

  /// More than a threshold on any of some axes.
  public struct Activity: Equatable, Sendable {
    var thresholdSteps: Steps
    var side: ActivityField.Side

    /// Activity on any of `axes` of more than `threshold` g (0.0625 to 15.9375), or nil beyond that or without an axis.
    ///
    /// `isRelative` counts from the force when looking began (ac-coupled) instead of from 0 (dc-coupled).
    public init?(threshold: Q16, axes: Axes = .all, isRelative: Bool = true) {
      guard let steps = Steps(force: threshold), !axes.isEmpty else { return nil }
      thresholdSteps = steps
      side = ActivityField.Side(axes: axes, isRelative: isRelative)
    }

    /// The threshold in g, as the part has it.
    public var threshold: Q16 { thresholdSteps.force }
  }

  /// Less than a threshold on all of some axes, for a time.
  public struct Inactivity: Equatable, Sendable {
    var thresholdSteps: Steps
    var timeSteps: Steps
    var side: ActivityField.Side

    /// Inactivity on all of `axes`: less than `threshold` g (0.0625 to 15.9375) for `time` (0 to 255 s), or nil beyond.
    ///
    /// `isRelative` counts from a force that moves along when it is exceeded (ac-coupled) instead of from 0 (dc-coupled).
    /// A time of 0 finds it in the first sample.
    public init?(threshold: Q16, time: Microseconds, axes: Axes = .all, isRelative: Bool = true) {
      guard let steps = Steps(force: threshold), let timeSteps = Steps(time: time, unit: 1_000_000, least: 0),
        !axes.isEmpty
      else { return nil }
      thresholdSteps = steps
      self.timeSteps = timeSteps
      side = ActivityField.Side(axes: axes, isRelative: isRelative)
    }

    /// The threshold in g, as the part has it.
    public var threshold: Q16 { thresholdSteps.force }
    /// The time, as the part has it.
    public var time: Microseconds { timeSteps.time(unit: 1_000_000) }
  }

  /// Less than a threshold on all three axes, for a time.
  public struct FreeFall: Equatable, Sendable {
    var thresholdSteps: Steps
    var timeSteps: Steps

    /// Free fall: less than `threshold` g (0.0625 to 15.9375) for `time` (5 ms to 1.275 s), or nil beyond that.
    ///
    /// The data sheet recommends 0.3 to 0.6 g and 100 to 350 ms.
    ///
    /// - Datasheet: Rev. E, registers 0x28 and 0x29.
    public init?(threshold: Q16, time: Microseconds) {
      guard let steps = Steps(force: threshold), let timeSteps = Steps(time: time, unit: 5_000) else { return nil }
      thresholdSteps = steps
      self.timeSteps = timeSteps
    }

    /// The threshold in g, as the part has it.
    public var threshold: Q16 { thresholdSteps.force }
    /// The time, as the part has it.
    public var time: Microseconds { timeSteps.time(unit: 5_000) }
  }

  /// ACT_INACT_CTL.
  package struct ActivityField: Equatable {
    /// Four bits: one for activity or inactivity each.
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
}
