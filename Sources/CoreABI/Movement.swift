// Movement, as plumb.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Gestures
internal import Monitor
internal import Orientation

@c @implementation
func plumb_movement_config_default(_ config: UnsafeMutablePointer<plumb_movement_config_t>?) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_movement_init(
  _ movement: UnsafeMutablePointer<plumb_movement_t>?, _ config: UnsafePointer<plumb_movement_config_t>?
) -> Int32 {
  proveThatMovementFits()
  guard let movement = unsafe movement else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(movement)
  unsafe storage.storeBytes(of: 0, as: UInt32.self)
  let state = unsafe storage.assumingMemoryBound(to: MovementStorage.self)
  do {
    let wanted = unsafe config?.pointee ?? .standard
    unsafe state.initialize(to: MovementStorage(movement: Movement(try wanted.checked())))
    return PLUMB_OK.rawValue
  } catch {
    return error.status
  }
}

@c @implementation
func plumb_movement_step(
  _ movement: UnsafeMutablePointer<plumb_movement_t>?, _ sample: UnsafePointer<plumb_output_t>?, _ time_us: UInt64,
  _ output: UnsafeMutablePointer<plumb_movement_output_t>?
) -> Int32 {
  guard let movement = unsafe movement, let sample = unsafe sample, let output = unsafe output else {
    return PLUMB_ERROR_NULL.rawValue
  }
  guard let state = unsafe movementState(movement) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let now = Instant(time_us)
  let isShake = unsafe state.pointee.movement.take(
    Vector3(sample.pointee.force), gravity: Vector3(sample.pointee.gravity), motion: Vector3(sample.pointee.motion),
    at: now)
  unsafe turn(&state.pointee.movement, sample.pointee.pose, at: now, &output.pointee)
  unsafe output.pointee.shake = isShake ? 1 : 0
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_movement_tick(
  _ movement: UnsafeMutablePointer<plumb_movement_t>?, _ pose: UInt8, _ time_us: UInt64,
  _ output: UnsafeMutablePointer<plumb_movement_output_t>?
) -> Int32 {
  guard let movement = unsafe movement, let output = unsafe output else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe movementState(movement) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  unsafe turn(&state.pointee.movement, pose, at: Instant(time_us), &output.pointee)
  unsafe output.pointee.shake = 0
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_movement_capture_rest(_ movement: UnsafeMutablePointer<plumb_movement_t>?) -> Int32 {
  guard let movement = unsafe movement else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe movementState(movement) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  do {
    try unsafe state.pointee.movement.captureRest()
    return PLUMB_OK.rawValue
  } catch {
    return PLUMB_ERROR_REST.rawValue
  }
}

@c @implementation
func plumb_movement_scroll_to(_ movement: UnsafeMutablePointer<plumb_movement_t>?, _ x: Int32, _ y: Int32) -> Int32 {
  guard let movement = unsafe movement else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe movementState(movement) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  unsafe state.pointee.movement.scroll(to: TiltScroll.Position(x: Q16(raw: x), y: Q16(raw: y)))
  return PLUMB_OK.rawValue
}

/// The part of a step that a sample and a pause have in common. A pose that there is not counts as unknown.
@inline(never)
private func turn(_ movement: inout Movement, _ pose: UInt8, at now: Instant, _ output: inout plumb_movement_output_t) {
  let phases = movement.turn(PoseState(cPose: pose), at: now)
  output.scroll_x = movement.position.x.raw
  output.scroll_y = movement.position.y.raw
  output.orientation = movement.rotation.orientation.rawValue
  output.shown = movement.rotation.shown(at: now).rawValue
  output.phase_count = UInt8(truncatingIfNeeded: phases.count)
  output.phases = (
    plumb_phase_t(phases[0]), plumb_phase_t(phases[1]), plumb_phase_t(phases[2]), plumb_phase_t(phases[3])
  )
}

extension PoseState {
  /// Of `enum plumb_pose`. Case by case, because what the compiler makes of `Pose(rawValue:)` is a function without a name,
  /// which no gate can look into.
  fileprivate init(cPose: UInt8) {
    switch cPose {
    case 0: self = .known(.portrait)
    case 1: self = .known(.portraitUpsideDown)
    case 2: self = .known(.landscapeLeft)
    case 3: self = .known(.landscapeRight)
    case 4: self = .known(.faceUp)
    case 5: self = .known(.faceDown)
    default: self = .unknown(.ambiguous)
    }
  }
}

extension plumb_phase_t {
  /// What is told, or all zero.
  fileprivate init(_ event: RotationEvent?) {
    self.init(kind: 0, from: 0, to: 0, reserved: 0, time_us: 0)
    switch event {
    case nil: break
    case .willRotate(let from, let to, let duration):
      (kind, self.from, self.to) = (1, from.rawValue, to.rawValue)
      time_us = UInt32(truncatingIfNeeded: duration.count)
    case .firstHalf: kind = 2
    case .secondHalf: kind = 3
    case .didRotate(let from): (kind, self.from) = (4, from.rawValue)
    case .redirected(let to, let remaining):
      (kind, self.to) = (5, to.rawValue)
      time_us = UInt32(truncatingIfNeeded: remaining.count)
    }
  }
}
