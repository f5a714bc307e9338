// The monitor, as plumb.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Orientation

@c @implementation
func plumb_config_default_v3(_ config: UnsafeMutablePointer<plumb_config_t>?, _ size: UInt32) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  guard size == plumb_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_monitor_init_v3(
  _ monitor: UnsafeMutablePointer<plumb_monitor_t>?, _ config: UnsafePointer<plumb_config_t>?
) -> Int32 {
  proveThatStateFits()
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(monitor)
  unsafe storage.assumingMemoryBound(to: UInt32.self).pointee = 0
  let state = unsafe storage.assumingMemoryBound(to: MonitorStorage.self)
  if let config = unsafe config { return unsafe start(state, config) }
  // The defaults are handled like any other configuration, because special code for them would take flash.
  let standard = plumb_config_t.standard
  return unsafe withUnsafePointer(to: standard) { unsafe start(state, $0) }
}

/// Initialises a monitor, or returns the reason for rejecting the configuration. Not inlined, and called with a
/// pointer, because a copy would take flash.
@inline(never)
private func start(_ state: UnsafeMutablePointer<MonitorStorage>, _ config: UnsafePointer<plumb_config_t>) -> Int32 {
  // Checked before the other fields, which may not exist.
  guard unsafe config.pointee.size == plumb_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  guard unsafe config.pointee.reserved == 0 else { return PLUMB_ERROR_RESERVED.rawValue }
  do {
    unsafe state.initialize(to: try config.pointee.checked())
    return PLUMB_OK.rawValue
  } catch {
    return error.status
  }
}

@c @implementation
func plumb_monitor_step(
  _ monitor: UnsafeMutablePointer<plumb_monitor_t>?, _ x: Int32, _ y: Int32, _ z: Int32, _ time_us: UInt64,
  _ output: UnsafeMutablePointer<plumb_output_t>?
) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let output = unsafe output else { return PLUMB_ERROR_NULL.rawValue }
  let (now, measured) = (Instant(time_us), Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z)))
  let force = unsafe state.pointee.alignment.applied(to: measured)
  let gravity = unsafe state.pointee.gravity.step(force, at: now)
  unsafe output.pointee.force = plumb_vector_t(force)
  unsafe output.pointee.gravity = plumb_vector_t(gravity)
  unsafe output.pointee.motion = plumb_vector_t(force.subtracting(gravity))
  let angles = Angles(ofBounded: force, gravity: gravity)
  unsafe output.pointee.set(angles)
  if let pose = unsafe state.pointee.tracker.confirms(force, angles, at: now) {
    unsafe output.pointee.set(pose)
  } else {
    unsafe decide(force, at: now, &state.pointee.tracker, &output.pointee)
  }
  return PLUMB_OK.rawValue
}

/// The final part of a step that does more than confirm the pose.
@inline(never)
func decide(_ force: Vector3, at now: Instant, _ tracker: inout PoseTracker, _ output: inout plumb_output_t) {
  let before = tracker.state
  let expired = tracker.expire(at: now)
  let change = tracker.decide(force, at: now)
  output.set(change, after: expired, before, tracker.state)
}

@c @implementation
func plumb_monitor_expire(_ monitor: UnsafeMutablePointer<plumb_monitor_t>?, _ time_us: UInt64) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let change = unsafe state.pointee.tracker.expire(at: Instant(time_us))
  return change == nil ? 0 : Int32(bitPattern: PLUMB_EVENT_EXPIRED.rawValue)
}

@c @implementation
func plumb_monitor_fail(_ monitor: UnsafeMutablePointer<plumb_monitor_t>?) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  return unsafe state.pointee.tracker.fail() == nil ? 0 : Int32(bitPattern: PLUMB_EVENT_LOST.rawValue)
}

@c @implementation
func plumb_monitor_pose(_ monitor: UnsafePointer<plumb_monitor_t>?) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  return Int32(truncatingIfNeeded: unsafe state.pointee.tracker.state.cPose)
}

