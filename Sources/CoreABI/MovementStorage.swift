internal import CPlumb
internal import Monitor

/// What lies in a caller's `plumb_movement_t`.
struct MovementStorage {
  /// "PLMV" where the rest is initialised, as in `MonitorStorage`.
  static let mark: UInt32 = 0x504C_4D56

  var mark = Self.mark
  var movement: Movement
}

/// The state in `movement`, or nil where no initialised one is.
@inline(__always)
func movementState(_ movement: UnsafeRawPointer) -> UnsafeMutablePointer<MovementStorage>? {
  guard unsafe movement.load(as: UInt32.self) == MovementStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: movement).assumingMemoryBound(to: MovementStorage.self)
}

/// Leaves a call of an undefined function behind where the state does not fit, as `proveThatStateFits`.
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
