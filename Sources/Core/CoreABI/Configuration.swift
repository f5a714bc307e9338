internal import CPlumb
internal import FixedPoint
internal import Orientation

/// The status of an invalid configuration, as `enum plumb_status`.
enum Refusal: Error {
  case mounting
  case calibration
  case tracker(TrackerConfigurationError)

  var status: Int32 {
    switch self {
    case .mounting: PLUMB_ERROR_MOUNTING.rawValue
    case .calibration: PLUMB_ERROR_CALIBRATION.rawValue
    case .tracker(.magnitudeGate): PLUMB_ERROR_MAGNITUDE.rawValue
    case .tracker(.leaveAngle): PLUMB_ERROR_LEAVE_ANGLE.rawValue
    case .tracker(.faceAngles): PLUMB_ERROR_FACE_ANGLES.rawValue
    case .tracker(.times): PLUMB_ERROR_TIMES.rawValue
    }
  }
}

extension plumb_config_t {
  /// The size in C; the first field of the structure.
  @inline(__always)
  static var byteCount: UInt32 { UInt32(truncatingIfNeeded: MemoryLayout<Self>.size) }

  /// The defaults, taken from the core, so that each is defined once. Not inlined, because two functions use it.
  @inline(never)
  static var standard: plumb_config_t {
    let tracker = PoseTracker.Configuration.standard
    let gravity = LowPass.Configuration()
    return plumb_config_t(
      size: byteCount, mounting: (SensorAxis.plusX.rawValue, SensorAxis.plusY.rawValue, SensorAxis.plusZ.rawValue),
      reserved: 0,
      offset: plumb_vector_t(x: 0, y: 0, z: 0), scale: plumb_vector_t(x: 1 &<< 30, y: 1 &<< 30, z: 1 &<< 30),
      gravity_time_constant_us: UInt32(truncatingIfNeeded: gravity.timeConstant.count),
      minimum_magnitude: tracker.minimumMagnitude.raw, maximum_magnitude: tracker.maximumMagnitude.raw,
      leave_angle: tracker.leaveAngle.raw, face_enter_angle: tracker.faceEnterAngle.raw,
      face_leave_angle: tracker.faceLeaveAngle.raw, evidence: tracker.evidence.raw,
      dwell_us: UInt32(truncatingIfNeeded: tracker.dwell.count),
      patience_us: UInt32(truncatingIfNeeded: tracker.patience.count),
      longest_gap_us: UInt32(truncatingIfNeeded: tracker.longestGap.count))
  }

  /// The initial state of a monitor, or the reason for rejecting the configuration.
  @inline(__always)
  func checked() throws(Refusal) -> MonitorStorage {
    let longestGap = span(longest_gap_us)
    let alignment = try alignment()
    let gravity = LowPass.Configuration(timeConstant: span(gravity_time_constant_us), longestGap: longestGap)
    let tracker = try tracker(longestGap)
    return MonitorStorage(alignment: alignment, gravity: LowPass(gravity), tracker: PoseTracker(tracker))
  }

  private func alignment() throws(Refusal) -> Alignment {
    guard let x = SensorAxis(rawValue: mounting.0), let y = SensorAxis(rawValue: mounting.1),
      let z = SensorAxis(rawValue: mounting.2)
    else { throw .mounting }
    let frame: Mounting
    do { frame = try Mounting(x: x, y: y, z: z) } catch { throw .mounting }
    let calibration: Calibration
    do {
      calibration = try Calibration(
        offset: Vector3(offset), scale: Calibration.Scale(x: scale.x, y: scale.y, z: scale.z))
    } catch { throw .calibration }
    return Alignment(calibration, frame)
  }

  private func tracker(_ longestGap: Microseconds) throws(Refusal) -> PoseTracker.Configuration {
    do {
      return try PoseTracker.Configuration(
        minimumMagnitude: Q16(raw: minimum_magnitude), maximumMagnitude: Q16(raw: maximum_magnitude),
        leaveAngle: BinaryAngle(raw: leave_angle), faceEnterAngle: BinaryAngle(raw: face_enter_angle),
        faceLeaveAngle: BinaryAngle(raw: face_leave_angle), dwell: span(dwell_us), evidence: Q16(raw: evidence),
        patience: span(patience_us), longestGap: longestGap)
    } catch { throw .tracker(error) }
  }

  private func span(_ microseconds: UInt32) -> Microseconds {
    Microseconds(Int64(bitPattern: widened(microseconds)))
  }
}

extension plumb_vector_t {
  init(_ vector: Vector3) { self.init(x: vector.x.raw, y: vector.y.raw, z: vector.z.raw) }
}

extension Vector3 {
  init(_ vector: plumb_vector_t) { self.init(x: Q16(raw: vector.x), y: Q16(raw: vector.y), z: Q16(raw: vector.z)) }
}