extension Instant {
  /// Time is signed in the core; only differences are used, and these are the same.
  init(_ microseconds: UInt64) { self.init(microseconds: Int64(bitPattern: microseconds)) }
}

extension PoseState {
  /// As `enum plumb_pose`: the numbers of `Pose`, then unknown.
  var cPose: UInt8 {
    switch self {
    case .known(let pose): pose.rawValue
    case .unknown: UInt8(truncatingIfNeeded: PLUMB_POSE_UNKNOWN.rawValue)
    }
  }

  /// As `enum plumb_reason`: 0 for none, then the numbers of `UnknownReason`.
  var cReason: UInt8 {
    switch self {
    case .known: 0
    case .unknown(let reason): reason.rawValue &+ 1
    }
  }
}

/// The defined angles, as `enum plumb_valid`.
@inline(__always)
func validBits(hasDevice: Bool, hasRoll: Bool) -> UInt32 {
  (hasDevice ? PLUMB_VALID_DEVICE_ANGLE.rawValue : 0) | (hasRoll ? PLUMB_VALID_ROLL.rawValue : 0)
}

extension plumb_output_t {
  @inline(__always)
  mutating func set(_ angles: Angles) {
    device_angle = angles.hasDevice ? angles.device.raw : 0
    level_angle = 0 &- device_angle
    pitch = angles.pitch.raw
    roll = angles.hasRoll ? angles.roll.raw : 0
    valid = angles.valid
    inclination = angles.inclination.raw
    steering_angle = angles.steering.raw
  }

  /// The events and the change of the pose from `before` to `after`: an expiry, if any, and then a change, if any.
  @inline(__always)
  mutating func set(_ change: PoseChange?, after expired: PoseChange?, _ before: PoseState, _ after: PoseState) {
    events = expired == nil ? 0 : PLUMB_EVENT_EXPIRED.rawValue
    if let change { events |= change.to.pose == nil ? PLUMB_EVENT_LOST.rawValue : PLUMB_EVENT_POSE.rawValue }
    (pose, reason) = (after.cPose, after.cReason)
    (previous_pose, previous_reason) = (before.cPose, before.cReason)
  }

  /// The pose, unchanged.
  @inline(__always)
  mutating func set(_ pose: Pose) {
    events = 0
    (self.pose, previous_pose) = (pose.rawValue, pose.rawValue)
    (reason, previous_reason) = (0, 0)
  }
}

/// The content of a caller's `plumb_monitor_t`.
struct MonitorStorage {
  /// "PLMB" if the rest is initialised. At offset 0, so that it can be read before the rest is used.
  static let mark: UInt32 = 0x504C_4D42

  var mark = Self.mark
  let alignment: Alignment
  /// Only the low-pass: the choice of filters in ``GravityFilter`` would exceed the limit of 8 KB of flash for a
  /// monitor on a small microcontroller.
  var gravity: LowPass
  var tracker: PoseTracker
  /// With fusion: when something last supported the board, so that it was not in free fall.
  var lastHeld = Instant(microseconds: 0)
}

/// The state in `monitor`, or nil if it is not initialised.
@inline(__always)
func state(_ monitor: UnsafeRawPointer) -> UnsafeMutablePointer<MonitorStorage>? {
  guard unsafe monitor.load(as: UInt32.self) == MonitorStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: monitor).assumingMemoryBound(to: MonitorStorage.self)
}

/// Leaves a call to an undefined function if the state does not fit in `plumb_monitor_t`.
///
/// Sizes are constants for the optimiser, so no call is left if the state fits. Without optimisation, as in a debug
/// build of the package, there would always be one; that build is not the library, and its tests check the sizes.
@inline(__always)
func proveThatStateFits() {
  #if hasFeature(Embedded)
    if MemoryLayout<MonitorStorage>.size > MemoryLayout<plumb_monitor_t>.size
      || MemoryLayout<MonitorStorage>.alignment > MemoryLayout<plumb_monitor_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
