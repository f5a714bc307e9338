// The tare, as plumb_tare.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Orientation

@c @implementation
func plumb_tare_init_v3(_ tare: UnsafeMutablePointer<plumb_tare_t>?) -> Int32 {
  proveThatTareFits()
  guard let tare = unsafe tare else { return PLUMB_ERROR_NULL.rawValue }
  unsafe UnsafeMutableRawPointer(tare).assumingMemoryBound(to: TareStorage.self).initialize(to: TareStorage())
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_tare_begin(_ tare: UnsafeMutablePointer<plumb_tare_t>?, _ period_us: UInt32, _ time_us: UInt64) -> Int32 {
  guard let tare = unsafe tare else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe tareState(tare) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let period = Microseconds(Int64(bitPattern: widened(period_us)))
  unsafe state.pointee.capture = TareCapture(at: Instant(time_us), period: period)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_tare_step(
  _ tare: UnsafeMutablePointer<plumb_tare_t>?, _ force: UnsafePointer<plumb_vector_t>?, _ time_us: UInt64
) -> Int32 {
  guard let tare = unsafe tare else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe tareState(tare) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  var sample: Vector3?
  if let force = unsafe force { sample = unsafe Vector3(force.pointee) }
  return Int32(bitPattern: unsafe state.pointee.step(sample, at: Instant(time_us)).rawValue)
}

@c @implementation
func plumb_tare_undo(_ tare: UnsafeMutablePointer<plumb_tare_t>?) -> Int32 {
  guard let tare = unsafe tare else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe tareState(tare) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  unsafe state.initialize(to: TareStorage())
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_tare_up(
  _ tare: UnsafePointer<plumb_tare_t>?, _ up_millionths: UnsafeMutablePointer<plumb_vector_t>?
) -> Int32 {
  guard let tare = unsafe tare, let result = unsafe up_millionths else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe tareState(tare) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let up = unsafe state.pointee.tare.up?.millionths else { return PLUMB_ERROR_TARE.rawValue }
  unsafe result.pointee = plumb_vector_t(x: up.x, y: up.y, z: up.z)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_tare_set(
  _ tare: UnsafeMutablePointer<plumb_tare_t>?, _ up_millionths: UnsafePointer<plumb_vector_t>?
) -> Int32 {
  guard let tare = unsafe tare, let up = unsafe up_millionths else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe tareState(tare) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let wanted = unsafe Tare(millionths: up.pointee.x, up.pointee.y, up.pointee.z) else {
    return PLUMB_ERROR_TARE.rawValue
  }
  unsafe state.pointee.tare = wanted
  unsafe state.pointee.capture = nil
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_tare_angles(
  _ tare: UnsafePointer<plumb_tare_t>?, _ force: UnsafePointer<plumb_vector_t>?,
  _ output: UnsafeMutablePointer<plumb_tared_t>?
) -> Int32 {
  guard let tare = unsafe tare, let force = unsafe force, let output = unsafe output else {
    return PLUMB_ERROR_NULL.rawValue
  }
  guard let state = unsafe tareState(tare) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let tared = unsafe state.pointee.tare.applied(to: Vector3(force.pointee))
  let (hasDevice, hasRoll) = (!tared.isFlat, !tared.isOnEnd)
  let device = hasDevice ? tared.deviceAngle : .zero
  unsafe output.pointee = plumb_tared_t(
    tilted: plumb_vector_t(tared.tilted), device_angle: device.raw, level_angle: (-device).raw, pitch: tared.pitch.raw,
    roll: hasRoll ? tared.roll.raw : 0, inclination: tared.inclination.raw, steering_angle: tared.steeringAngle.raw,
    valid: validBits(hasDevice: hasDevice, hasRoll: hasRoll))
  return PLUMB_OK.rawValue
}

/// The content of a caller's `plumb_tare_t`.
struct TareStorage {
  /// "PLTA" if the rest is initialised, as in `MonitorStorage`.
  static let mark: UInt32 = 0x504C_5441

  var mark = Self.mark
  var tare = Tare.none
  /// The measurement of a tare in progress, if any.
  var capture: TareCapture?

  mutating func step(_ force: Vector3?, at now: Instant) -> plumb_tare_progress {
    guard let progress = capture?.step(force, at: now) else { return PLUMB_TARE_IDLE }
    switch progress {
    case .measuring: return PLUMB_TARE_MEASURING
    case .tare(let taken):
      (tare, capture) = (taken, nil)
      return PLUMB_TARE_TAKEN
    case .moved:
      capture = nil
      return PLUMB_TARE_MOVED
    }
  }
}

/// The state in `tare`, or nil if it is not initialised.
@inline(__always)
private func tareState(_ tare: UnsafeRawPointer) -> UnsafeMutablePointer<TareStorage>? {
  guard unsafe tare.load(as: UInt32.self) == TareStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: tare).assumingMemoryBound(to: TareStorage.self)
}

/// Leaves a call to an undefined function if the state does not fit, as `proveThatStateFits` does.
@inline(__always)
private func proveThatTareFits() {
  #if hasFeature(Embedded)
    if MemoryLayout<TareStorage>.size > MemoryLayout<plumb_tare_t>.size
      || MemoryLayout<TareStorage>.alignment > MemoryLayout<plumb_tare_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
