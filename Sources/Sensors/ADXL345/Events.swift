extension ADXL345 {
  /// A set of events and conditions, as INT_SOURCE, INT_ENABLE and INT_MAP have them.
  ///
  /// - Datasheet: Rev. E, registers 0x2E to 0x30.
  public struct Events: Equatable, Sendable {
    /// One bit each.
    public var rawValue: UInt8

    /// The events of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// None.
    public static var none: Events { Events(rawValue: 0x00) }
    /// A sample waits that has not been read. A condition: it goes by itself when all are read.
    public static var dataReady: Events { Events(rawValue: 0x80) }
    /// A tap.
    public static var singleTap: Events { Events(rawValue: 0x40) }
    /// Two taps.
    public static var doubleTap: Events { Events(rawValue: 0x20) }
    /// More than the threshold of activity.
    public static var activity: Events { Events(rawValue: 0x10) }
    /// Less than the threshold of inactivity, for its time.
    public static var inactivity: Events { Events(rawValue: 0x08) }
    /// Next to no force on any axis, for the time set.
    public static var freeFall: Events { Events(rawValue: 0x04) }
    /// As many samples wait as the watermark says. A condition.
    public static var watermark: Events { Events(rawValue: 0x02) }
    /// An unread sample was replaced, or the FIFO is full. A condition.
    public static var overrun: Events { Events(rawValue: 0x01) }

    /// The three conditions: reading samples ends them, reading events does not.
    public static var conditions: Events { Events(rawValue: 0x83) }

    /// Whether there is none.
    public var isEmpty: Bool { rawValue == 0 }
    /// Whether all of `other` are in it.
    public func contains(_ other: Events) -> Bool { rawValue & other.rawValue == other.rawValue }
    /// Those of either.
    public func union(_ other: Events) -> Events { Events(rawValue: rawValue | other.rawValue) }
    /// Those of both.
    public func intersection(_ other: Events) -> Events { Events(rawValue: rawValue & other.rawValue) }
  }

  /// A set of axes.
  public struct Axes: Equatable, Sendable {
    /// Whether X is in it.
    public var x: Bool
    /// Whether Y is in it.
    public var y: Bool
    /// Whether Z is in it.
    public var z: Bool

    /// Axes; by default none.
    public init(x: Bool = false, y: Bool = false, z: Bool = false) {
      self.x = x
      self.y = y
      self.z = z
    }

    /// All three.
    public static var all: Axes { Axes(x: true, y: true, z: true) }
    /// Whether there is none.
    public var isEmpty: Bool { !x && !y && !z }

    /// X is bit 2, Y bit 1, Z bit 0, wherever the part has three axes in a register.
    var bits: UInt8 { (x ? 4 : 0) | (y ? 2 : 0) | (z ? 1 : 0) }

    init(bits: UInt8) { self.init(x: bits & 4 != 0, y: bits & 2 != 0, z: bits & 1 != 0) }
  }

  /// What the part has seen since it was asked last.
  public struct EventReport: Equatable, Sendable {
    /// The events that have happened, and the conditions that hold.
    public var events: Events
    /// The first axis, or axes, of the last activity; of any age.
    public var activityAxes: Axes
    /// The first axis, or axes, of the last tap; of any age.
    public var tapAxes: Axes

    /// A report; by default of nothing.
    public init(events: Events = .none, activityAxes: Axes = Axes(), tapAxes: Axes = Axes()) {
      self.events = events
      self.activityAxes = activityAxes
      self.tapAxes = tapAxes
    }
  }

  /// ACT_TAP_STATUS.
  package struct TapStatusField: Equatable {
    package var activityAxes: Axes
    package var isAsleep: Bool
    package var tapAxes: Axes

    package var encoded: UInt8 { activityAxes.bits &<< 4 | (isAsleep ? 0x08 : 0) | tapAxes.bits }

    /// Nil where bit 7 is set, which reads 0.
    package init?(decoding byte: UInt8) {
      guard byte & 0x80 == 0 else { return nil }
      activityAxes = Axes(bits: byte &>> 4)
      isAsleep = byte & 0x08 != 0
      tapAxes = Axes(bits: byte)
    }
  }
}
