// Fusion, and the monitor's step with six values, as plumb_fusion.h declares and documents them.
internal import CPlumb
internal import FixedPoint
internal import Orientation

@c @implementation
func plumb_fusion_config_default_v3(_ config: UnsafeMutablePointer<plumb_fusion_config_t>?, _ size: UInt32) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  guard size == plumb_fusion_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_fusion_init_v3(
  _ fusion: UnsafeMutablePointer<plumb_fusion_t>?, _ config: UnsafePointer<plumb_fusion_config_t>?
) -> Int32 {
  proveThatFusionFits()
  guard let fusion = unsafe fusion else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(fusion)
  unsafe storage.assumingMemoryBound(to: UInt32.self).pointee = 0
  if let config = unsafe config, unsafe config.pointee.size != plumb_fusion_config_t.byteCount {
    return PLUMB_ERROR_SIZE.rawValue
  }
  let state = unsafe storage.assumingMemoryBound(to: FusionStorage.self)
  let wanted = unsafe config?.pointee ?? .standard
  // In two parts: as a whole, the state would be constructed on the stack twice.
  unsafe state.pointee.mark = FusionStorage.mark
  unsafe state.pointee.fusion = Fusion(wanted.fusion)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_fusion_step(
  _ fusion: UnsafeMutablePointer<plumb_fusion_t>?, _ force: UnsafePointer<plumb_vector_t>?,
  _ rate: UnsafePointer<plumb_vector_t>?, _ time_us: UInt64, _ output: UnsafeMutablePointer<plumb_fusion_output_t>?
) -> Int32 {
  guard let fusion = unsafe fusion, let force = unsafe force, let rate = unsafe rate, let output = unsafe output else {
    return PLUMB_ERROR_NULL.rawValue
  }
  guard let state = unsafe fusionState(fusion) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let measured = unsafe Vector3(force.pointee)
  let gravity = unsafe state.pointee.fusion.step(measured, rotation: Vector3(rate.pointee), at: Instant(time_us))
  unsafe output.pointee.gravity = plumb_vector_t(gravity)
  unsafe output.pointee.motion = plumb_vector_t(measured.subtracting(gravity))
  unsafe output.pointee.flags = state.pointee.fusion.flags
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_monitor_step_fused(
  _ monitor: UnsafeMutablePointer<plumb_monitor_t>?, _ fusion: UnsafeMutablePointer<plumb_fusion_t>?,
  _ force: UnsafePointer<plumb_vector_t>?, _ rate: UnsafePointer<plumb_vector_t>?, _ time_us: UInt64,
  _ output: UnsafeMutablePointer<plumb_output_t>?
) -> Int32 {
  guard let monitor = unsafe monitor else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe state(monitor) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let fusion = unsafe fusion else { return PLUMB_ERROR_NULL.rawValue }
  guard let fused = unsafe fusionState(fusion) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let measuredForce = unsafe force, let measuredRate = unsafe rate, let output = unsafe output else {
    return PLUMB_ERROR_NULL.rawValue
  }
  let now = Instant(time_us)
  let force = unsafe state.pointee.alignment.applied(to: Vector3(measuredForce.pointee))
  let rotation = unsafe state.pointee.alignment.applied(toRotation: Vector3(measuredRate.pointee))
  let gravity = unsafe fused.pointee.fusion.step(force, rotation: rotation, at: now)
  unsafe output.pointee.force = plumb_vector_t(force)
  unsafe output.pointee.gravity = plumb_vector_t(gravity)
  unsafe output.pointee.motion = plumb_vector_t(force.subtracting(gravity))
  let angles = Angles(ofBounded: gravity, gravity: gravity)
  unsafe output.pointee.set(angles)
  // Gravity is known during a fall too, so a short one does not affect the pose. A longer one is reported as without
  // fusion.
  let isFalling = unsafe state.pointee.tracker.isFalling(force)
  if unsafe !isFalling || now < state.pointee.lastHeld { unsafe state.pointee.lastHeld = now }
  let isLost = unsafe isFalling && now - state.pointee.lastHeld > state.pointee.tracker.configuration.patience
  if !isLost, let pose = unsafe state.pointee.tracker.confirms(angles, at: now) {
    unsafe output.pointee.set(pose)
  } else {
    let up = unsafe fused.pointee.fusion.up.vector
    unsafe decide(up, isFalling, isLost, at: now, &state.pointee.tracker, &output.pointee)
  }
  return PLUMB_OK.rawValue
}

/// The final part of a fused step that does more than confirm the pose.
@inline(never)
private func decide(
  _ up: Vector3, _ isFalling: Bool, _ isLost: Bool, at now: Instant, _ tracker: inout PoseTracker,
  _ output: inout plumb_output_t
) {
  let before = tracker.state
  let expired = tracker.expire(at: now)
  let isUnknown = isFalling && tracker.state.pose == nil
  let change = isLost || isUnknown ? tracker.fall() : tracker.decide(up, at: now)
  output.set(change, after: expired, before, tracker.state)
}

@c @implementation
func plumb_fusion_up(_ fusion: UnsafePointer<plumb_fusion_t>?, _ up_q30: UnsafeMutablePointer<plumb_vector_t>?) -> Int32
{
  unsafe read(fusion, up_q30) { fusion in
    let up = fusion.up
    return plumb_vector_t(x: up.x, y: up.y, z: up.z)
  }
}

@c @implementation
func plumb_fusion_rate(_ fusion: UnsafePointer<plumb_fusion_t>?, _ rate: UnsafeMutablePointer<plumb_vector_t>?) -> Int32
{
  unsafe read(fusion, rate) { plumb_vector_t($0.rate) }
}

@c @implementation
func plumb_fusion_bias(_ fusion: UnsafePointer<plumb_fusion_t>?, _ bias: UnsafeMutablePointer<plumb_vector_t>?) -> Int32
{
  unsafe read(fusion, bias) { plumb_vector_t($0.bias) }
}

/// Writes the result of `part` for an initialised fusion.
@inline(__always)
private func read(
  _ fusion: UnsafePointer<plumb_fusion_t>?, _ result: UnsafeMutablePointer<plumb_vector_t>?,
  _ part: (borrowing Fusion) -> plumb_vector_t
) -> Int32 {
  guard let fusion = unsafe fusion, let result = unsafe result else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe fusionState(fusion) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  unsafe result.pointee = part(state.pointee.fusion)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_fusion_heading(_ fusion: UnsafePointer<plumb_fusion_t>?, _ heading: UnsafeMutablePointer<Int32>?) -> Int32 {
  guard let fusion = unsafe fusion, let result = unsafe heading else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe fusionState(fusion) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let heading = unsafe state.pointee.fusion.heading else { return PLUMB_ERROR_HEADING.rawValue }
  unsafe result.pointee = heading.raw
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_fusion_flags(_ fusion: UnsafePointer<plumb_fusion_t>?) -> Int32 {
  guard let fusion = unsafe fusion else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe fusionState(fusion) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  return Int32(bitPattern: unsafe state.pointee.fusion.flags)
}

@c @implementation
func plumb_config_fused_v3(_ config: UnsafeMutablePointer<plumb_config_t>?, _ size: UInt32) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  guard size == plumb_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  unsafe config.initialize(to: .standard)
  unsafe config.pointee.evidence = PoseTracker.Configuration.fusedEvidence.raw
  unsafe config.pointee.dwell_us = UInt32(truncatingIfNeeded: PoseTracker.Configuration.fusedDwell.count)
  return PLUMB_OK.rawValue
}

extension Fusion {
  /// As bits of `enum plumb_fusion_flag`.
  @inline(__always)
  fileprivate var flags: UInt32 {
    (isStill ? PLUMB_FUSION_STILL.rawValue : 0) | (isBiasKnown ? 0 : PLUMB_FUSION_STARTING.rawValue)
      | (wasClipped ? PLUMB_FUSION_CLIPPED.rawValue : 0)
  }
}

extension plumb_fusion_config_t {
  /// The size in C; the first field of the structure.
  @inline(__always)
  static var byteCount: UInt32 { UInt32(truncatingIfNeeded: MemoryLayout<Self>.size) }

  /// The defaults, taken from the core, so that each is defined once.
  @inline(never)
  static var standard: plumb_fusion_config_t {
    let fusion = Fusion.Configuration()
    return plumb_fusion_config_t(
      size: byteCount, time_constant_us: UInt32(truncatingIfNeeded: fusion.timeConstant.count),
      longest_gap_us: UInt32(truncatingIfNeeded: fusion.longestGap.count), rate_range: fusion.rateRange.raw,
      force_range: fusion.forceRange.raw, bias: plumb_vector_t(fusion.bias))
  }

  @inline(__always)
  fileprivate var fusion: Fusion.Configuration {
    Fusion.Configuration(
      timeConstant: Microseconds(Int64(bitPattern: widened(time_constant_us))),
      longestGap: Microseconds(Int64(bitPattern: widened(longest_gap_us))), rateRange: Q16(raw: max(0, rate_range)),
      forceRange: Q16(raw: max(0, force_range)), bias: Vector3(bias))
  }
}

/// The content of a caller's `plumb_fusion_t`.
struct FusionStorage {
  /// "PLFU" if the rest is initialised, as in `MonitorStorage`.
  static let mark: UInt32 = 0x504C_4655

  var mark = Self.mark
  var fusion: Fusion
}

/// The state in `fusion`, or nil if it is not initialised.
@inline(__always)
private func fusionState(_ fusion: UnsafeRawPointer) -> UnsafeMutablePointer<FusionStorage>? {
  guard unsafe fusion.load(as: UInt32.self) == FusionStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: fusion).assumingMemoryBound(to: FusionStorage.self)
}

/// Leaves a call to an undefined function if the state does not fit, as `proveThatStateFits` does.
@inline(__always)
private func proveThatFusionFits() {
  #if hasFeature(Embedded)
    if MemoryLayout<FusionStorage>.size > MemoryLayout<plumb_fusion_t>.size
      || MemoryLayout<FusionStorage>.alignment > MemoryLayout<plumb_fusion_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
