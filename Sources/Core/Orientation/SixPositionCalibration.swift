public import FixedPoint

/// Why six positions do not give a calibration.
public enum SixPositionError: Error, Equatable, Sendable {
  /// This half-axis of the sensor has not been up yet.
  case missing(SensorAxis)
  /// The result is out of range: no working sensor is that far off.
  case calibration(CalibrationError)
  /// With this half-axis up, the board was held too slanted for calibration. Forget the face and hold it again.
  case askew(SensorAxis)
}

/// Finds a sensor's offsets and scales by holding it still on each of its six faces, in any order.
///
/// Everything is in the sensor's own frame; a face is named by the half-axis that points up. Faces are detected: one
/// axis exceeds 1.5 times each of the others, and 1/4 g, while the force is held still (``StillForce``). With `p` and
/// `n` the averages of an axis pointing up and down, its offset is `(p + n) / 2` and its scale `2 g / (p - n)`.
///
/// Only the axis that points up is used, because a slant of α changes it by only 1 - cos α: a slant of 2° changes it by
/// 0.0006 g, and the poses read up to 0.026° wrong; the maximum of 5° gives up to 0.16°. Deviations of the sensor's
/// axes from right angles are not determined.
///
/// Rounding: offsets are within 1 LSB of Q16.16 (1.5e-5 g, 0.001°) of the formula on exact averages, scales within
/// 8e-6. Noise adds σ / √(2 n) for n samples per face: 0.0003 g for σ = 0.004 g at 100 Hz and 1 s.
public struct SixPositionCalibration: Equatable, Sendable {
  /// The criteria for positions.
  public struct Configuration: Equatable, Sendable {
    /// What counts as still.
    public let stillness: StillForce.Configuration
    /// The largest slant of a face, as the calibrated sensor sees it, 0…30°. Default 5°.
    public let largestSlant: BinaryAngle

    /// The defaults.
    public static var standard: Configuration { Configuration(stillness: .standard) }

    /// A configuration with the default slant.
    public init(stillness: StillForce.Configuration) {
      self.stillness = stillness
      largestSlant = BinaryAngle(raw: 59_652_324)
    }

    /// A configuration; nil for a slant that is negative or over 30°.
    public init?(stillness: StillForce.Configuration = .standard, largestSlant: BinaryAngle) {
      guard largestSlant.raw >= 0 && largestSlant.raw <= BinaryAngle(degrees: 30).raw else { return nil }
      self.stillness = stillness
      self.largestSlant = largestSlant
    }
  }

  /// The outcome of a sample, for the person who holds the board.
  public enum Status: Equatable, Sendable {
    /// The board moves, or moved a moment ago: hold it still.
    case moving
    /// Still, but slanted: no axis exceeds the others enough.
    case betweenFaces
    /// Still, on a face that is done.
    case alreadyDone(SensorAxis)
    /// Still, on a face that is needed; the elapsed share of the time, from 0 to less than 1.
    case holding(SensorAxis, Q16)
    /// This face is now done: turn the board.
    case accepted(SensorAxis)
    /// All six are done; further samples change nothing.
    case complete
  }

  private let largestSlant: BinaryAngle
  private var still: StillForce
  private var averages = FaceForces()
  /// One bit per face, by raw value.
  private var done: UInt8 = 0

  /// A calibration with no face done.
  public init(_ configuration: Configuration = .standard) {
    largestSlant = configuration.largestSlant
    still = StillForce(configuration.stillness)
  }

  /// Takes in what the sensor measured at `now`, uncalibrated, in its own frame.
  public mutating func step(_ force: Vector3, at now: Instant) -> Status {
    guard !isComplete else { return .complete }
    switch still.step(force, at: now) {
    case .moving: return .moving
    case .holding(let share):
      guard let face = SensorAxis(upIn: force) else { return .betweenFaces }
      return isDone(face) ? .alreadyDone(face) : .holding(face, share)
    case .held(let average):
      guard let face = SensorAxis(upIn: average) else { return .betweenFaces }
      guard !isDone(face) else { return .alreadyDone(face) }
      averages[face] = average
      done |= Self.bit(face)
      return .accepted(face)
    }
  }

  /// Whether `face` is done.
  public func isDone(_ face: SensorAxis) -> Bool { done & Self.bit(face) != 0 }

  /// The number of finished faces.
  public var doneCount: Int32 { Int32(truncatingIfNeeded: done.nonzeroBitCount) }

  /// Whether all six faces are done.
  public var isComplete: Bool { done == 0b11_1111 }

  /// Restarts the current face, for example after a sensor fault. Faces that are done stay done.
  public mutating func interrupt() { still.interrupt() }

  /// Discards a face, so that it can be held again.
  public mutating func forget(_ face: SensorAxis) { done &= ~Self.bit(face) }

