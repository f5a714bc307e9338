public import FixedPoint
public import Orientation
public import Sensors

/// One sample and its results.
public struct Reading: Equatable, Sendable {
  /// When the sample was taken.
  public let instant: Instant
  /// The specific force in the board frame, calibrated, g.
  public let force: Vector3
  /// The rate of rotation in the board frame, calibrated, °/s; nil without a gyroscope.
  public let rotation: Vector3?
  /// The gravity filter's output for the force, g.
  public let gravity: Vector3
  /// The force without gravity, g: with a low-pass, the high-passed force of the same time constant.
  public let motion: Vector3
  /// Whether gravity comes from the fusion with the rate of rotation.
  public let isFused: Bool
  /// All angles: from gravity if it is fused, otherwise from the force (the steering angle always from gravity).
  /// `hasDevice` and `hasRoll` say which of them are more than noise.
  public let angles: Angles
  /// What is known of the pose after this sample.
  public let state: PoseState
  /// The pose lost before this sample because the previous one was too old, if any. Users see it as an event.
  package let expired: PoseChange?
  /// The change that this sample caused, if any. Users see it as an event.
  package let change: PoseChange?
}

extension Reading {
  /// The force that the angles are computed from, g: gravity if it is fused, since acceleration does not tilt it;
  /// otherwise the force.
  package var held: Vector3 { isFused ? gravity : force }

  /// A sample of another process: `gravity` is fused if `isFused`, and the angles follow from the arguments; the
  /// steering angle follows from gravity if `steering` is nil.
  package init(
    instant: Instant, force: Vector3, rotation: Vector3?, gravity: Vector3, isFused: Bool, steering: BinaryAngle?,
    state: PoseState
  ) {
    var angles = Angles(of: isFused ? gravity : force, gravity: gravity)
    if let steering { angles = angles.replacing(steering: steering) }
    self.init(
      instant: instant, force: force, rotation: rotation, gravity: gravity, motion: force.subtracting(gravity),
      isFused: isFused, angles: angles, state: state, expired: nil, change: nil)
  }
}

/// The processing of a sample, from the sensor's force to the pose: the same for a live sensor, a recording and
/// firmware.
///
/// Pure: the time is a parameter. The configuration is stored with the state, which saves a copy in each step, and it
/// cannot change while there is state.
public struct Pipeline: Equatable, Sendable {
  /// How samples are turned into poses.
  public struct Configuration: Equatable, Sendable {
    /// Calibration and mounting of the sensor.
    public var alignment: Alignment
    /// The filter that yields gravity.
    public var gravity: GravityFilter.Configuration
    /// How poses are decided.
    public var tracker: PoseTracker.Configuration

    /// A configuration; omitted values have their defaults. With fusion, the tracker has other defaults.
    public init(
      alignment: Alignment = Alignment(), gravity: GravityFilter.Configuration = .standard,
      tracker: PoseTracker.Configuration? = nil
    ) {
      self.alignment = alignment
      self.gravity = gravity
      if let tracker {
        self.tracker = tracker
      } else if case .fusion = gravity {
        self.tracker = .fused
      } else {
        self.tracker = .standard
      }
    }
  }

  let alignment: Alignment
  private var gravity: GravityFilter
  private(set) var tracker: PoseTracker
  /// Whether a sample with a rate of rotation has passed the fusion.
  private var isFused = false
  /// With fusion: when something last supported the board, so that it was not in free fall.
  private var lastHeld = Instant(microseconds: 0)

  /// A pipeline without samples.
  public init(_ configuration: Configuration = Configuration()) {
    alignment = configuration.alignment
    gravity = GravityFilter(configuration.gravity)
    tracker = PoseTracker(configuration.tracker)
  }

  /// What is known of the pose.
  public var state: PoseState { tracker.state }

  /// Whether the fusion sees the board at rest; false without fusion.
  public var isStill: Bool { gravity.fusion?.isStill ?? false }

  /// The number of samples so far with an axis of force or rate at the end of its range; 0 without fusion.
  public var clippedSamples: UInt32 { gravity.fusion?.clippedSamples ?? 0 }

  /// The steering angle after the last sample, from the filter's gravity before rounding to Q16.16: within 0.01° of the
  /// formula even at the ends of its arc sines, where `Reading.angles.steering` is off by up to some hundredths.
  public var steeringAngle: BinaryAngle { gravity.steeringAngle }

  /// The result of the fusion after the last sample; nil without fusion, and before any sample with a rate of rotation.
  public var attitude: Fusion.Attitude? { isFused ? gravity.fusion?.attitude : nil }

  /// Processes the measurement `measured`, in the sensor's own frame, at `now`.
  public mutating func step(_ measured: Measurement, at now: Instant) -> Reading {
    let force = alignment.applied(to: measured.force)
    guard let rate = measured.rotation else { return step(force, rotation: nil, at: now) }
    let rotation = alignment.applied(toRotation: rate)
    guard let gravity = gravity.step(force, rotation: rotation, at: now) else {
      return step(force, rotation: rotation, at: now)
    }
    isFused = true
    let angles = Angles(of: gravity, gravity: gravity)
    var (expired, change): (PoseChange?, PoseChange?) = (nil, nil)
    // Gravity is known during a fall too, so a short one does not affect the pose. A longer one is reported as without
    // fusion.
    let isFalling = tracker.isFalling(force)
    if !isFalling || now < lastHeld { lastHeld = now }
    let isLost = isFalling && now - lastHeld > tracker.configuration.patience
    if isLost || tracker.confirms(angles, at: now) == nil {
      expired = tracker.expire(at: now)
      let isUnknown = isFalling && tracker.state.pose == nil
      change = isLost || isUnknown ? tracker.fall() : tracker.decide(self.gravity.up, at: now)
    }
    return Reading(
      instant: now, force: force, rotation: rotation, gravity: gravity, motion: force.subtracting(gravity),
      isFused: true, angles: angles, state: tracker.state, expired: expired, change: change)
  }

