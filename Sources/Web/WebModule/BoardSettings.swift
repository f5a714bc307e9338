internal import CWeb
internal import FixedPoint
internal import Gestures
internal import HAL
internal import JSON
internal import Monitor
internal import Orientation
internal import Sensors
internal import StreamCodec
internal import Text
internal import Vibration

/// What a page wants of a board, key by key: board files and their parser would be a quarter of the module.
struct BoardSettings {
  /// The keys, in the order of `settings` in plumb.js.
  enum Key: Int32 {
    /// The filter for gravity: 0 to let the first sample decide, 1 fusion, 2 low-pass, 3 adaptive.
    case gravity
    /// The sensor's axis along the board's X, Y and Z, as `SensorAxis`.
    case mountingX, mountingY, mountingZ
    /// Angles of the poses, in 2^-32 of a turn.
    case leaveAngle, faceEnter, faceLeave
    /// The dwell in µs; -1 for the usual one.
    case dwell
    /// Whether taps, falls are found.
    case taps, freeFall
    /// The time from one sample to the next in µs, for those who watch vibration; 0 for no one.
    case vibrationPeriod
    /// How long the interface takes to rotate, in µs.
    case rotationTime
    /// Whether scrolling rests as the board is first held.
    case capturesRest
    /// Whether times count from the first sample.
    case isRecorded
    /// Whether samples are suspected.
    case suspects
  }

  private(set) var gravity: Int32 = 0
  private var axes: InlineArray<3, Int32> = [0, 2, 4]
  private var leaveAngle = BinaryAngle(degrees: 60)
  private var faceEnter = BinaryAngle(degrees: 25)
  private var faceLeave = BinaryAngle(degrees: 40)
  private var dwell: Int32 = -1
  private var hasPoses = false
  private var taps = false
  private var freeFall = false
  private var vibrationPeriod: Int32 = 0
  private var rotationTime: Int32 = 300_000
  private var capturesRest = false
  private(set) var isRecorded = false
  private(set) var suspects = false

  /// Sets `key`; plumb.js has checked the kind of the value.
  mutating func set(_ key: Key, to value: Int32) {
    switch key {
    case .gravity: gravity = value
    case .mountingX: axes[0] = value
    case .mountingY: axes[1] = value
    case .mountingZ: axes[2] = value
    case .leaveAngle: (leaveAngle, hasPoses) = (BinaryAngle(raw: value), true)
    case .faceEnter: (faceEnter, hasPoses) = (BinaryAngle(raw: value), true)
    case .faceLeave: (faceLeave, hasPoses) = (BinaryAngle(raw: value), true)
    case .dwell: (dwell, hasPoses) = (value, true)
    case .taps: taps = value != 0
    case .freeFall: freeFall = value != 0
    case .vibrationPeriod: vibrationPeriod = value
    case .rotationTime: rotationTime = value
    case .capturesRest: capturesRest = value != 0
    case .isRecorded: isRecorded = value != 0
    case .suspects: suspects = value != 0
    }
  }
}

extension BoardSettings {
  /// How the sensor is mounted.
  func mounting() throws(SettingsFault) -> Mounting {
    guard let x = axis(0), let y = axis(1), let z = axis(2) else { throw .mounting }
    do throws(MountingError) { return try Mounting(x: x, y: y, z: z) } catch { throw .mounting }
  }

  private func axis(_ index: Int) -> SensorAxis? {
    let value = axes[index]
    return value >= 0 && value < 6 ? SensorAxis(rawValue: UInt8(truncatingIfNeeded: value)) : nil
  }

  /// The configuration of a monitor whose samples have a rotation rate if `hasRotation`.
  ///
  /// - Throws: what is wrong with the settings.
  func configuration(
    period: Microseconds, fullScale: Q16, rotationFullScale: Q16?, hasRotation: Bool
  ) throws(SettingsFault) -> Monitor.Configuration {
    let filter: GravityFilter.Configuration =
      switch gravity {
      case 1: .fusion(Fusion.Configuration())
      case 2: .standard
      case 3: .adaptive(AdaptiveFilterConfiguration())
      default: hasRotation ? .fusion(Fusion.Configuration()) : .standard
      }
    let tracker = try hasPoses ? tracker(filter) : nil
    var configuration = Monitor.Configuration(
      period: period, fullScale: fullScale,
      pipeline: Pipeline.Configuration(
        alignment: Alignment(.none, try mounting()), gravity: filter, tracker: tracker),
      movement: try movement(), rotationFullScale: rotationFullScale, detectsRest: true,
      knocks: Knocks.Configuration(
        taps: taps ? .standard : nil, fall: freeFall ? .standard : nil, areFoundBySensor: false))
    if !suspects {
      configuration.faults.implausibleLimit = 0
      configuration.faults.weightlessLimit = .zero
    }
    return configuration
  }

  private func tracker(_ filter: GravityFilter.Configuration) throws(SettingsFault) -> PoseTracker.Configuration {
    let usual: PoseTracker.Configuration = if case .fusion = filter { .fused } else { .standard }
    do throws(TrackerConfigurationError) {
      return try PoseTracker.Configuration(
        leaveAngle: leaveAngle, faceEnterAngle: faceEnter, faceLeaveAngle: faceLeave,
        dwell: dwell < 0 ? usual.dwell : Microseconds(widened(dwell)), evidence: usual.evidence)
    } catch {
      switch error {
      case .leaveAngle: throw .leaveAngle
      case .faceAngles: throw .faceAngles
      case .times, .magnitudeGate: throw .dwell
      }
    }
  }

  private func movement() throws(SettingsFault) -> Movement.Configuration {
    do throws(InterfaceRotationError) {
      return Movement.Configuration(
        rotation: try InterfaceRotation.Configuration(
          supported: .all, duration: Microseconds(widened(rotationTime))),
        capturesRest: capturesRest)
    } catch {
      throw .rotationTime
    }
  }

  /// What watches the vibration, in memory of its own; nil if nothing is to.
  func vibrationDetector() throws(SettingsFault) -> VibrationDetector? {
    guard vibrationPeriod > 0 else { return nil }
    let period = Microseconds(widened(vibrationPeriod))
    let size = UInt32(truncatingIfNeeded: VibrationDetector.byteCount(period: period))
    do throws(VibrationError) {
      return try unsafe VibrationDetector(
        VibrationConfiguration(), period: period, in: cweb_memory(size)
      ) { _, _ in }
    } catch {
      throw .vibration
    }
  }
}

/// What is wrong with settings.
enum SettingsFault: Error {
  case mounting, leaveAngle, faceAngles, dwell, rotationTime, vibration

  /// In words.
  var message: StaticString {
    switch self {
    case .mounting: "mounting must have each axis once, right-handed, such as +x +y +z or -y +x +z"
    case .leaveAngle: "leaveAngle must be 46 to 89 degrees"
    case .faceAngles: "faceEnter must be at least 1 and less than faceLeave, which must be at most 89 degrees"
    case .dwell: "dwell must be 0 to 0.999 s"
    case .rotationTime: "rotationTime must be 0 to 60 s"
    case .vibration: "vibration needs samples 1 to 5000 times a second"
    }
  }
}

/// Writes an error into the memory for text.
func write(_ fault: SettingsFault) {
  _ = writingText { writer in
    writer.beginObject()
    writer.field("detail", fault.message)
    writer.endObject()
    writer.endLine()
  }
}
