public import FixedPoint
public import Gestures
public import HAL
public import Orientation
public import Sensors

/// What is known of a board at one moment: after a step of its monitor, or from the stream of another process.
public struct Snapshot: Equatable, Sendable {
  /// What is known of the pose.
  public package(set) var state = PoseState.unknown(.notYetSampled)
  /// The time since which the state has held.
  public package(set) var since: Instant
  /// The cause of a sensor fault; nil if there is none or it is unknown.
  public package(set) var cause: SensorError?
  /// The required levels of all lines.
  public package(set) var levels = Levels.off
  /// The force of the last sample in the board frame, g; nil before the first, and while the sensor delivers nothing.
  public package(set) var force: Vector3?
  /// The temperature of the sensor's die with the last sample, °C; nil if not measured.
  public package(set) var temperature: Q16?
  /// Whether the board is still; nil while unknown.
  public package(set) var isStill: Bool?
  /// Whether the sensor watches for movement by itself, so that no samples come.
  public package(set) var isAsleep = false
  /// Whether a machine is working; nil if vibration is not watched.
  public package(set) var isBusy: Bool?
  /// The attitude of the board, from fusion with the gyroscope; nil without one.
  public package(set) var attitude: Fusion.Attitude?
  /// The number of samples so far with an axis of force or rate at the end of its range; 0 without fusion.
  public package(set) var clippedSamples: UInt32 = 0
  /// The steering angle after the last sample: finer than that of its reading, and relative to the tare.
  public package(set) var steering = BinaryAngle.zero
  /// The scroll position.
  public package(set) var position = TiltScroll.Position.start
  /// The attitude in which angles are zero. The angles of a reading ignore it, because poses follow from them.
  public package(set) var tare = Tare.none
  /// The number of events so far.
  public package(set) var events: UInt64 = 0
  /// The counts since the start.
  public package(set) var counters = Counters()
  /// The number of bus transactions so far; nil if there is no bus.
  public package(set) var transactions: UInt64?
  /// The number of writes to the lines so far; nil if there are none.
  public package(set) var outputWrites: UInt64?

  /// The snapshot of a board about which nothing is known, from `now` on.
  package init(at now: Instant) { since = now }

  /// Nothing is known yet.
  public static var unknown: Snapshot { Snapshot(at: Instant(microseconds: 0)) }

  /// Why the sensor delivers nothing; nil if it delivers.
  public var silence: UnknownReason? {
    if case .unknown(let reason) = state, reason == .fault || reason == .stale { reason } else { nil }
  }

  /// The force that the angles of `reading` are computed from, relative to the tare.
  public func held(_ reading: Reading) -> TaredForce { tare.applied(to: reading.held) }

  /// Takes in an event.
  package mutating func take(_ occurrence: Occurrence) {
    events &+= 1
    switch occurrence.event {
    case .pose(_, let pose, _): (state, since, cause) = (.known(pose), occurrence.at, nil)
    case .trouble(let reason, let cause):
      (state, since, self.cause) = (.unknown(reason), occurrence.at, cause)
      if silence != nil { (force, isStill) = (nil, nil) }
    case .still: isStill = true
    case .moving: isStill = false
    case .busy: isBusy = true
    case .quiet: isBusy = false
    case .asleep: isAsleep = true
    case .awake: isAsleep = false
    // Others change nothing; a test has a row for each kind that does.
    default: break
    }
  }
}
