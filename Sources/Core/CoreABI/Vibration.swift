// Vibration, as plumb_vibration.h declares and documents it.
internal import CPlumb
internal import FixedPoint
internal import Vibration

@c @implementation
func plumb_vibration_config_default_v3(
  _ config: UnsafeMutablePointer<plumb_vibration_config_t>?, _ size: UInt32
) -> Int32 {
  guard let config = unsafe config else { return PLUMB_ERROR_NULL.rawValue }
  guard size == plumb_vibration_config_t.byteCount else { return PLUMB_ERROR_SIZE.rawValue }
  unsafe config.initialize(to: .standard)
  return PLUMB_OK.rawValue
}

@c @implementation
func plumb_vibration_init_v3(
  _ vibration: UnsafeMutablePointer<plumb_vibration_t>?, _ config: UnsafePointer<plumb_vibration_config_t>?
) -> Int32 {
  proveThatVibrationFits()
  guard let vibration = unsafe vibration else { return PLUMB_ERROR_NULL.rawValue }
  let storage = UnsafeMutableRawPointer(vibration)
  unsafe storage.assumingMemoryBound(to: UInt32.self).pointee = 0
  if let config = unsafe config, unsafe config.pointee.size != plumb_vibration_config_t.byteCount {
    return PLUMB_ERROR_SIZE.rawValue
  }
  let wanted = unsafe config?.pointee ?? .standard
  guard wanted.reserved == (0, 0, 0) else { return PLUMB_ERROR_RESERVED.rawValue }
  do throws(VibrationError) {
    let watched = try wanted.checked()
    // In place, because a state on the stack would take 2.8 KB. It consists of integers only, for which zero is valid.
    unsafe vibration.initialize(to: plumb_vibration_t())
    let state = unsafe storage.assumingMemoryBound(to: VibrationStorage.self)
    try unsafe state.pointee.watch.prepare(watched, period: wanted.period)
    unsafe state.pointee.mark = VibrationStorage.mark
    return PLUMB_OK.rawValue
  } catch {
    return PLUMB_ERROR_VIBRATION.rawValue
  }
}

@c @implementation
func plumb_vibration_step(
  _ vibration: UnsafeMutablePointer<plumb_vibration_t>?, _ force: UnsafePointer<plumb_vector_t>?, _ time_us: UInt64,
  _ output: UnsafeMutablePointer<plumb_vibration_output_t>?
) -> Int32 {
  guard let vibration = unsafe vibration, let force = unsafe force, let output = unsafe output else {
    return PLUMB_ERROR_NULL.rawValue
  }
  guard let state = unsafe vibrationState(vibration) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  guard let second = unsafe state.pointee.watch.step(Vector3(force.pointee), at: Instant(time_us)) else { return 0 }
  var events = PLUMB_VIBRATION_SECOND.rawValue
  var since: UInt64 = 0
  switch second.change {
  case .busy(let begin)?:
    events |= PLUMB_VIBRATION_BUSY.rawValue
    since = begin.count
  case .quiet(let begin)?:
    events |= PLUMB_VIBRATION_QUIET.rawValue
    since = begin.count
  case nil: break
  }
  unsafe output.pointee.set(second.report)
  unsafe output.pointee.since_us = since
  unsafe output.pointee.is_busy = state.pointee.watch.isBusy ? 1 : 0
  return Int32(bitPattern: events)
}

@c @implementation
func plumb_vibration_edges(
  _ vibration: UnsafePointer<plumb_vibration_t>?, _ edges: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let vibration = unsafe vibration, let result = unsafe edges else { return PLUMB_ERROR_NULL.rawValue }
  guard let state = unsafe vibrationState(vibration) else { return PLUMB_ERROR_NOT_INITIALISED.rawValue }
  let edges = unsafe state.pointee.watch.edges
  var index = 0
  while index <= BandEdges.most {
    unsafe (result + index).pointee = index <= edges.count ? edges[index].raw : 0
    index = index &+ 1
  }
  return Int32(truncatingIfNeeded: edges.count)
}

extension Instant {
  /// Microseconds, as in C.
  fileprivate var count: UInt64 { UInt64(bitPattern: microseconds) }
}

