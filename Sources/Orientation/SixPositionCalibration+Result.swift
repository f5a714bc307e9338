public import FixedPoint

/// A calibration from six positions, and how far off each position read before and reads after it.
public struct SixPositionResult: Equatable, Sendable {
  /// What corrects the sensor.
  public let calibration: Calibration
  private let averages: FaceForces

  init(calibration: Calibration, averages: FaceForces) {
    self.calibration = calibration
    self.averages = averages
  }

  /// How far a face is from reading 1 g straight up.
  public struct Residual: Equatable, Sendable {
    /// The angle between what was read and straight up, 0…180°: the sensor's error, and how slanted the face was held.
    public let tilt: BinaryAngle
    /// How much more than 1 g the length of what was read is, in g, rounded down. Before, it is the sensor's error, which a
    /// slant hardly changes. After, it is what the slant makes: the calibration took the position for straight.
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

  /// How far off `face` read uncalibrated.
  public func before(_ face: SensorAxis) -> Residual { Residual(of: averages[face], on: face) }

  /// How far off `face` reads calibrated. Where all positions were held exactly, only noise and rounding are left.
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
