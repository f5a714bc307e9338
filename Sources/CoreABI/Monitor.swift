// The monitor, as plumb.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Monitor
internal import Orientation

@c @implementation
func plumb_config_default(_ config: UnsafeMutablePointer<plumb_config_t>?) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_monitor_init(
  _ monitor: UnsafeMutablePointer<plumb_monitor_t>?, _ config: UnsafePointer<plumb_config_t>?
) -> Int32 {
  proveThatStateFits()
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(monitor)
  unsafe storage.storeBytes(of: 0, as: UInt32.self)
  let state = unsafe storage.assumingMemoryBound(to: MonitorStorage.self)
  do {
    // The defaults take the same way as any other configuration: code for them alone would be flash.
    let wanted = unsafe config?.pointee ?? .standard
    unsafe state.initialize(to: MonitorStorage(pipeline: Pipeline(try wanted.checked())))
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
  guard let monitor = unsafe monitor, let output = unsafe output else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let before = unsafe state.pointee.pipeline.state
  let force = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
  let reading = unsafe state.pointee.pipeline.step(force, at: Instant(time_us))
  unsafe output.initialize(to: plumb_output_t(reading, before: before))
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_monitor_expire(_ monitor: UnsafeMutablePointer<plumb_monitor_t>?, _ time_us: UInt64) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let change = unsafe state.pointee.pipeline.expire(at: Instant(time_us))
  return change == nil ? 0 : Int32(bitPattern: PLUMB_EVENT_EXPIRED.rawValue)
}

@c @implementation
func plumb_monitor_fail(_ monitor: UnsafeMutablePointer<plumb_monitor_t>?) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  return unsafe state.pointee.pipeline.fail() == nil ? 0 : Int32(bitPattern: PLUMB_EVENT_LOST.rawValue)
}

@c @implementation
func plumb_monitor_pose(_ monitor: UnsafePointer<plumb_monitor_t>?) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  return Int32(truncatingIfNeeded: unsafe state.pointee.pipeline.state.cPose)
}

extension Instant {
  /// The core counts signed; differences, the only thing it looks at, are the same.
  init(_ microseconds: UInt64) { self.init(microseconds: Int64(bitPattern: microseconds)) }
}

extension PoseState {
  /// As `enum plumb_pose`, whose numbers are those of `Pose`, then the unknown.
  var cPose: UInt8 {
    switch self {
    case .known(let pose): pose.rawValue
    case .unknown: UInt8(truncatingIfNeeded: PLUMB_POSE_UNKNOWN.rawValue)
    }
  }

  /// As `enum plumb_reason`, whose numbers are those of `UnknownReason` after none.
  var cReason: UInt8 {
    switch self {
    case .known: 0
    case .unknown(let reason): reason.rawValue &+ 1
    }
  }
}

extension plumb_output_t {
  /// What a step yields; `before` is what was known of the pose before it.
  init(_ reading: Reading, before: PoseState) {
    var events: UInt32 = reading.expired == nil ? 0 : PLUMB_EVENT_EXPIRED.rawValue
    if let change = reading.change {
      events |= change.to.pose == nil ? PLUMB_EVENT_LOST.rawValue : PLUMB_EVENT_POSE.rawValue
    }
    let angles = reading.angles
    self.init(
      force: plumb_vector_t(reading.force), gravity: plumb_vector_t(reading.gravity),
      motion: plumb_vector_t(reading.motion), device_angle: angles.device.raw, level_angle: angles.level.raw,
      pitch: angles.pitch.raw, roll: angles.roll.raw, inclination: angles.inclination.raw,
      steering_angle: angles.steering.raw, events: events, pose: reading.state.cPose,
      reason: reading.state.cReason, previous_pose: before.cPose, previous_reason: before.cReason)
  }
}
