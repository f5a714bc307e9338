public import FixedPoint

/// The parts that can be emulated, by their names in board files and in the bridge: the emulators' own table.
///
/// A new one needs a case here, and a row.
public enum EmulatedPart: String, CaseIterable, Sendable {
  /// The ADXL345.
  case adxl345
  /// The MPU-6050.
  case mpu6050
  /// The MPU-6500.
  case mpu6500
  /// The MPU-9250, without its magnetometer.
  case mpu9250
  /// The ICM-20689.
  case icm20689
  /// The LIS3DH.
  case lis3dh
  /// The LSM6DSO or LSM6DSOX.
  case lsm6ds
  /// The LSM6DS33.
  case lsm6ds33
  /// The LSM6DS3TR-C.
  case lsm6ds3trc
  /// The ISM330DHCX.
  case ism330dhcx
  /// The LSM9DS1, without its magnetometer.
  case lsm9ds1
  /// The ICM-20948, of its magnetometer only the identity.
  case icm20948

  private typealias Make = (Specimen, any Motion, UInt64, @escaping () -> Instant) -> any EmulatedTarget

  /// Whether there is a gyroscope, and how a specimen is created.
  private var row: (hasGyroscope: Bool, make: Make) {
    switch self {
    case .adxl345: (false, { EmulatedADXL345($0, motion: $1, seed: $2, now: $3) })
    case .mpu6050: (true, { EmulatedMPU6050($0, of: .mpu6050, motion: $1, seed: $2, now: $3) })
    case .mpu6500: (true, { EmulatedMPU6050($0, of: .mpu6500, motion: $1, seed: $2, now: $3) })
    case .mpu9250: (true, { EmulatedMPU6050($0, of: .mpu9250, motion: $1, seed: $2, now: $3) })
    case .icm20689: (true, { EmulatedMPU6050($0, of: .icm20689, motion: $1, seed: $2, now: $3) })
    case .lis3dh: (false, { EmulatedLIS3DH($0, motion: $1, seed: $2, now: $3) })
    case .lsm6ds: (true, { EmulatedLSM6DS($0, motion: $1, seed: $2, now: $3) })
    case .lsm6ds33: (true, { EmulatedLSM6DS($0, of: .lsm6ds33, motion: $1, seed: $2, now: $3) })
    case .lsm6ds3trc: (true, { EmulatedLSM6DS($0, of: .lsm6ds3trC, motion: $1, seed: $2, now: $3) })
    case .ism330dhcx: (true, { EmulatedLSM6DS($0, of: .ism330dhcx, motion: $1, seed: $2, now: $3) })
    case .lsm9ds1: (true, { EmulatedLSM9DS1($0, motion: $1, seed: $2, now: $3) })
    case .icm20948: (true, { EmulatedICM20948($0, motion: $1, seed: $2, now: $3) })
    }
  }

  /// Whether it measures its rotation, and with it its temperature.
  public var hasGyroscope: Bool { row.hasGyroscope }

  /// A part that has just been powered on, on a board that starts `motion` at the present time of `now`.
  public func target(
    _ specimen: Specimen = Specimen(), motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) -> any EmulatedTarget { row.make(specimen, motion, seed, now) }
}

/// The properties of a single piece, in terms common to all parts; each part uses those that apply to it.
public struct Specimen: Sendable {
  /// The errors of its axes.
  public var errors = SpecimenErrors(seed: 0, offset: .zero, sensitivity: .zero)
  /// The errors of its gyroscope; those of its scale are those of the axes.
  public var gyroscopeErrors = GyroscopeErrors.none
  /// Whether its samples have the noise of such a part.
  public var isNoisy = true
  /// A rotation in addition to that of the motion, °/s.
  public var turn = Vector3.zero
  /// The temperature of the die, °C.
  public var temperature = Q16(whole: 25)
  /// How much warmer it becomes while it runs, °C.
  public var selfHeating = Q16.zero
  /// What is wrong with it; nil if nothing.
  public var defect: SensorDefect?
  /// How much faster than nominal its clock runs, in parts per million.
  public var ratePartsPerMillion: Int32 = 0
  /// The time to read one byte, in microseconds: 23 at 400 kHz. Default 0: a burst takes no time. An ADXL345's and an
  /// MPU-6050's burst never does.
  public var byteTime: Int64 = 0

  /// A perfect one with the usual noise.
  public init() {}
}

/// What can be wrong with an emulated sensor, to see what a self-test reports about it.
public enum SensorDefect: String, CaseIterable, Sendable {
  /// An X axis that does not respond.
  case deadX = "dead-x"
  /// A Y axis that does not respond.
  case deadY = "dead-y"
  /// A Z axis that does not respond.
  case deadZ = "dead-z"
  /// An X axis that responds less than it should.
  case weakX = "weak-x"
  /// A Y axis that responds in the wrong direction.
  case reversedY = "reversed-y"
  /// A Z axis that responds more than it should.
  case strongZ = "strong-z"
  /// A gyroscope that does not respond.
  case deadGyroscope = "dead-gyroscope"
  /// A copy without factory self-test codes.
  case noCodes = "no-codes"
  /// A sensor that no longer responds once it has been started.
  case mute

  /// What goes wrong on the bus; nil if nothing.
  public var faults: FaultPlan? { self == .mute ? [.init(.noAcknowledge, .transactions(40..<Int.max))] : nil }

  /// Changes what the self-test adds to each axis.
  public func spoil(_ force: inout Vector3) {
    switch self {
    case .deadX: force.x = .zero
    case .deadY: force.y = .zero
    case .deadZ: force.z = .zero
    case .weakX: force.x = Q16(raw: force.x.raw / 8)
    case .reversedY: force.y = Q16(raw: -force.y.raw)
    case .strongZ: force.z = Q16(raw: force.z.raw * 3)
    case .deadGyroscope, .noCodes, .mute: break
    }
  }

  /// The same of the force and the rotation.
  public func spoil(_ force: inout Vector3, rotation: inout Vector3) {
    spoil(&force)
    if self == .deadGyroscope { rotation = .zero }
  }
}
