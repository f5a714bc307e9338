internal import CPlumb
internal import Monitor

/// What lies in a caller's `plumb_monitor_t`.
struct MonitorStorage {
  /// "PLMB" where the rest is initialised. At offset 0, so that it can be read before the rest is trusted.
  static let mark: UInt32 = 0x504C_4D42

  var mark = Self.mark
  var pipeline: Pipeline
}

/// The state in `monitor`, or nil where no initialised one is.
@inline(__always)
func state(_ monitor: UnsafeRawPointer) -> UnsafeMutablePointer<MonitorStorage>? {
  guard unsafe monitor.load(as: UInt32.self) == MonitorStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: monitor).assumingMemoryBound(to: MonitorStorage.self)
}

/// Leaves a call of an undefined function behind where the state does not fit into `plumb_monitor_t`.
///
/// Sizes are constants to the optimiser, so that no trace is left where it fits. Without optimisation, as in a debug
/// build of the package, there would always be one; that build is not the library, and is checked by its tests.
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
