// Taps and falls, as plumb.h declares and documents them.
internal import CPlumb
internal import FixedPoint
internal import Gestures

@c @implementation
func plumb_taps_config_default_v3(_ config: UnsafeMutablePointer<plumb_taps_config_t>?, _ size: UInt32) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  guard size == plumb_taps_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_taps_init_v3(
  _ taps: UnsafeMutablePointer<plumb_taps_t>?, _ config: UnsafePointer<plumb_taps_config_t>?
) -> Int32 {
  proveThatTapsFit()
  guard let taps = unsafe taps else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(taps)
  unsafe storage.assumingMemoryBound(to: UInt32.self).pointee = 0
  let state = unsafe storage.assumingMemoryBound(to: TapStorage.self)
  if let config = unsafe config, unsafe config.pointee.size != plumb_taps_config_t.byteCount {
    return PLUMB_ERROR_SIZE.rawValue
  }
  let wanted = unsafe config?.pointee ?? .standard
  guard wanted.reserved == (0, 0) else { return PLUMB_ERROR_RESERVED.rawValue }
  guard let (tap, fall) = wanted.checked() else { return PLUMB_ERROR_TAPS.rawValue }
  unsafe state.initialize(to: TapStorage(taps: TapDetector(tap), fall: FallDetector(fall)))
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_taps_step(
  _ taps: UnsafeMutablePointer<plumb_taps_t>?, _ force: UnsafePointer<plumb_vector_t>?, _ time_us: UInt64,
  _ output: UnsafeMutablePointer<plumb_taps_output_t>?
) -> Int32 {
  guard let taps = unsafe taps, let force = unsafe force, let output = unsafe output else {
    return PLUMB_ERROR_NULL.rawValue
  }
  let storage = UnsafeMutableRawPointer(taps)
  guard unsafe storage.load(as: UInt32.self) == TapStorage.mark else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let state = unsafe storage.assumingMemoryBound(to: TapStorage.self)
  let (sample, now) = (unsafe Vector3(force.pointee), Instant(time_us))
  var found = plumb_taps_output_t(events: 0, axis: 0, sign: 0, reserved: 0, fall_us: 0)
  switch unsafe state.pointee.taps.step(sample, at: now) {
  case .tap(let tap): found.take(tap, UInt8(truncatingIfNeeded: PLUMB_TAP.rawValue))
  case .doubleTap(let tap): found.take(tap, UInt8(truncatingIfNeeded: PLUMB_DOUBLE_TAP.rawValue))
  case nil: break
  }
  if let time = unsafe state.pointee.fall.step(sample, at: now) {
    found.events |= UInt8(truncatingIfNeeded: PLUMB_LANDING.rawValue)
    found.fall_us = UInt32(truncatingIfNeeded: time.count)
  }
  unsafe output.pointee = found
  return PLUMB_OK.rawValue
}

extension plumb_taps_output_t {
  fileprivate mutating func take(_ tap: Tap, _ event: UInt8) {
    events = event
    axis = tap.axis.rawValue
    sign = Int8(truncatingIfNeeded: tap.sign)
  }
}

extension plumb_taps_config_t {
  /// The size in C; the first field of the structure.
  @inline(__always)
  static var byteCount: UInt32 { UInt32(truncatingIfNeeded: MemoryLayout<Self>.size) }

  /// The defaults, taken from the core, so that each is defined once. Inlined, because the compiler would otherwise
  /// merge it with the equally long function for the fusion's configuration, with a call through a pointer, which the
  /// gates cannot analyse.
  @inline(__always)
  fileprivate static var standard: plumb_taps_config_t {
    let (tap, fall) = (TapDetector.Configuration.standard, FallDetector.Configuration.standard)
    return plumb_taps_config_t(
      size: byteCount, threshold: tap.threshold.raw, duration_us: UInt32(truncatingIfNeeded: tap.duration.count),
      latency_us: UInt32(truncatingIfNeeded: tap.latency.count),
      window_us: UInt32(truncatingIfNeeded: tap.window.count), fall_threshold: fall.threshold.raw,
      fall_time_us: UInt32(truncatingIfNeeded: fall.time.count), axes: tap.axes.bits,
      double_taps: tap.findsDoubleTaps ? 1 : 0, reserved: (0, 0))
  }

  /// The core's configurations; nil if a value is out of range.
  @inline(__always)
  fileprivate func checked() -> (TapDetector.Configuration, FallDetector.Configuration)? {
    guard axes <= 7, let tap = tap(), let fall = fall() else { return nil }
    return (tap, fall)
  }

  private func tap() -> TapDetector.Configuration? {
    do {
      return try TapDetector.Configuration(
        threshold: Q16(raw: threshold), duration: Microseconds(Int64(bitPattern: widened(duration_us))),
        latency: Microseconds(Int64(bitPattern: widened(latency_us))),
        window: Microseconds(Int64(bitPattern: widened(window_us))), axes: Tap.Axes(bits: axes),
        findsDoubleTaps: double_taps != 0)
    } catch { return nil }
  }

  private func fall() -> FallDetector.Configuration? {
    do {
      return try FallDetector.Configuration(
        threshold: Q16(raw: fall_threshold), time: Microseconds(Int64(bitPattern: widened(fall_time_us))))
    } catch { return nil }
  }
}

/// The content of a caller's `plumb_taps_t`.
private struct TapStorage {
  /// "PLTP" if the rest is initialised, as in `MonitorStorage`.
  static let mark: UInt32 = 0x504C_5450

  var mark = Self.mark
  var taps: TapDetector
  var fall: FallDetector
}

/// Leaves a call to an undefined function if the state does not fit, as `proveThatStateFits` does.
@inline(__always)
private func proveThatTapsFit() {
  #if hasFeature(Embedded)
    if MemoryLayout<TapStorage>.size > MemoryLayout<plumb_taps_t>.size
      || MemoryLayout<TapStorage>.alignment > MemoryLayout<plumb_taps_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
