internal import CPlumb
internal import FixedPoint
internal import Gestures
internal import Monitor
internal import Orientation

extension plumb_movement_config_t {
  /// The defaults, read off the core's own, so that there is one place for each.
  @inline(never)
  static var standard: plumb_movement_config_t {
    let (shake, scroll) = (ShakeDetector.Configuration.standard, TiltScroll.Configuration.standard)
    let rotation = InterfaceRotation.Configuration.standard
    return plumb_movement_config_t(
      shake_threshold: shake.threshold.raw, shake_reversals: shake.reversals,
      shake_window_us: UInt32(truncatingIfNeeded: shake.window.count),
      shake_refractory_us: UInt32(truncatingIfNeeded: shake.refractory.count), scroll_viscosity: scroll.viscosity,
      scroll_interval_us: UInt32(truncatingIfNeeded: scroll.interval.count),
      rotation_us: UInt32(truncatingIfNeeded: rotation.duration.count),
      longest_gap_us: UInt32(truncatingIfNeeded: shake.longestGap.count), orientations: rotation.supported.bits,
      start: rotation.start.rawValue, captures_rest: 0, reserved: 0)
  }

  /// The core's configuration, or why there is none.
  @inline(__always)
  func checked() throws(MovementRefusal) -> Movement.Configuration {
    Movement.Configuration(
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

/// What this library says of a configuration of movement, as `enum plumb_status`.
enum MovementRefusal: Error {
  case shake, scroll, rotation

  var status: Int32 {
    switch self {
    case .shake: PLUMB_ERROR_SHAKE.rawValue
    case .scroll: PLUMB_ERROR_SCROLL.rawValue
    case .rotation: PLUMB_ERROR_ROTATION.rawValue
    }
  }
}
