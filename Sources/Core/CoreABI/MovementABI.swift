// Movement, as plumb.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Gestures
internal import Monitor
internal import Orientation

@c @implementation
func plumb_movement_config_default_v3(_ config: UnsafeMutablePointer<plumb_movement_config_t>?, _ size: UInt32) -> Int32
{
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  guard size == plumb_movement_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_movement_init_v3(
  _ movement: UnsafeMutablePointer<plumb_movement_t>?, _ config: UnsafePointer<plumb_movement_config_t>?
) -> Int32 {
  proveThatMovementFits()
  guard let movement = unsafe movement else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(movement)
  unsafe storage.assumingMemoryBound(to: UInt32.self).pointee = 0
  if let config = unsafe config, unsafe config.pointee.size != plumb_movement_config_t.byteCount {
    return PLUMB_ERROR_SIZE.rawValue
  }
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
  let force = unsafe Vector3(sample.pointee.force)
  let isShake = unsafe state.pointee.movement.take(
    force, gravity: Vector3(sample.pointee.gravity), motion: Vector3(sample.pointee.motion), tilt: force, at: now)
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

/// The part that a step with and without a sample have in common. An invalid pose counts as unknown.
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
  /// Converts from `enum plumb_pose`. Case by case, because the compiler turns `Pose(rawValue:)` into an unnamed
  /// function, which the gates cannot analyse.
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
  /// The phase, or all zeros.
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

extension plumb_movement_config_t {
  /// The size in C; the first field of the structure.
  @inline(__always)
  static var byteCount: UInt32 { UInt32(truncatingIfNeeded: MemoryLayout<Self>.size) }

  /// The defaults, taken from the core, so that each is defined once.
  @inline(never)
  static var standard: plumb_movement_config_t {
    let (shake, scroll) = (ShakeDetector.Configuration.standard, TiltScroll.Configuration.standard)
    let rotation = InterfaceRotation.Configuration.standard
    return plumb_movement_config_t(
      size: byteCount, shake_threshold: shake.threshold.raw, shake_reversals: shake.reversals,
      shake_window_us: UInt32(truncatingIfNeeded: shake.window.count),
      shake_refractory_us: UInt32(truncatingIfNeeded: shake.refractory.count), scroll_viscosity: scroll.viscosity,
      scroll_interval_us: UInt32(truncatingIfNeeded: scroll.interval.count),
      rotation_us: UInt32(truncatingIfNeeded: rotation.duration.count),
      longest_gap_us: UInt32(truncatingIfNeeded: shake.longestGap.count), orientations: rotation.supported.bits,
      start: rotation.start.rawValue, captures_rest: 0, reserved: 0)
  }

  /// The core's configuration, or the reason for rejecting this one.
  @inline(__always)
  func checked() throws(MovementRefusal) -> Movement.Configuration {
    guard reserved == 0 else { throw .reserved }
    return Movement.Configuration(
      rotation: try rotation(), shake: try shake(), scroll: try scroll(), capturesRest: captures_rest != 0)
  }

  private func rotation() throws(MovementRefusal) -> InterfaceRotation.Configuration {
    guard let start = InterfaceOrientation(rawValue: start) else { throw .rotation }
    do {
      return try InterfaceRotation.Configuration(
        supported: SupportedOrientations(bits: orientations), start: start, duration: span(rotation_us))
    } catch { throw .rotation }
  }

  private func shake() throws(MovementRefusal) -> ShakeDetector.Configuration {
    do {
      return try ShakeDetector.Configuration(
        threshold: Q16(raw: shake_threshold), reversals: shake_reversals, window: span(shake_window_us),
        refractory: span(shake_refractory_us), longestGap: span(longest_gap_us))
    } catch { throw .shake }
  }

  private func scroll() throws(MovementRefusal) -> TiltScroll.Configuration {
    do {
      return try TiltScroll.Configuration(
        viscosity: scroll_viscosity, interval: span(scroll_interval_us), longestGap: span(longest_gap_us))
    } catch { throw .scroll }
  }

  private func span(_ microseconds: UInt32) -> Microseconds {
    Microseconds(Int64(bitPattern: widened(microseconds)))
  }
}

/// The status of an invalid configuration of movement, as `enum plumb_status`.
enum MovementRefusal: Error {
  case reserved, shake, scroll, rotation

  var status: Int32 {
    switch self {
    case .reserved: PLUMB_ERROR_RESERVED.rawValue
    case .shake: PLUMB_ERROR_SHAKE.rawValue
    case .scroll: PLUMB_ERROR_SCROLL.rawValue
    case .rotation: PLUMB_ERROR_ROTATION.rawValue
    }
  }
}

/// The content of a caller's `plumb_movement_t`.
struct MovementStorage {
  /// "PLMV" if the rest is initialised, as in `MonitorStorage`.
  static let mark: UInt32 = 0x504C_4D56

  var mark = Self.mark
  var movement: Movement
}

/// The state in `movement`, or nil if it is not initialised.
@inline(__always)
func movementState(_ movement: UnsafeRawPointer) -> UnsafeMutablePointer<MovementStorage>? {
  guard unsafe movement.load(as: UInt32.self) == MovementStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: movement).assumingMemoryBound(to: MovementStorage.self)
}

/// Leaves a call to an undefined function if the state does not fit, as `proveThatStateFits` does.
@inline(__always)
func proveThatMovementFits() {
  #if hasFeature(Embedded)
    if MemoryLayout<MovementStorage>.size > MemoryLayout<plumb_movement_t>.size
      || MemoryLayout<MovementStorage>.alignment > MemoryLayout<plumb_movement_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