extension plumb_vibration_output_t {
  @inline(__always)
  fileprivate mutating func set(_ report: VibrationReport) {
    (start_us, end_us) = (report.start.count, report.end.count)
    (rms, peak) = (plumb_vector_t(report.level.rms), plumb_vector_t(report.level.peak))
    total = report.level.total.raw
    (samples, blocks) = (report.level.samples, report.blocks)
    bands = (
      report.rms(inBand: 0).raw, report.rms(inBand: 1).raw, report.rms(inBand: 2).raw, report.rms(inBand: 3).raw,
      report.rms(inBand: 4).raw, report.rms(inBand: 5).raw, report.rms(inBand: 6).raw, report.rms(inBand: 7).raw
    )
  }
}

extension plumb_vibration_config_t {
  /// The size in C; the first field of the structure.
  @inline(__always)
  static var byteCount: UInt32 { UInt32(truncatingIfNeeded: MemoryLayout<Self>.size) }

  /// The defaults, taken from the core, so that each is defined once.
  @inline(__always)
  fileprivate static var standard: plumb_vibration_config_t {
    let busy = BusyDetector.Configuration.standard
    return plumb_vibration_config_t(
      size: byteCount, period_us: 10_000, edges: (0, 0, 0, 0, 0, 0, 0, 0, 0), edge_count: 0, reserved: (0, 0, 0),
      busy_threshold: busy.busyThreshold.raw, quiet_threshold: busy.quietThreshold.raw,
      busy_time_ms: milliseconds(busy.busyTime), quiet_time_ms: milliseconds(busy.quietTime))
  }

  private static func milliseconds(_ time: Microseconds) -> UInt32 { UInt32(truncatingIfNeeded: time.count / 1_000) }

  fileprivate var period: Microseconds { Microseconds(Int64(bitPattern: widened(period_us))) }

  /// The core's configuration, or the reason for rejecting a value.
  fileprivate func checked() throws(VibrationError) -> VibrationConfiguration {
    let busy = try BusyDetector.Configuration(
      busyThreshold: Q16(raw: busy_threshold), busyTime: span(busy_time_ms), quietThreshold: Q16(raw: quiet_threshold),
      quietTime: span(quiet_time_ms))
    return VibrationConfiguration(edges: try bands(), busy: busy)
  }

  @inline(__always)
  private func bands() throws(VibrationError) -> BandEdges? {
    guard edge_count > 0 else { return nil }
    guard edge_count <= 9 else { throw .edges }
    let edges: InlineArray<9, Q16> = [
      Q16(raw: edges.0), Q16(raw: edges.1), Q16(raw: edges.2), Q16(raw: edges.3), Q16(raw: edges.4), Q16(raw: edges.5),
      Q16(raw: edges.6), Q16(raw: edges.7), Q16(raw: edges.8),
    ]
    return try BandEdges(edges.span.extracting(first: Int(truncatingIfNeeded: edge_count)))
  }

  private func span(_ milliseconds: UInt32) -> Microseconds {
    Microseconds(Int64(bitPattern: widened(milliseconds)) &* 1_000)
  }
}

/// The content of a caller's `plumb_vibration_t`.
private struct VibrationStorage: ~Copyable {
  typealias Watch = VibrationWatch<64>

  /// "PLVB" if the rest is initialised, as in `MonitorStorage`.
  static var mark: UInt32 { 0x504C_5642 }

  var mark: UInt32
  var watch: Watch
}

/// The state in `vibration`, or nil if it is not initialised.
@inline(__always)
private func vibrationState(_ vibration: UnsafeRawPointer) -> UnsafeMutablePointer<VibrationStorage>? {
  guard unsafe vibration.load(as: UInt32.self) == VibrationStorage.mark else { return nil }
  return unsafe UnsafeMutableRawPointer(mutating: vibration).assumingMemoryBound(to: VibrationStorage.self)
}

/// Leaves a call to an undefined function if the state does not fit, as `proveThatStateFits` does.
@inline(__always)
private func proveThatVibrationFits() {
  #if hasFeature(Embedded)
    if MemoryLayout<VibrationStorage>.size > MemoryLayout<plumb_vibration_t>.size
      || MemoryLayout<VibrationStorage>.alignment > MemoryLayout<plumb_vibration_t>.alignment
    {
      plumb_monitor_t_is_too_small()
    }
  #endif
}
