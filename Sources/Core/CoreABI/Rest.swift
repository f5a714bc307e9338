// Rest, as plumb_rest.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Orientation

@c @implementation
func plumb_rest_init_v3(_ rest: UnsafeMutablePointer<plumb_rest_t>?) -> Int32 {
  proveThatRestFits()
  guard let rest = unsafe rest else { return PLUMB_ERROR_NULL.rawValue }
  unsafe UnsafeMutableRawPointer(rest).assumingMemoryBound(to: RestStorage.self).initialize(to: RestStorage())
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_rest_step(
  _ rest: UnsafeMutablePointer<plumb_rest_t>?, _ force: UnsafePointer<plumb_vector_t>?, _ time_us: UInt64
) -> Int32 {
  guard let rest = unsafe rest, let force = unsafe force else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe restState(rest) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  unsafe state.pointee.detector.step(Vector3(force.pointee), at: Instant(time_us))
  let known =
    switch unsafe state.pointee.detector.isStill {
    case true?: PLUMB_REST_STILL
    case false?: PLUMB_REST_MOVING
    case nil: PLUMB_REST_UNKNOWN
    }
  return Int32(bitPattern: known.rawValue)
}

@c @implementation
func plumb_rest_interrupt(_ rest: UnsafeMutablePointer<plumb_rest_t>?) -> Int32 {
  guard let rest = unsafe rest else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe restState(rest) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  unsafe state.pointee.detector.interrupt()
  return PLUMB_OK.rawValue
}

/// The content of a caller's `plumb_rest_t`.
struct RestStorage {
  /// "PLRS" if the rest is initialised, as in `MonitorStorage`.
  static let mark: UInt32 = 0x504C_5253

  var mark = Self.mark
  var detector = RestDetector()
}

/// The state in `rest`, or nil if it is not initialised.
@inline(__always)
private func restState(_ rest: UnsafeRawPointer) -> UnsafeMutablePointer<RestStorage>? {
  guard unsafe rest.load(as: UInt32.self) == RestStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: rest).assumingMemoryBound(to: RestStorage.self)
}

/// Leaves a call to an undefined function if the state does not fit, as `proveThatStateFits` does.
@inline(__always)
private func proveThatRestFits() {
  #if hasFeature(Embedded)
    if MemoryLayout<RestStorage>.size > MemoryLayout<plumb_rest_t>.size
      || MemoryLayout<RestStorage>.alignment > MemoryLayout<plumb_rest_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