  /// The calibration, with the remaining error on each face. All six must be done.
  public func result() throws(SixPositionError) -> SixPositionResult {
    for raw: UInt8 in 0..<6 {
      if let face = SensorAxis(rawValue: raw), !isDone(face) { throw .missing(face) }
    }
    let x = Self.axis(up: averages.plusX.x, down: averages.minusX.x)
    let y = Self.axis(up: averages.plusY.y, down: averages.minusY.y)
    let z = Self.axis(up: averages.plusZ.z, down: averages.minusZ.z)
    let result: SixPositionResult
    do throws(CalibrationError) {
      let calibration = try Calibration(
        offset: Vector3(x: x.offset, y: y.offset, z: z.offset),
        scale: Calibration.Scale(x: x.scale, y: y.scale, z: z.scale))
      result = SixPositionResult(calibration: calibration, averages: averages)
    } catch { throw .calibration(error) }
    for raw: UInt8 in 0..<6 {
      guard let face = SensorAxis(rawValue: raw) else { continue }
      if result.after(face).tilt.magnitude > largestSlant.magnitude { throw .askew(face) }
    }
    return result
  }

  private static func bit(_ face: SensorAxis) -> UInt8 { 1 &<< face.rawValue }

  /// Offset, and scale in Q2.30 or 0 if it would be 2 or more; both rounded to nearest. `up` is above `down`.
  private static func axis(up: Q16, down: Q16) -> (offset: Q16, scale: Int32) {
    let offset = (widened(up.raw) &+ widened(down.raw) &+ 1) &>> 1
    let span = (widened(up.raw) &- widened(down.raw)).magnitude
    let scale = quotient((1 &<< 47) &+ span &>> 1, span)
    // Below 2^32, because both are beyond 0.25 g; from 2^31 on it is negative, and no calibration accepts it.
    return (Q16(raw: saturated(offset)), Int32(truncatingIfNeeded: scale))
  }
}

extension SensorAxis {
  /// The half-axis along which `force` points: nil unless it exceeds 1.5 times each of the others (11° from the
  /// diagonal) and 1/4 g.
  init?(upIn force: Vector3) {
    let (x, y, z) = (force.x.raw.magnitude, force.y.raw.magnitude, force.z.raw.magnitude)
    func exceeds(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> Bool {
      a > 16_384 && 2 &* widened(a) > 3 &* widened(max(b, c))
    }
    if exceeds(x, y, z) {
      self = force.x.raw < 0 ? .minusX : .plusX
    } else if exceeds(y, z, x) {
      self = force.y.raw < 0 ? .minusY : .plusY
    } else if exceeds(z, x, y) {
      self = force.z.raw < 0 ? .minusZ : .plusZ
    } else {
      return nil
    }
  }
}

/// A calibration from six positions, and the error of each position before and after it.
public struct SixPositionResult: Equatable, Sendable {
  /// The correction for the sensor.
  public let calibration: Calibration
  private let averages: FaceForces

  init(calibration: Calibration, averages: FaceForces) {
    self.calibration = calibration
    self.averages = averages
  }

  /// How far a face is from reading 1 g straight up.
  public struct Residual: Equatable, Sendable {
    /// The angle between the reading and straight up, 0…180°: the sensor's error plus the slant of the face.
    public let tilt: BinaryAngle
    /// By how much the length of the reading exceeds 1 g, in g, rounded down. Before calibration it is the sensor's
    /// error, which a slant hardly changes. After calibration it is the effect of the slant, because the calibration
    /// took the position as straight.
    public let length: Q16

    init(of force: Vector3, on face: SensorAxis) {
      let turned =
        switch face.index {
        case 0: Vector3(x: force.y, y: force.z, z: force.x)
        case 1: Vector3(x: force.z, y: force.x, z: force.y)
        default: force
        }
      let along = face.isNegative ? turned.z.negatedSaturating : turned.z
      tilt = Vector3(x: turned.x, y: turned.y, z: along).inclination
      length = Q16(raw: saturated(Int64(bitPattern: widened(force.magnitude)) &- 65_536))
    }
  }

  /// The error of `face` without calibration.
  public func before(_ face: SensorAxis) -> Residual { Residual(of: averages[face], on: face) }

  /// The error of `face` with calibration. If all positions were held exactly, only noise and rounding are left.
  public func after(_ face: SensorAxis) -> Residual {
    Residual(of: Alignment(calibration).applied(to: averages[face]), on: face)
  }
}

/// One force for each half-axis that can be up.
struct FaceForces: Equatable, Sendable {
  var plusX = Vector3.zero
  var minusX = Vector3.zero
  var plusY = Vector3.zero
  var minusY = Vector3.zero
  var plusZ = Vector3.zero
  var minusZ = Vector3.zero

  subscript(face: SensorAxis) -> Vector3 {
    get {
      switch face {
      case .plusX: plusX
      case .minusX: minusX
      case .plusY: plusY
      case .minusY: minusY
      case .plusZ: plusZ
      case .minusZ: minusZ
      }
    }
    set {
      switch face {
      case .plusX: plusX = newValue
      case .minusX: minusX = newValue
      case .plusY: plusY = newValue
      case .minusY: minusY = newValue
      case .plusZ: plusZ = newValue
      case .minusZ: minusZ = newValue
      }
    }
  }
}
