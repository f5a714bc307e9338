public import FixedPoint

extension ADXL345 {
  /// A short force above a threshold.
  ///
  /// - Datasheet: Rev. E, "Tap detection", and registers 0x1D, 0x21 to 0x23 and 0x2A.
  public struct Tap: Equatable, Sendable {
    /// Which taps are events.
    public enum Kind: Equatable, Sendable {
      /// Each tap.
      case single
      /// Two taps one after the other.
      case double(SecondTap)
      /// Both; a single tap is then told when it is clear whether a second one follows.
      case singleAndDouble(SecondTap)
    }

    /// Which taps are events.
    public let kind: Kind
    /// The axes on which taps count.
    public let axes: Axes
    var thresholdSteps: Steps
    var durationSteps: Steps

    /// A tap: more than `threshold` g (0.0625 to 15.9375) for less than `duration` (0.625 to 159.375 ms) on one of `axes`, or
    /// nil beyond that or without an axis.
    ///
    /// The data sheet recommends more than 3 g and more than 10 ms to begin with.
    public init?(threshold: Q16, duration: Microseconds, axes: Axes = .all, kind: Kind = .single) {
      guard let steps = Steps(force: threshold), let durationSteps = Steps(time: duration, unit: 625), !axes.isEmpty
      else { return nil }
      thresholdSteps = steps
      self.durationSteps = durationSteps
      self.axes = axes
      self.kind = kind
    }

    /// The threshold in g, as the part has it.
    public var threshold: Q16 { thresholdSteps.force }
    /// The longest tap, as the part has it.
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
    /// Whether a force above the threshold between the taps makes them two single ones (Suppress).
    public let rejectsUnrest: Bool
    var latencySteps: Steps
    var windowSteps: Steps

    /// The second tap must begin after `latency` from the end of the first, and within `window` after that (1.25 to 318.75 ms
    /// both), or nil beyond that.
    ///
    /// The data sheet recommends more than 20 ms and more than 80 ms to begin with.
    public init?(latency: Microseconds, window: Microseconds, rejectsUnrest: Bool = false) {
      guard let latencySteps = Steps(time: latency, unit: 1_250), let windowSteps = Steps(time: window, unit: 1_250)
      else { return nil }
      self.latencySteps = latencySteps
      self.windowSteps = windowSteps
      self.rejectsUnrest = rejectsUnrest
    }

    /// The latency, as the part has it.
    public var latency: Microseconds { latencySteps.time(unit: 1_250) }
    /// The window, as the part has it.
    public var window: Microseconds { windowSteps.time(unit: 1_250) }
  }

  /// TAP_AXES.
  package struct TapAxesField: Equatable {
    package var axes: Axes
    package var isSuppressed: Bool

    package var encoded: UInt8 { (isSuppressed ? 0x08 : 0) | axes.bits }

    /// Nil where one of bits 7 to 4 is set, which the data sheet wants to be 0.
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