  /// The same for a sensor without a gyroscope, with the force `measured`, g.
  public mutating func step(_ measured: Vector3, at now: Instant) -> Reading {
    step(alignment.applied(to: measured), rotation: nil, at: now)
  }

  @inline(__always)
  private mutating func step(_ force: Vector3, rotation: Vector3?, at now: Instant) -> Reading {
    let gravity = gravity.step(force, at: now)
    let angles = Angles(ofBounded: force, gravity: gravity)
    var (expired, change): (PoseChange?, PoseChange?) = (nil, nil)
    if tracker.confirms(force, angles, at: now) == nil {
      expired = tracker.expire(at: now)
      change = tracker.decide(force, at: now)
    }
    return Reading(
      instant: now, force: force, rotation: rotation, gravity: gravity, motion: force.subtracting(gravity),
      isFused: false, angles: angles, state: tracker.state, expired: expired, change: change)
  }

  /// Makes the pose unknown if the last sample is too old at `now`, and returns that change.
  public mutating func expire(at now: Instant) -> PoseChange? { tracker.expire(at: now) }

  /// Keeps the pose through a time without samples in which the board does not move; see `PoseTracker.suspend(at:)`.
  /// Afterwards the filter restarts.
  public mutating func suspend(at now: Instant) {
    tracker.suspend(at: now)
    gravity.interrupt()
  }

  /// Makes the pose unknown because of a sensor fault, and returns that change. The next sample decides afresh.
  public mutating func fail() -> PoseChange? { tracker.fail() }
}

/// The pose and all angles from one fresh sample: the result of a one-shot query.
///
/// The angles are those of the sample itself, not of a filtered force, and are computed on demand.
public struct FreshReading: Equatable, Sendable {
  /// When the sample was taken.
  public let instant: Instant
  /// The specific force in the board frame, calibrated, g.
  public let force: Vector3
  /// The pose, or the reason why it is unknown.
  public let state: PoseState

  /// A force and the corresponding pose.
  public init(instant: Instant, force: Vector3, state: PoseState) {
    self.instant = instant
    self.force = force
    self.state = state
  }

  /// A monitor's reading of a sample, as a fresh reading of that moment.
  public init(_ reading: Reading) {
    self.init(instant: reading.instant, force: reading.force, state: reading.state)
  }

  /// Whether the board lies so flat that the device, level and relative angles are noise.
  public var isFlat: Bool { force.isFlat }

  /// Whether the board stands so upright that the roll is noise.
  public var isOnEnd: Bool { force.isOnEnd }

  /// The turn in the board's own plane; see `Vector3.deviceAngle`. Meaningless when lying flat.
  public var deviceAngle: BinaryAngle { force.deviceAngle }

  /// The turn that keeps a label horizontal; see `Vector3.levelAngle`. Meaningless when lying flat.
  public var levelAngle: BinaryAngle { force.levelAngle }

  /// How far the top edge points up; see `Vector3.pitch`.
  public var pitch: BinaryAngle { force.pitch }

  /// The turn about the long axis; see `Vector3.roll`. Meaningless with the top edge straight up or down.
  public var roll: BinaryAngle { force.roll }

  /// The angle of the face's normal from straight up; see `Vector3.inclination`.
  public var inclination: BinaryAngle { force.inclination }

  /// The angle as a steering wheel, from this sample alone; see `Vector3.steeringAngle`.
  public var steeringAngle: BinaryAngle { force.steeringAngle }

  /// The device angle relative to `reference`; a face has no angle of its own, and counts as 0. Meaningless when lying
  /// flat.
  public func relativeAngle(to reference: Pose) -> BinaryAngle { force.relativeAngle(to: reference) }
}

extension Pipeline {
  /// What `measured`, in g and in the sensor's own frame, indicates at `now`, without taking it in: nothing changes.
  ///
  /// The pose is that of `PoseTracker.state(seeing:at:)`.
  public func reading(of measured: Vector3, at now: Instant) -> FreshReading {
    let force = alignment.applied(to: measured)
    return FreshReading(instant: now, force: force, state: tracker.state(seeing: force, at: now))
  }

  /// The same for six values: with fusion, the reading's force is gravity, so pose and angles are correct even while
  /// the board moves.
  public func reading(of measured: Measurement, at now: Instant) -> FreshReading {
    var filter = gravity
    guard let rate = measured.rotation, isFused,
      filter.step(alignment.applied(to: measured.force), rotation: alignment.applied(toRotation: rate), at: now) != nil
    else { return reading(of: measured.force, at: now) }
    let up = filter.up
    return FreshReading(instant: now, force: up, state: tracker.state(seeing: up, at: now))
  }
}
