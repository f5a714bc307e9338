public import FixedPoint
public import Gestures
public import HAL
public import Orientation
public import Sensors

/// What is known of a board at one moment: after a step of its monitor, or as the stream of another process says.
public struct Snapshot: Equatable, Sendable {
  /// What is known of the pose.
  public package(set) var state = PoseState.unknown(.notYetSampled)
  /// Since when.
  public package(set) var since: Instant
  /// Why the sensor is at fault; nil where it is not, and where that is not known.
  public package(set) var cause: SensorError?
  /// What all lines are to be.
  public package(set) var levels = Levels.off
  /// The force of the last sample in the board frame, g; nil before any, and while the sensor delivers nothing.
  public package(set) var force: Vector3?
  /// The temperature of the sensor's die with the last sample, °C; nil where it is not measured.
  public package(set) var temperature: Q16?
  /// Whether the board is still; nil while that is not known.
  public package(set) var isStill: Bool?
  /// Whether the sensor watches for movement by itself, so that no samples come.
  public package(set) var isAsleep = false
  /// Whether a machine works; nil where its vibration is not watched.
  public package(set) var isBusy: Bool?
  /// How the board is held, by the fusion with the gyroscope; nil without one.
  public package(set) var attitude: Fusion.Attitude?
  /// Samples so far of which an axis of force or rate was at the end of its range; 0 without fusion.
  public package(set) var clippedSamples: UInt32 = 0
  /// The steering angle after the last sample: finer than that of its reading, and counted from the tare.
  public package(set) var steering = BinaryAngle.zero
  /// Where tilt has scrolled to.
  public package(set) var position = TiltScroll.Position.start
  /// The attitude in which angles are zero. Those of a reading are not counted from it, because poses follow from them.
  public package(set) var tare = Tare.none
  /// How many events there were.
  public package(set) var events: UInt64 = 0
  /// What has been counted since the start.
  public package(set) var counters = Counters()
  /// Bus transactions so far; nil where there is no bus.
  public package(set) var transactions: UInt64?
  /// How often lines were set; nil where there are none.
  public package(set) var outputWrites: UInt64?

  /// Nothing is known of a board that is observed from `now` on.
  package init(at now: Instant) { since = now }

  /// Nothing is known yet.
  public static var unknown: Snapshot { Snapshot(at: Instant(microseconds: 0)) }

  /// Whether the sensor delivers nothing: why.
  public var silence: UnknownReason? {
    if case .unknown(let reason) = state, reason == .fault || reason == .stale { reason } else { nil }
  }

  /// What the angles of `reading` are of, counted from the tare.
  public func held(_ reading: Reading) -> TaredForce { tare.applied(to: reading.held) }

  /// Takes in something that happened.
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
    case .recovered, .gaveUp, .notice, .shake, .rotation, .tap, .doubleTap, .freeFall: break
    }
  }
}
